/**
 * The centre of repeated measurements and its confidence interval.
 *
 * Costs, rates and delays are positive and vary by factors. So the centre is the geometric mean, and the interval is
 * Student's t on the logarithms. If a value is 0 or less, we use the arithmetic mean and Student's t on the values. An
 * interval needs three values. docs/validation.md gives its coverage.
 */
import { mean as meanOf, variance } from 'd3-array';
import { tQuantile } from './distributions.js';

export const LEVEL = 0.95;
/** Fewer values give no interval. */
const FEWEST = 3;

/** @typedef {'log' | 'linear'} Scale */
/**
 * @typedef {object} Centre
 * @property {number} mean @property {number} [low] @property {number} [high] absent below three values
 * @property {number} [error] standard error of the mean, on the scale; absent below three values
 * @property {Scale} scale of the mean and the interval @property {number} degrees of freedom
 */

/**
 * @param {{mean: number, error: number, degrees: number}} estimate with its standard error @param {number} [level]
 * @returns {[low: number, high: number]} Student's t interval
 */
export function intervalOf({ mean, error, degrees }, level = LEVEL) {
  const half = tQuantile(degrees, level) * error;
  return [mean - half, mean + half];
}

/** @param {number[]} values @returns {{mean: number, error: number, degrees: number}} the arithmetic mean, with its standard error */
export const findMean = (values) => ({
  mean: Number(meanOf(values)),
  error: Math.sqrt(Number(variance(values)) / values.length),
  degrees: values.length - 1,
});

/** @param {number[]} values one per trial, or a ratio per block @param {number} [level] @returns {Centre} */
export function findCentre(values, level = LEVEL) {
  const scale = values.every((value) => value > 0) ? 'log' : 'linear';
  const [there, back] = scale === 'log' ? [Math.log, Math.exp] : [Number, Number];
  const found = findMean(values.map((value) => there(value)));
  const { degrees, error } = found;
  const mean = back(found.mean);
  if (values.length < FEWEST) return { mean, scale, degrees };
  const [low, high] = intervalOf(found, level).map(back);
  return { mean, low, high, error, scale, degrees };
}
