import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { readTsv, writeJson, writeTsv } from '../../harness/common/files.js';
import { writeClientMetrics } from '../../harness/run/client-config.js';
import {
  describeCapture, describeGenerators, describeVerdicts, judgeAgreement, summariseVerdicts, tabulateResult, wrapText,
} from '../../report/summary.js';
import { describeRepeats } from '../../report/condition.js';
import { spellSettings } from '../../harness/common/setting.js';
import { digits, formatCell, formatDuration, formatInterval, formatTable } from '../../harness/common/format.js';

test('a value too small to measure is under the end of its interval, and unknown where that lies below 0', () => {
  assert.equal(formatCell({ mean: '3', low: '2', high: '4' }), '3 [2, 4]');
  assert.equal(formatCell({ mean: '0.5', low: '-1', high: '2' }), 'under 2');
  assert.equal(formatCell({ mean: '-4', low: '-5', high: '-3' }), '-');
});

test('numbers are shown with three significant digits', () => {
  assert.deepEqual([0.061234, 2.406, 12345, 0, 1].map(digits), ['0.0612', '2.41', '12300', '0', '1']);
  assert.equal(digits(null), '-');
});

test('an interval is shown with its mean, and said to be lacking where it is', () => {
  assert.equal(formatInterval({ mean: 2.4061, low: 2.33, high: 2.5249 }), '2.41 [2.33, 2.52]');
  assert.equal(formatInterval({ mean: 2.4061, low: null, high: null }), '2.41 [no interval]');
  assert.equal(formatInterval({ mean: null, low: null, high: null }), '-');
});

test('the printed result says at least before a saturation that the load did not reach', () => {
  const reduced = mkdtempSync(join(tmpdir(), 'report-test-'));
  after(() => rmSync(reduced, { recursive: true }));
  const rowOf = (/** @type {string} */ engine, /** @type {string} */ metric, /** @type {string} */ mean) =>
    ({ engine, workload: 'sweep', setting: '-', metric, n: '3', mean, low: '-', high: '-' });
  const rows = [['a', '0.333'], ['b', '0']].flatMap(([engine, share]) => [rowOf(engine, 'saturation_hz', '70000'), rowOf(engine, 'saturation_at_least', share)]);
  writeTsv(join(reduced, 'points.tsv'), Object.keys(rows[0]), rows);
  const engines = { a: { era: 'today' }, b: { era: 'today' } };
  const spec = { axes: { engine: ['a', 'b'], workload: ['sweep'] }, workloads: { sweep: { arrivals: { kind: 'constant', period_ms: 1 } } }, load: {}, engines };
  assert.deepEqual(tabulateResult(reduced, spec).rows.map((row) => row.at(-1)), ['at least 70000', '70000']);
});

/**
 * @param {[metric: string, mean: string][]} means of one engine @param {object} arrivals
 * @returns {{header: string[], rows: string[][]}}
 */
function tabulate(means, arrivals) {
  const reduced = mkdtempSync(join(tmpdir(), 'report-test-'));
  after(() => rmSync(reduced, { recursive: true }));
  const rows = means.map(([metric, mean]) => ({ engine: 'a', workload: 'sweep', setting: '-', metric, n: '3', mean, low: '-', high: '-' }));
  writeTsv(join(reduced, 'points.tsv'), Object.keys(rows[0]), rows);
  const axes = { engine: ['a'], workload: ['sweep'] };
  return tabulateResult(reduced, { axes, workloads: { sweep: { arrivals } }, load: {}, engines: { a: { era: 'today' } } });
}

test('for a sweep at shares of each server\'s saturation, the latency at saturation is printed, and no mean over the rates', () => {
  /** @type {[string, string][]} */
  const means = [['saturation_hz', '70000'], ['latency_p50_ms_at_100', '6.4'], ['latency_p99_ms_at_100', '9'], ['server_cpu_s_per_1k', '0.01'],
    ['latency_p50_ms', '1'], ['received_hz', '900'], ['connected_at_end', '400']];
  const kind = 'staircase';
  assert.deepEqual(tabulate(means, { kind, steps: [{ share: 0.5 }] }).header.slice(4), ['saturation, msg/s', 'p50 at saturation, ms', 'p99 at saturation, ms', 'connected']);
  assert.ok(tabulate(means, { kind, steps: [{ total_rate_hz: 50 }] }).header.includes('server CPU s/1,000'), 'where all get the same rates it is');
});

