/**
 * Runs the agent in its own namespaces: it shares no files, processes, network or clock with the coordinator. A
 * coordinator that read its own instead of asking the agent would be wrong.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { readJson, readTsv } from '../../harness/common/files.js';
import { Lab, installWs, until } from './lab.js';

const APART = join(import.meta.dirname, 'apart.sh');
/** Its monotonic clock is ahead by this, µs (apart.sh). */
const AHEAD_US = 1e12;
const refused = spawnSync(APART, ['true'], { encoding: 'utf8' });
const skip = refused.status === 0 ? false : `no namespaces of its own for an agent: ${refused.stderr.trim()}`;

before(installWs);

/** @type {Lab[]} */
const labs = [];
after(() => labs.forEach((lab) => lab.remove()));

/** @param {ConstructorParameters<typeof Lab>[0]} options */
function makeLab(options) {
  const lab = new Lab({ repeats: 1, inside: APART, ...options });
  labs.push(lab);
  return lab;
}

const TRIAL = 'b01-ws-steady';

describe('an agent that shares neither files nor processes, network nor clock with its coordinator', { skip, concurrency: 3 }, () => {
  for (const [where, more] of [['loopback', ''], ['two network namespaces', 'network = { kind = "veth" }']]) {
    it(`carries an experiment out, on ${where}`, async () => {
      const lab = makeLab({ more });
      const harness = lab.start();
      const run = await until(() => harness.findRun(), 'the run');
      assert.ok(!existsSync(run.runDir), 'its folder is none of ours');
      const { code, stdout, stderr } = await harness.ended;
      assert.equal(code, 0, stdout + stderr);
      assert.deepEqual(lab.readStatuses(), { [TRIAL]: 'done' });
      assert.deepEqual(await lab.findLeftovers(run), []);
      for (const { t_us } of readTsv(lab.inTrial(TRIAL, 'raw/host.tsv'))) assert.ok(Number(t_us) > AHEAD_US, t_us);
      assert.ok(readTsv(lab.inTrial(TRIAL, 'raw/live.tsv')).length >= 1);
      const { window } = readJson(lab.inTrial(TRIAL, 'raw/client/summary.json'));
      assert.ok(window.sent > 0 && window.received === window.sent, JSON.stringify(window));
      const usage = readTsv(lab.inTrial(TRIAL, 'raw/accounts.tsv')).filter(({ mark }) => mark === 'window_end');
      assert.deepEqual([...new Set(usage.map(({ side }) => side))].sort(), ['capture', 'client', 'server']);
    });
  }

  it('fails a trial whose server ends, with what it said last', async () => {
    const lab = makeLab({});
    const harness = lab.start();
    const run = await until(() => harness.findRun(), 'the run');
    const inside = `/proc/${run.agent}/root${run.runDir}/${TRIAL}`;
    const [{ pid }] = await until(() => readProcesses(`${inside}/client.out`) && readProcesses(`${inside}/server.out`), 'both ready');
    spawnSync('nsenter', [`--target=${run.agent}`, '--pid', '--mount', 'kill', '-KILL', String(pid)]);
    const { code, stdout, stderr } = await harness.ended;
    assert.equal(code, 1, stdout + stderr);
    assert.match(lab.readStatuses()[TRIAL], /^failed: the server ended during the trial: it was killed by SIGKILL: /);
    assert.deepEqual(await lab.findLeftovers(run), []);
    assert.match(readFileSync(lab.inTrial(TRIAL, 'raw/server.out'), 'utf8'), /^ready /);
  });

  for (const who of /** @type {const} */ (['coordinator', 'agent'])) {
    it(`leaves nothing behind when the ${who} is killed`, async () => {
      const lab = makeLab({});
      const harness = lab.start();
      const run = await until(() => harness.findRun(), 'the run');
      await until(() => readProcesses(`/proc/${run.agent}/root${run.runDir}/${TRIAL}/client.out`), 'the client');
      if (who === 'agent') process.kill(run.agent, 'SIGKILL');
      else harness.signal('SIGKILL');
      const { code } = await harness.ended;
      assert.deepEqual(await lab.findLeftovers(run), []);
      if (who === 'coordinator') return;
      assert.equal(code, 1);
      assert.match(lab.readStatuses()[TRIAL], /^failed: .*the agent of the host (has )?ended/);
    });
  }
});

/** @param {string} path of a program's output @returns {{pid: number}[] | undefined} its processes, once it is ready */
function readProcesses(path) {
  const line = existsSync(path) && readFileSync(path, 'utf8').split('\n').find((each) => each.startsWith('ready ') && each.endsWith('}'));
  return line ? JSON.parse(line.slice('ready '.length)).processes : undefined;
}
