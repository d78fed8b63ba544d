/**
 * Runs over two hosts in which the test kills a random process at a random moment: while ssh connects, agents start,
 * the load runs, or records are fetched. The run leaves nothing behind, and --resume completes the plan.
 * `SEEDS='7 8 9'` tries other seeds.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seededRandom } from '../../harness/common/random.js';
import { listSsh, skip, useHosts } from '../hosts/hosts.js';
import { sleep, until } from '../smoke/lab.js';

const SEEDS = (process.env.SEEDS ?? '8 11 20').split(/\s+/).map(Number);
/** This share of kills comes soon after the run begins, the others within LATE_WITHIN_S of the trial's start. */
const EARLY = { share: 0.3, within_s: 5 };
const LATE_WITHIN_S = 4;

/** @typedef {import('../smoke/lab.js').Run} Run */

describe('a run of which something is killed at a random moment', { skip }, () => {
  const testbed = useHosts(2);

  /** @param {string} name of a host @param {string} command a part of its argv @returns {number[]} pids */
  const listOn = (name, command) => testbed.up.listOn(name).filter((each) => each.command.includes(command)).map(({ pid }) => pid);

  /** What the test may kill, and the pids of that. @type {Record<string, (run: Run) => number[]>} */
  const VICTIMS = {
    agent: () => ['h1', 'h2'].flatMap((name) => listOn(name, 'harness/agent/main.js')),
    ssh: ({ runId }) => listSsh(runId).map(({ pid }) => pid),
    server: () => listOn('h1', 'server.js'),
    client: () => listOn('h2', 'clients/forked/'),
    coordinator: ({ agent }) => [agent],
  };

  for (const seed of SEEDS) {
    const random = seededRandom(seed);
    const isEarly = random() < EARLY.share;
    const moment_s = random() * (isEarly ? EARLY.within_s : LATE_WITHIN_S);
    const [drawn, which] = [random(), random()];
    it(`leaves nothing and goes on with RESUME, seed ${seed}`, async (context) => {
      const { up: hosts, options } = testbed;
      const lab = testbed.makeLab();
      const harness = lab.start(options);
      const run = await until(() => harness.findRun(), 'the run', 180);
      if (!isEarly) await until(() => lab.findRunning(), 'the trial', 180);
      await sleep(moment_s * 1000);
      // Only what runs at that moment can be killed
      const there = Object.entries(VICTIMS).map(([who, list]) => ({ who, pids: list(run) })).filter(({ pids }) => pids.length);
      const { who, pids } = there[Math.floor(drawn * there.length)] ?? { who: 'nothing', pids: [] };
      const pid = pids[Math.floor(which * pids.length)];
      context.diagnostic(`seed ${seed}: ${who} of ${there.map((each) => each.who).join(', ')}, ${moment_s.toFixed(1)} s into the ${isEarly ? 'run' : 'trial'}`);
      if (pid) killIfThere(pid);
      const { stdout, stderr, code } = await harness.ended;
      assert.ok(code === null || [0, 1, 2].includes(code), `${code}: ${stdout}${stderr}`);
      assert.deepEqual(await lab.findLeftovers({ ...run, agent: who === 'coordinator' ? 0 : run.agent }), []);
      await hosts.checkClean();
      const isBegun = lab.listBundles().length > 0; // without a bundle there is nothing to resume
      const again = await lab.run([...options, ...(isBegun ? ['--resume'] : [])]);
      assert.equal(again.code, 0, again.stdout + again.stderr);
      const statuses = Object.values(lab.readStatuses());
      assert.ok(statuses.length > 0 && statuses.every((status) => status === 'done'), statuses.join());
      await hosts.checkClean();
    });
  }

  it('leaves nothing, and says how it ended, where the keeper of its connections was killed: another takes its place', async () => {
    const { up: hosts, options } = testbed;
    const lab = testbed.makeLab();
    const harness = lab.start(options);
    const run = await until(() => harness.findRun(), 'the run', 180);
    process.kill(run.keeper, 'SIGKILL');
    const other = await until(() => [harness.findRun()].find((found) => found && found.keeper !== run.keeper), 'another keeper', 60);
    const { stdout, stderr, code } = await harness.ended;
    assert.equal(code, 0, stdout + stderr);
    assert.match(stdout, /^bundle /m);
    assert.deepEqual(await lab.findLeftovers(other), []);
    await hosts.checkClean();
  });
});

/** @param {number} pid */
function killIfThere(pid) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // it has ended by itself
  }
}
