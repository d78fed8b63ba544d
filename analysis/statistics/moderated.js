/**
 * The variance of each of many groups that have few values each: three trials say little about one engine's, and one
 * variance for all is untrue of those that are noisier. So a group's own variance is moderated towards what all have
 * in common, by as much as the groups are alike: G. K. Smyth, Linear models and empirical Bayes methods, Statistical
 * Applications in Genetics and Molecular Biology 3 (1), 2004, sections 6.1 and 6.2 (the fitFDist of R's limma).
 */
import { mean, sum, variance as varianceOf } from 'd3-array';
import { digamma, trigamma } from './distributions.js';

/** @typedef {{variance: number, degrees: number}} Variance of a group, with its degrees of freedom; without any it says nothing */

/** Degrees of freedom of what is known for certain. */
export const CERTAIN = 1e6;
/** Of the mean: a variance below it has no logarithm to speak of. */
const LEAST_SHARE = 1e-5;

/** @param {number} value above 0 @returns {number} by bisection of the logarithm: trigamma falls from infinity to 0 */
function inverseTrigamma(value) {
  let [low, high] = [1e-9, 1e9];
  while (high / low > 1 + 1e-14) {
    const middle = Math.sqrt(low * high);
    if (trigamma(middle) > value) low = middle;
    else high = middle;
  }
  return low;
}

/**
 * @param {Variance[]} groups
 * @returns {Variance} what they have in common. Where the variances differ by no more than chance makes them, it is their mean, for certain
 */
export function findPrior(groups) {
  const known = groups.filter(({ degrees }) => degrees > 0);
  const pooled = sum(known, ({ variance, degrees }) => degrees * variance) / sum(known, ({ degrees }) => degrees) || 0;
  if (known.length < 2 || pooled <= 0) return { variance: pooled, degrees: CERTAIN };
  const logs = known.map(
    ({ variance, degrees }) => Math.log(Math.max(variance, LEAST_SHARE * pooled)) - digamma(degrees / 2) + Math.log(degrees / 2),
  );
  const excess = Number(varianceOf(logs)) - Number(mean(known, ({ degrees }) => trigamma(degrees / 2)));
  if (excess <= 0) return { variance: pooled, degrees: CERTAIN };
  const half = inverseTrigamma(excess);
  return { variance: Math.exp(Number(mean(logs)) + digamma(half) - Math.log(half)), degrees: 2 * half };
}

/**
 * @param {Variance} prior @param {Variance} group @returns {Variance} the group's, by what it knows itself and by what all have in common
 */
export const drawTowards = (prior, { variance, degrees }) => ({
  variance: (prior.degrees * prior.variance + degrees * variance) / (prior.degrees + degrees),
  degrees: prior.degrees + degrees,
});

/** @param {Variance[]} groups @returns {Variance[]} each moderated; no group has more degrees than all had together */
export function moderate(groups) {
  const prior = findPrior(groups);
  const most = sum(
    groups.filter(({ degrees }) => degrees > 0),
    ({ degrees }) => degrees,
  );
  return groups.map((group) => {
    const { variance, degrees } = drawTowards(prior, group);
    return { variance, degrees: Math.min(degrees, most) };
  });
}
