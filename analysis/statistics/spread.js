/** Means and spread of values, and the bootstrap for statistics of them. */
import { deviation, mean, quantile } from 'd3-array';
import { LEVEL } from './intervals.js';

const RESAMPLES = 2000;

/** @param {number[]} values at least one */
export const meanOf = (values) => Number(mean(values));

/** @param {number[]} values at least one, above 0 */
export const geometricMean = (values) => Math.exp(meanOf(values.map(Math.log)));

/** @param {number[]} values two or more @returns {number} the standard deviation of a sample */
export const deviationOf = (values) => Number(deviation(values));

/** @param {number[]} values two or more @returns {number} coefficient of variation, from the population standard deviation */
export const variationOf = (values) =>
  (deviationOf(values) * Math.sqrt((values.length - 1) / values.length)) / meanOf(values);

/** @param {number[]} values */
export const rootMeanSquare = (values) => Math.sqrt(meanOf(values.map((value) => value ** 2)));

/**
 * The bootstrap: B. Efron, R. J. Tibshirani, An Introduction to the Bootstrap, 6.2 (standard error) and 13.3 (percentile interval).
 * @template T
 * @param {T[]} values whole trials or blocks @param {(drawn: T[]) => number} statistic @param {() => number} random uniform in [0, 1)
 * @returns {{low: number, high: number, error: number}}
 */
export function bootstrap(values, statistic, random) {
  const draw = () => values.map(() => values[Math.floor(random() * values.length)]);
  const found = Array.from({ length: RESAMPLES }, () => statistic(draw()));
  const [low, high] = [(1 - LEVEL) / 2, (1 + LEVEL) / 2].map((share) => Number(quantile(found, share)));
  return { low, high, error: deviationOf(found) };
}
