/**
 * Runs of one record, hours apart: the variance within and between them, and predictions for a new run, with their
 * coverage.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addFitted, describeSurvival, fillErrors, findSurvivor, predictRuns } from '../../analysis/points/runs.js';
import { normalQuantile } from '../../analysis/statistics/distributions.js';
import { holdOut, poolRuns } from '../../analysis/statistics/prediction.js';
import { seededRandom } from '../../harness/common/random.js';

const random = seededRandom(20261126);
const draw = () => normalQuantile(random());

/** @param {number} count @param {{between: number, within: number}} sd @returns {{mean: number, error: number}[]} */
const simulate = (count, { between, within }) =>
  Array.from({ length: count }, () => ({ mean: between * draw() + within * draw(), error: within * Math.sqrt((0.5 + random())) }));

test('fewer than four runs give no prediction, but their spread within and between', () => {
  const pooled = poolRuns([{ mean: 1, error: 0.1 }, { mean: 3, error: 0.3 }]);
  assert.deepEqual(Object.keys(pooled), ['runs', 'mean', 'sd', 'within', 'between']);
  assert.ok(Math.abs(Number(pooled.within) ** 2 - 0.05) < 1e-12 && Math.abs(Number(pooled.between) ** 2 - (2 - 0.05)) < 1e-12);
  assert.deepEqual(holdOut([{ mean: 1 }, { mean: 2 }, { mean: 3 }]), []);
});

test('if a run has no error of its own, as with two trials, the spread within is unknown, and so is that between', () => {
  assert.deepEqual(Object.keys(poolRuns([{ mean: 1, error: 0.1 }, { mean: 3 }])), ['runs', 'mean', 'sd']);
});

test('runs that differ by less than their errors have nothing between them', () => {
  assert.equal(poolRuns([{ mean: 1, error: 1 }, { mean: 1.1, error: 1 }, { mean: 1.2, error: 1 }]).between, 0);
});

for (const [sd, most] of /** @type {[{between: number, within: number}, number][]} */ ([
  [{ between: 0.3, within: 0.03 }, 0.965], [{ between: 0.05, within: 0.05 }, 0.995], [{ between: 0, within: 0.05 }, 1],
])) {
  test(`a new run lies within the prediction of four or more in 95 of 100, between ${sd.between} and within ${sd.within}`, () => {
    const hits = Array.from({ length: 4000 }, () => {
      const [fresh, ...known] = simulate(5, sd);
      const { low = NaN, high = NaN } = poolRuns(known);
      return low <= fresh.mean && fresh.mean <= high;
    }).filter(Boolean).length / 4000;
    assert.ok(hits > 0.935 && hits <= most, String(hits));
  });
}

test('a held-out run lies within the prediction of the others in 95 of 100', () => {
  const held = Array.from({ length: 1500 }, () => holdOut(simulate(4, { between: 0.2, within: 0.02 }))).flat();
  const share = held.filter(Boolean).length / held.length;
  assert.ok(share > 0.93 && share < 0.97, String(share));
});

/**
 * @param {number} hour factor of the machine's speed @param {number} noise
 * @returns {Record<string, string>[]} rows of points.tsv
 */
const runOf = (hour, noise) => ['a', 'b', 'c'].flatMap((engine, index) => [
  ['server_cpu_s_per_1k', 0.01 * (index + 1) * hour], ['server_cpu_x_reference', index + 1.5], ['latency_p50_ms', 1],
].map(([metric, value]) => ({
  era: 'today', engine, workload: 'w', setting: '-', metric: String(metric), n: '3',
  mean: String(Number(value) * Math.exp(noise * draw())), low: '-', high: '-', scale: 'log', degrees: '2', error: String(noise),
})));

test('metrics that change from hour to hour are told from metrics that do not', () => {
  const runs = [1, 2, 1.4, 0.7, 1.1].map((hour) => runOf(hour, 0.02));
  const [absolute, multiple] = describeSurvival(runs);
  assert.deepEqual([absolute.metric, multiple.metric], ['server_cpu_s_per_1k', 'server_cpu_x_reference']);
  assert.ok(Number(absolute.between_sd) > 0.3 && Number(multiple.between_sd) < 0.05, `${absolute.between_sd} ${multiple.between_sd}`);
  assert.deepEqual([multiple.points, multiple.runs, multiple.held_out], [3, 5, 15]);
  const found = predictRuns(runs).find(({ metric, engine }) => metric === 'server_cpu_x_reference' && engine === 'b');
  const [low, high] = [Number(found?.low), Number(found?.high)];
  assert.ok(low < 2.5 && high > 2.5 && high / low < 1.4, JSON.stringify(found));
});

