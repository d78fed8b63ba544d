/** Means and spread of values, and the bootstrap for statistics of them. */
import { deviation, mean } from 'd3-array';

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
 * Standard error by the bootstrap: B. Efron, R. J. Tibshirani, An Introduction to the Bootstrap, 6.2. Draws of n values spread less than
 * the values by sqrt((n - 1) / n), which is made good. With few values their percentiles would cover too little (six: 87 % for 95 %), so
 * an interval is Student's t of this error.
 * @template T
 * @param {T[]} values two or more whole trials or blocks @param {(drawn: T[]) => number} statistic
 * @param {() => number} random uniform in [0, 1) @returns {number}
 */
export function bootstrapError(values, statistic, random) {
  const draw = () => values.map(() => values[Math.floor(random() * values.length)]);
  const found = Array.from({ length: RESAMPLES }, () => statistic(draw()));
  return deviationOf(found) * Math.sqrt(values.length / (values.length - 1));
}
