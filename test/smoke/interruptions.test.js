/** However and whenever a run is interrupted, it leaves nothing behind and can be resumed. */
import assert from 'node:assert/strict';
import { existsSync, statSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { seededRandom } from '../../harness/common/random.js';
import { Lab, installWs, sleep, until } from './lab.js';

before(installWs);

/** @type {Lab[]} */
const labs = [];
after(() => labs.forEach((lab) => lab.remove()));

/** @param {ConstructorParameters<typeof Lab>[0]} [options] */
function makeLab(options) {
  const lab = new Lab(options);
  labs.push(lab);
  return lab;
}

/** @param {Lab} lab @returns {Record<string, number>} when each done trial ended, in ms */
function listDone(lab) {
  const done = Object.entries(lab.readStatuses()).filter(([, status]) => status === 'done');
  return Object.fromEntries(done.map(([trial]) => [trial, statSync(lab.inTrial(trial, 'status')).mtimeMs]));
}

/** @param {string} bundle */
const isPlanned = (bundle) => existsSync(`${bundle}/plan.tsv`);

/** What the test kills first. Then it kills the harness's process group. @type {('harness' | 'agent' | 'keeper')[]} */
const VICTIMS = ['harness', 'agent', 'keeper'];

/** @typedef {import('./lab.js').Harness} Harness @typedef {import('./lab.js').Run} Run */
/** @param {Harness} harness @param {number} for_ms @returns {Promise<Map<string, Run>>} by id, the most recent last */
async function followRuns(harness, for_ms) {
  const runs = new Map();
  for (const end = performance.now() + for_ms; performance.now() < end; await sleep(5)) {
    const run = harness.findRun();
    if (run) runs.delete(run.runId);
    if (run) runs.set(run.runId, run);
  }
  return runs;
}

/** @param {Harness} harness */
const hasEnded = ({ child: { exitCode, signalCode } }) => exitCode !== null || signalCode !== null;
/** @param {Run | undefined} run @param {Run} earlier @returns {boolean} does it have another keeper? */
const isAnother = (run, earlier) => run !== undefined && run.keeper !== earlier.keeper;

/** @param {number} pid of a process, or of a group where it is below 0 */
function killIfThere(pid) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // it has ended by itself
  }
}

/**
 * Resumes the run to its end, and checks that no done trial was repeated.
 * @param {Lab} lab @param {Record<string, number>} earlier when each done trial ended, in ms
 */
async function resume(lab, earlier) {
  const { code, stdout, stderr } = await lab.run(['--resume']);
  assert.equal(code, 0, stdout + stderr);
  assert.deepEqual(lab.readStatuses(), { 'b01-ws-steady': 'done', 'b02-ws-steady': 'done', 'b03-ws-steady': 'done' });
  for (const [trial, doneAt] of Object.entries(earlier)) assert.equal(listDone(lab)[trial], doneAt, `${trial} was repeated`);
  // a run killed before it had a plan starts again, in a new bundle
  assert.equal(lab.listBundles().filter(isPlanned).length, 1);
}

// Nothing is measured here, so the tests may run side by side.
describe('a run that is interrupted', { concurrency: 3 }, () => {
  for (const [signal, trial, mark] of /** @type {[NodeJS.Signals, string, string][]} */ ([
    ['SIGINT', 'b02-ws-steady', 'start'], ['SIGTERM', 'b01-ws-steady', 'window_start'], ['SIGHUP', 'b03-ws-steady', 'start'],
  ])) {
    it(`by ${signal} leaves nothing behind, says how to go on, and goes on`, async () => {
      const lab = makeLab();
      const harness = lab.start();
      const run = await until(() => harness.findRun(), 'the run');
      await until(() => lab.readMarks(run, trial).includes(mark), `the ${mark} of ${trial}`);
      const done = listDone(lab);
      harness.signal(signal);
      const { code, stderr } = await harness.ended;
      assert.equal(code, 130, stderr);
      assert.equal(stderr.trim(), `interrupted by ${signal}: everything that ran was stopped; go on with RESUME=1`);
      assert.deepEqual(await lab.findLeftovers(run), []);
      assert.equal(lab.readStatuses()[trial], 'running', 'the trial that was interrupted is not done');
      await resume(lab, done);
    });
  }

  for (const seed of [1, 2]) {
    it(`by kill -9 of harness, agent or keeper, four times at random moments, leaves nothing behind and goes on each time (seed ${seed})`, async () => {
      const lab = makeLab();
      const random = seededRandom(seed);
      for (let kills = 0; kills < 4; kills++) {
        const done = listDone(lab);
        const harness = lab.start(lab.listBundles().some(isPlanned) ? ['--resume'] : []);
        const [first, moment_ms, later_ms] = [VICTIMS[Math.floor(random() * VICTIMS.length)], 200 + random() * 4000, random() * 500];
        const runs = await followRuns(harness, moment_ms);
        const last = [...runs.values()].pop();
        if (last && first !== 'harness') {
          killIfThere(last[first]);
          // A killed agent or keeper is replaced. The test waits for a new keeper: if the agent died without
          // one, a folder would stay
          if (first === 'keeper') await until(() => hasEnded(harness) || isAnother(harness.findRun(), last), 'another keeper');
          for (const [runId, run] of await followRuns(harness, later_ms)) runs.set(runId, run);
        }
        killIfThere(-Number(harness.child.pid));
        await harness.ended;
        for (const run of runs.values()) assert.deepEqual(await lab.findLeftovers(run), [], `${first} killed`);
        for (const [trial, doneAt] of Object.entries(done)) assert.equal(listDone(lab)[trial], doneAt, `${trial} was repeated`);
      }
      if (!lab.listBundles().some(isPlanned)) return; // killed each time before it had a plan
      await resume(lab, listDone(lab));
    });
  }

  it('can\'t be gone on with when nothing was begun, or when the manifest has changed since', async () => {
    const lab = makeLab();
    const early = await lab.run(['--resume']);
    assert.equal(early.code, 2);
    assert.match(early.stderr, /^error: --resume: .+ has no run of profile quick to go on with; run without --resume\n$/);
    const harness = lab.start();
    await until(() => lab.findRunning(), 'a trial');
    harness.signal('SIGINT');
    await harness.ended;
    lab.writeManifest({ engines: ['ws'], repeats: 4 });
    const late = await lab.run(['--resume']);
    assert.equal(late.code, 2);
    const [spec, code, ...more] = late.stderr.trimEnd().split('\n');
    assert.match(spec, /^error: --resume: .+: another spec than it began with: phases\.repeats \(then 3, now 4\); .+ without --resume$/);
    assert.match(code, /^error: --resume: .+: another code than it began with: experiments\/01-tiny\/experiment\.toml \(changed\); .+$/);
    assert.deepEqual(more, []);
  });
});
