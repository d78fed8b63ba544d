/** Stops a sweep's clients for a while, as a busy host may. The step must be flagged, and left out of its trial. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { readSweep } from '../../analysis/trials/bundle.js';
import { readJson, readTsv } from '../../harness/common/files.js';
import { findMarked } from '../../harness/agent/marked.js';
import { Lab, installWs, sleep, until } from './lab.js';

before(installWs);

/** The clients are stopped in the second step. On a busy machine the stop may last into the third. */
const STEPS = 'kind = "staircase", step_s = 3, lead_s = 1, steps = [{ total_rate_hz = 100 }, { total_rate_hz = 200 }, { total_rate_hz = 100 }, { total_rate_hz = 100 }, { total_rate_hz = 100 }]';
const STOPPED_MS = 1500;

for (const generator of ['forked', 'swarm']) {
  const lab = new Lab({ repeats: 1, arrivals: STEPS, hold_s: 15, drain_s: 1, load: `client_processes = 1, generator = "${generator}"` });
  after(() => lab.remove());

  test(`a step of a sweep in which the clients (${generator}) were stopped is flagged, and is in no percentile of its trial`, { timeout: 120_000 }, async () => {
    const path = join(lab.experiments, '01-tiny', 'experiment.toml');
    // Not lower: on a busy machine some messages are late
    writeFileSync(path, readFileSync(path, 'utf8').replace('late_share_max = 1', 'late_share_max = 0.3'));
    const harness = lab.start();
    const run = await until(() => harness.findRun(), 'a run');
    const trial = await until(() => lab.findRunning(), 'a trial');
    await until(() => lab.readMarks(run, trial).includes('step_2_from'), 'the second step');
    const clients = findMarked(run.runId).filter(({ side }) => side === 'client');
    assert.ok(clients.length > 0);
    clients.forEach(({ pid }) => process.kill(pid, 'SIGSTOP'));
    await sleep(STOPPED_MS);
    clients.forEach(({ pid }) => process.kill(pid, 'SIGCONT'));
    const { code, stdout, stderr } = await harness.ended;

    assert.equal(code, 0, stdout + stderr);
    const flagged = readTsv(lab.inTrial(trial, 'validity.tsv')).filter(({ severity }) => severity === 'step 2').map(({ rule }) => rule);
    assert.ok(flagged.includes('late-sends'), readFileSync(lab.inTrial(trial, 'raw/client/intervals.tsv'), 'utf8'));
    assert.match(readFileSync(join(lab.listBundles()[0], 'summary.txt'), 'utf8'), /left out of their trials: late-sends \(bound 0\.3\): step 2 \(200 msg\/s\)/);
    const reduced = join(lab.listBundles()[0], 'reduced');
    assert.deepEqual(readTsv(join(reduced, 'steps.tsv')).filter(({ step }) => step === '2'), []);
    const [planned] = readTsv(join(lab.listBundles()[0], 'plan.tsv'));
    const { percentiles } = readSweep(lab.inTrial(trial), planned);
    const window = Number(percentiles.find(({ series, percentile }) => series === 'latency' && percentile === 50)?.samples);
    const all = readJson(lab.inTrial(trial, 'raw/client/summary.json')).window.received;
    assert.ok(window < 0.75 * all, `${window} samples of ${all}: half of them are of the step that was stopped`);
    assert.deepEqual(await lab.findLeftovers(run), []);
  });
}
