import assert from 'node:assert/strict';
import { test } from 'node:test';
import { errorOf, fitNonNegative } from '../../analysis/statistics/least-squares.js';
import { distanceFound } from '../../analysis/statistics/tests.js';

test('the error of a sum of parameters has their covariance', () => {
  const fit = { covariance: [[4, 1], [1, 9]] };
  assert.equal(errorOf(fit, [1, 0]), 2);
  assert.equal(errorOf(fit, [1, 1]), Math.sqrt(15));
  assert.equal(errorOf(fit, [1, -1]), Math.sqrt(11));
});

test('a column that would be negative is left out of a fit without negative values', () => {
  const x = [[1, 0], [1, 1], [1, 2]];
  const [rising, falling] = [[1, 3, 5], [5, 3, 1]].map((y) => fitNonNegative(x, y));
  assert.deepEqual(rising?.values.map((value) => Number(value.toFixed(9))), [1, 2]);
  assert.deepEqual(falling?.values.map((value) => Number(value.toFixed(9))), [3, 0]);
  assert.equal(Number(falling?.squares.toFixed(9)), 8);
  assert.equal(fitNonNegative([[1], [1]], [-1, -1]), undefined);
});

// scipy.stats.t.ppf(0.975, 10) is 2.228139, scipy.stats.t.ppf(0.8, 10) is 0.879058
test('four of five repetitions find a mean that lies by both quantiles of Student from the bound, one of five by their difference', () => {
  const known = { error: 2, degrees: 10 };
  assert.ok(Math.abs(distanceFound(known, 0.05, 0.8) - 2 * (2.228139 + 0.879058)) < 1e-5);
  assert.ok(Math.abs(distanceFound(known, 0.05, 0.2) - 2 * (2.228139 - 0.879058)) < 1e-5);
  assert.equal(distanceFound(known, 0.05, 0.5).toFixed(4), (2 * 2.228139).toFixed(4));
});
