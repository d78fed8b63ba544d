/**
 * Variances of many groups with few values each. Three trials say little about the variance of one engine, and a pooled
 * variance is too low for the noisier engines. So each variance is shrunk towards a common prior, the more alike the
 * groups are, the further: G. K. Smyth, Linear models and empirical Bayes methods, Statistical Applications in Genetics
 * and Molecular Biology 3 (1), 2004, sections 6.1 and 6.2 (fitFDist in R's limma).
 */
import { mean, sum, variance as varianceOf } from 'd3-array';
import { bisect } from './curve.js';
import { digamma, trigamma } from './distributions.js';

/** @typedef {{variance: number, degrees: number}} Variance of a group, with its degrees of freedom; with 0 it says nothing */

/** Degrees of freedom of a variance known for certain. */
const CERTAIN = 1e6;
/** Floor for a variance, as a share of the pooled one: a variance of 0 has no logarithm. */
const LEAST_SHARE = 1e-5;

/** @param {number} value above 0 @returns {number} trigamma falls from infinity to 0 */
const inverseTrigamma = (value) => bisect([1e-9, 1e9], (x) => trigamma(x) <= value, 1e-14);

/**
 * @param {Variance[]} groups
 * @returns {Variance} their common prior; if they differ by no more than chance, the pooled variance with `CERTAIN` degrees
 */
export function findPrior(groups) {
  const known = groups.filter(({ degrees }) => degrees > 0);
  const pooled = sum(known, ({ variance, degrees }) => degrees * variance) / sum(known, ({ degrees }) => degrees) || 0;
  if (known.length < 2 || pooled <= 0) return { variance: pooled, degrees: CERTAIN };
  const logs = known.map(({ variance, degrees }) =>
    Math.log(Math.max(variance, LEAST_SHARE * pooled)) - digamma(degrees / 2) + Math.log(degrees / 2));
  const excess = Number(varianceOf(logs)) - Number(mean(known, ({ degrees }) => trigamma(degrees / 2)));
  if (excess <= 0) return { variance: pooled, degrees: CERTAIN };
  const half = inverseTrigamma(excess);
  return { variance: Math.exp(Number(mean(logs)) + digamma(half) - Math.log(half)), degrees: 2 * half };
}

/** @param {Variance} prior @param {Variance} group @returns {Variance} mean of the two, weighted by degrees of freedom */
export const drawTowards = (prior, { variance, degrees }) => ({
  variance: (prior.degrees * prior.variance + degrees * variance) / (prior.degrees + degrees),
  degrees: prior.degrees + degrees,
});

/** @param {Variance[]} groups @returns {Variance[]} each shrunk towards the prior, with at most the degrees of all groups together */
export function moderate(groups) {
  const prior = findPrior(groups);
  const most = sum(groups.filter(({ degrees }) => degrees > 0), ({ degrees }) => degrees);
  return groups.map((group) => {
    const { variance, degrees } = drawTowards(prior, group);
    return { variance, degrees: Math.min(degrees, most) };
  });
}
