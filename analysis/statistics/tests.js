/** Student's t tests of means that are known by their standard error and its degrees of freedom. */
import { tBeyond, tQuantile } from './distributions.js';
import { LEVEL } from './intervals.js';

/** @param {number} off distance of a mean from a bound @param {{error: number, degrees: number}} its @returns {number} two-sided p-value */
export function probabilityOf(off, { error, degrees }) {
  if (off === 0) return 1;
  return error === 0 ? 0 : tBeyond(Math.abs(off) / error, degrees);
}

/**
 * We assume that a mean over its standard error follows Student's t around its true value. With ten degrees of freedom or more, the
 * noncentral t is close to this.
 * @param {{error: number, degrees: number}} its @param {number} p highest p-value that counts @param {number} share of repetitions
 * @returns {number} true distance from the bound that so many repetitions would find: an effect with this power
 */
export function distanceFound({ error, degrees }, p, share) {
  const beyond = Math.sign(share - 0.5) * tQuantile(degrees, Math.abs(2 * share - 1));
  return error * (tQuantile(degrees, 1 - p) + beyond);
}

/**
 * @typedef {{mean: number, error2: number, degrees: number, together: number}} Mean `error2`: squared standard error; `together`: degrees
 *   of freedom of all means that were estimated together
 */

/**
 * B. L. Welch, The generalization of "Student's" problem, Biometrika 34, 1947; whole degrees of freedom, rounded down. Means that were
 * estimated together share residuals, so their difference has no more degrees than all of them.
 * @param {Mean} a @param {Mean} b @returns {boolean} is a significantly below b?
 */
export function isBelow(a, b) {
  if (Math.min(a.degrees, b.degrees) <= 0) return false; // their spread is not known
  const difference = b.mean - a.mean;
  const error2 = a.error2 + b.error2;
  const welch = error2 > 0 ? error2 ** 2 / (a.error2 ** 2 / a.degrees + b.error2 ** 2 / b.degrees) : 1;
  const degrees = Math.floor(Math.min(welch, a.together, b.together));
  return difference > 0 && difference > tQuantile(degrees, LEVEL) * Math.sqrt(error2);
}
