import assert from 'node:assert/strict';
import { test } from 'node:test';
import { medianInterval } from '../../analysis/statistics/order-statistics.js';
import { NORMAL, resample, residualsByScore, residualsTogether, simulateCoverage, simulatePower, studentInterval } from '../../analysis/statistics/coverage.js';
import { seededRandom } from '../../harness/common/random.js';

/** @param {number[][]} groups @returns {number[]} residuals in units of their own group's spread */
const residualsBySelf = (groups) => groups.flatMap((values) => residualsTogether([values]));

/** @param {number} share @param {number} expected */
const assertNear = (share, expected) => assert.ok(Math.abs(share - expected) < 0.012, `${share}, not ${expected}`);

test('Student\'s interval holds the mean of a normal population in 95 of 100 samples, the order statistics of six its median in 31 of 32', () => {
  const random = seededRandom(1);
  assertNear(simulateCoverage(NORMAL, 3, 10_000, random).student, 0.95);
  assertNear(Number(simulateCoverage(NORMAL, 6, 10_000, random).order), 31 / 32);
  assert.equal(simulateCoverage(NORMAL, 5, 10, random).order, undefined);
});

test('a population for which the interval is wrong is found', () => {
  const skewed = resample('one in twenty is far off', [...Array(19).fill(0), 100]);
  assert.ok(simulateCoverage(skewed, 6, 2000, seededRandom(2)).student < 0.5);
});

// scipy.stats.nct.sf(scipy.stats.t.ppf(0.975, 11), 11, 0.917 * sqrt(12)) is 0.824
test('an effect is decided as often as the noncentral t distribution says', () => {
  assertNear(simulatePower(NORMAL, 0.917, 12, 10_000, seededRandom(3)).student, 0.824);
  assertNear(simulatePower(NORMAL, 0, 12, 10_000, seededRandom(4)).student, 0.025);
});

test('residuals have a variance of 1 in their units', () => {
  const groups = [[1, 2, 3], [10, 20, 30]];
  const variance = (/** @type {number[]} */ values) => values.reduce((sum, value) => sum + value ** 2, 0) / values.length;
  assert.ok(Math.abs(variance(residualsBySelf(groups)) - 1) < 1e-9);
  assert.ok(Math.abs(variance(residualsTogether(groups)) - 1) < 1e-9);
  assert.ok(resample('tails', residualsTogether(groups)).kurtosis > resample('none', residualsBySelf(groups)).kurtosis);
});

test('three values are the fewest for Student\'s interval, six for that of order statistics', () => {
  assert.deepEqual(studentInterval([1, 2, 3])?.map((end) => end.toFixed(3)), ['-0.484', '4.484']);
  assert.deepEqual([medianInterval([1, 2, 3, 4, 5]), medianInterval([1, 2, 3, 4, 5, 6])], [undefined, [1, 6]]);
});

test('residuals of four normal values in units of their own spread are cut short, and coverage with them; their normal scores are not', () => {
  const random = seededRandom(5);
  const groups = Array.from({ length: 4000 }, () => Array.from({ length: 4 }, () => NORMAL.draw(random)));
  const [cut, scores] = [residualsBySelf(groups), residualsByScore(groups)].map((residuals) => resample('of normal values', residuals));
  assert.ok(Math.max(...residualsBySelf(groups).map(Math.abs)) < Math.sqrt(3)); // for n values, sqrt(n - 1)
  assert.ok(Math.abs(cut.kurtosis + 1.2) < 0.1, String(cut.kurtosis)); // of a uniform distribution
  assert.ok(simulateCoverage(cut, 3, 10_000, random).student < 0.93);
  assertNear(simulateCoverage(scores, 3, 10_000, random).student, 0.95);
  assertNear(simulateCoverage(scores, 4, 10_000, random).student, 0.95);
});

test('normal scores show tails that are there', () => {
  const random = seededRandom(6);
  const drawCauchy = () => NORMAL.draw(random) / Math.abs(NORMAL.draw(random));
  const heavy = Array.from({ length: 4000 }, () => Array.from({ length: 6 }, drawCauchy));
  assert.ok(resample('heavy', residualsByScore(heavy)).kurtosis > 0.5);
});