test('a trial writes the share of answers that never came; for a sweep the reduction does', () => {
  const folder = mkdtempSync(join(tmpdir(), 'report-test-'));
  after(() => rmSync(folder, { recursive: true }));
  writeJson(join(folder, 'summary.json'), { connections: { asked: 4 }, window: { received: 3996, missing: 4 } });
  const tell = (/** @type {string} */ kind) => {
    writeClientMetrics(folder, { kind }, 2);
    return readTsv(join(folder, 'metrics.tsv')).find(({ metric }) => metric === 'unanswered_share')?.value;
  };
  assert.deepEqual(['poisson', 'staircase'].map(tell), ['0.001', undefined]);
  writeJson(join(folder, 'summary.json'), { connections: { asked: 4 }, window: { due: 5000, sent: 4000, unsent_remote: 1000, received: 3996, missing: 4 } });
  assert.equal(tell('poisson'), '0.2008', 'what was not sent, because the server had lost the connection, was not answered');
});

test('what was never answered has a column where there is any', () => {
  const arrivals = { kind: 'constant', period_ms: 1 };
  const { header, rows } = tabulate([['received_hz', '900'], ['unanswered_share', '0.00098']], arrivals);
  assert.deepEqual([header.at(-1), rows[0].at(-1)], ['unanswered', '0.098 %']);
  assert.equal(tabulate([['received_hz', '900'], ['unanswered_share', '0']], arrivals).header.at(-1), 'msg/s');
});

test('columns are as wide as their widest cell, without blanks at the ends of lines', () => {
  assert.equal(formatTable(['a', 'long'], [['wide', '1'], ['b', '']]), 'a     long\nwide  1\nb');
});

test('the cost of the capture is reported only if an unflagged trial has it', () => {
  const points = [{ metric: 'capture_cpu_cores', mean: '0.02' }, { metric: 'capture_cpu_cores', mean: '0.031' }, { metric: 'other', mean: '9' }];
  assert.deepEqual(describeCapture(points), ['the capture itself used at most 0.031 of a core (mean of the point where it was most)']);
  assert.deepEqual(describeCapture(points.slice(2)), []);
});

test('durations are reported in the two largest units', () => {
  assert.deepEqual([0, 59.4, 59.6, 3599, 3600, 86_399, -5].map(formatDuration),
    ['0 s', '59 s', '1 min 00 s', '59 min 59 s', '1 h 00 min', '23 h 59 min', '0 s']);
});

test('verdicts are summed up in words, by claim, era and baseline', () => {
  const row = { claim: 'T4', era: '2014', workload: 'listed', setting: '-', metric: 'm', of: 'a', to: 'b', criterion: '>1', n: 6, low: 1.5, high: 2.5, p: 0.01 };
  assert.deepEqual(summariseVerdicts([
    { ...row, mean: 2, verdict: 'reproduced' },
    { ...row, workload: 'described', mean: 1.04567, verdict: 'inconclusive' },
    { ...row, era: 'today', mean: null, verdict: 'not run' },
    { ...row, claim: 'T6', to: '-', criterion: '<0.05', mean: 0.01, verdict: 'reproduced' },
  ]), [
    'T4 2014, m of a / b (criterion >1): 1.05 to 2, reproduced 1 of 2, inconclusive 1 of 2',
    'T4 today, m of a / b (criterion >1): not run',
    'T6 2014, m of a (criterion <0.05): 0.01, reproduced',
  ]);
});

test('if no claim can be judged, one line after the means says which, why, and what to do', () => {
  const row = { claim: 'T4', era: '2014', workload: 'listed', setting: '-', metric: 'm', of: 'a', to: 'b', criterion: '>1', low: null, high: null };
  const claim = { claim: 'T4', era: '2014', verdict: 'not run', rows: 1, words: { 'not run': 1 }, must_hold: 'all' };
  const say = (/** @type {any[]} */ rows) => describeVerdicts(rows, [/** @type {any} */ (claim)]);
  assert.equal(say([{ ...row, n: 0, mean: null, verdict: 'not run' }]), 'No claim is judged (T4): no trial stands that has a number of one.');
  assert.deepEqual(say([{ ...row, n: 1, mean: 2, verdict: 'inconclusive' }, { ...row, of: 'c', n: 0, mean: null, verdict: 'not run' }]).split('\n'), [
    'T4 2014, m of a / b (criterion >1): 2, inconclusive',
    'No claim is judged (T4): an interval takes three trials a point; run PROFILE=default or paper.',
  ]);
  assert.equal(say([]), 'This experiment judges no claim.');
  assert.match(say([{ ...row, n: 6, mean: 2, low: 1.5, high: 2.5, verdict: 'reproduced' }]), /^claim +era/m);
});