test('two runs give the spread between them, but no prediction', () => {
  const [found] = predictRuns([runOf(1, 0.01), runOf(2, 0.01)]);
  assert.deepEqual([found.runs, found.low, found.high], [2, '-', '-']);
  assert.ok(Number(found.between_sd) > 0.4);
});

test('a mean of two trials has an error from the trials of all runs of its point, and one of three its own', () => {
  const point = { era: 'today', engine: 'a', workload: 'w', setting: '-', metric: 'server_cpu_s_per_1k' };
  const trialsOf = (/** @type {number[]} */ logs) => logs.map((log) => ({ ...point, value: String(Math.exp(log)) }));
  const two = { ...point, n: '2', mean: '1', scale: '-', error: '-' };
  const three = { ...point, n: '3', mean: '1', scale: 'log', error: '0.5' };
  const [[first], [second], [other]] = fillErrors([
    { points: [two], trials: trialsOf([0, 0.2]) }, { points: [three], trials: trialsOf([-0.3, 0, 0.3]) },
    { points: [{ ...two, metric: 'latency_p50_ms' }], trials: [] },
  ]);
  const variance = (0.02 + 0.18) / (1 + 2); // squares about each run's mean, over the degrees of freedom
  assert.equal(first.scale, 'log');
  assert.ok(Math.abs(Number(first.error) - Math.sqrt(variance / 2)) < 1e-12, first.error);
  assert.deepEqual([second.error, other.error], ['0.5', '-']);
  const [found] = predictRuns(fillErrors([{ points: [two], trials: trialsOf([0, 0.2]) }, { points: [two], trials: [] }]));
  assert.ok(Math.abs(Number(found.within_sd) - 0.1) < 1e-6, JSON.stringify(found));
});

test("a cost at README's loads that a run lacks is that of its surface, and one that it has stays", () => {
  const point = { era: 'today', engine: 'a', workload: 'sweep', setting: '-' };
  const at = (/** @type {number} */ hz, is_usual = 'yes') =>
    ({ ...point, is_usual, total_rate_hz: String(hz), n: '2', us_per_message: '9', low: '8', high: '10', x_reference: hz === 1000 ? '-' : '3' });
  const own = { ...point, metric: 'server_cpu_us_at_5000_hz', n: '2', mean: '7', low: '-', high: '-', error: '-' };
  const points = addFitted({ points: [own], surface: [at(1000), at(5000), at(20_000), at(2000), at(20_000, 'no')] });
  assert.deepEqual(points.map(({ metric, mean, error }) => `${metric} ${mean} ${error}`), [
    'server_cpu_us_at_5000_hz 7 -', 'server_cpu_us_at_1000_hz 9 -', 'server_cpu_x_reference_at_5000_hz 3 -',
    'server_cpu_us_at_20000_hz 9 -', 'server_cpu_x_reference_at_20000_hz 3 -',
  ]);
});

test('a point of which no run has two trials has no spread within', () => {
  const point = { era: 'today', engine: 'a', workload: 'w', setting: '-', metric: 'server_cpu_s_per_1k', n: '1', mean: '1', scale: '-', error: '-' };
  const [[row]] = fillErrors([{ points: [point], trials: [{ ...point, value: '1' }] }]);
  assert.equal(row.error, '-');
});

test('the form of a cost that varies less from run to run survives, of those that have predictions', () => {
  const rowOf = (/** @type {string} */ metric, /** @type {string} */ sd, low = '1') => ({ engine: 'a', metric, runs: '4', sd, low, high: '2' });
  const rows = [rowOf('server_cpu_us_at_1000_hz', '0.05'), rowOf('server_cpu_x_reference_at_1000_hz', '0.1')];
  const found = findSurvivor(rows);
  assert.deepEqual([found?.form, found?.runs, found?.sd.us.toFixed(3), found?.sd.x_reference.toFixed(3)], ['us', 4, '0.050', '0.100']);
  const other = [rows[0], rowOf('server_cpu_x_reference_at_1000_hz', '0.02')];
  assert.equal(findSurvivor(other)?.form, 'x_reference');
  assert.equal(findSurvivor([...rows, rowOf('server_cpu_us_at_5000_hz', '9', '-')])?.form, 'us', 'what is not predicted does not count');
  assert.equal(findSurvivor([rows[0]]), undefined, 'one form alone');
  assert.equal(findSurvivor([]), undefined);
});