test('what is printed is broken between words on a terminal, and not at all into a file', () => {
  assert.equal(wrapText('one two three\n\nfour', 8), 'one two\nthree\n\nfour');
  assert.equal(wrapText('one two three', 0), 'one two three');
});

test('two generators agree on what a message costs the server where the interval of the ratio holds 1', () => {
  const words = [['6', '0.98', '1.01'], ['6', '1', '1.2'], ['6', '0.8', '1'], ['6', '1.001', '1.2'], ['6', '0.8', '0.999'], ['5', '-', '-'], ['0', '-', '-']]
    .map(([n, low, high]) => judgeAgreement({ n, low, high }));
  assert.deepEqual(words, ['agrees', 'agrees', 'agrees', 'differs', 'differs', 'no interval', 'not run']);
});

test('generators are reported in a sentence and a line for each engine and workload', () => {
  const row = { era: 'today', workload: 'listed', setting: 'generator=swarm', of: 'ws', to: 'ws', to_setting: '-', n: '6' };
  const reported = describeGenerators([
    { ...row, metric: 'server_cpu_s_per_1k', mean: '1.0123', low: '0.97', high: '1.05' },
    { ...row, metric: 'client_cpu_s_per_1k', mean: '0.1', low: '0.09', high: '0.11' },
    { ...row, metric: 'latency_p50_ms', mean: '0.3', low: '0.2', high: '0.4' },
    { ...row, metric: 'latency_p99_ms', n: '0', mean: '-', low: '-', high: '-' },
  ]);
  assert.match(reported, /^swarm \/ forked: .+ 95 % .+\nwhere the interval holds 1: agrees 1 of 1\. /);
  assert.deepEqual(reported.split('\n').slice(2).map((line) => line.split(/ {2,}/)), [
    ['workload', 'engine', 'setting', 'n', 'server CPU', 'client CPU', 'p50', 'p99'],
    ['listed', 'ws', '-', '6', '1.01 [0.97, 1.05]', 'agrees', '0.1 [0.09, 0.11]', '0.3 [0.2, 0.4]', '-'],
  ]);
});

test('two generators are reported by the name that the experiment gives its own', () => {
  const row = { era: 'today', workload: 'listed', setting: 'generator=swarm', of: 'ws', to: 'ws', to_setting: '-', n: '0', mean: '-', low: '-', high: '-' };
  const rows = ['server_cpu_s_per_1k', 'client_cpu_s_per_1k', 'latency_p50_ms', 'latency_p99_ms'].map((metric) => ({ ...row, metric }));
  assert.match(describeGenerators(rows, 'goroutines'), /^swarm \/ goroutines: /);
});

/** @param {string} engine @param {string} workload @param {string} setting @param {number} blocks @returns {Record<string, string>[]} */
const planned = (engine, workload, setting, blocks) =>
  spellSettings(Array.from({ length: blocks }, (_, index) => ({ engine, workload, setting, block: String(index + 1), point: '1' })));

test('trials per point are one number if all points have as many, and a repeated trial counts once', () => {
  assert.equal(describeRepeats([...planned('ws', 'listed', '-', 6), ...planned('ws', 'listed', '-', 1)]), '6 trials a point');
  assert.equal(describeRepeats(planned('ws', 'listed', '-', 1)), '1 trial a point');
});

test('where some points have fewer trials, the fewest and the most are reported', () => {
  const plan = [...planned('a', 'x', 'n=1', 6), ...planned('a', 'y', 'n=1', 2), ...planned('b', 'x', 'n=1', 3), ...planned('b', 'x', 'n=2', 3)];
  assert.equal(describeRepeats(plan), '2 to 6 trials a point');
});
