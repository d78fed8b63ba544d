/** Distributions from jStat, which has no types. test/unit/oracle.test.js checks them against scipy. */
// @ts-ignore: it declares none
import jstat from 'jstat';

const { binomial, normal, studentt } = /** @type {any} */ (jstat).jStat;

/** A cache: jStat finds a quantile by search, and a simulation needs the same one thousands of times. @type {Map<string, number>} */
const quantiles = new Map();

/** @param {number} degrees @param {number} level such as 0.95 @returns {number} the two-sided quantile: [-t, t] has this probability */
export function tQuantile(degrees, level) {
  const key = `${degrees} ${level}`;
  if (!quantiles.has(key)) quantiles.set(key, studentt.inv((1 + level) / 2, degrees));
  return Number(quantiles.get(key));
}

/** @param {number} t @param {number} degrees @returns {number} the two-sided p-value */
export const tBeyond = (t, degrees) => (Number.isFinite(t) ? 2 * studentt.cdf(-Math.abs(t), degrees) : 0);

/** @param {number} count @param {number} n @param {number} share @returns {number} the probability of at most `count` of n */
export const binomialAtMost = (count, n, share) => (count < 0 ? 0 : count >= n ? 1 : binomial.cdf(count, n, share));

/** @param {number} count @param {number} n @param {number} share @returns {number} the probability of at least `count` of n */
export const binomialAtLeast = (count, n, share) => 1 - binomialAtMost(count - 1, n, share);

/** @param {number} probability @returns {number} */
export const normalQuantile = (probability) => normal.inv(probability, 0, 1);

/** From here on the asymptotic series are accurate to 1e-12. */
const ASYMPTOTIC = 15;

/** M. Abramowitz, I. A. Stegun, Handbook of Mathematical Functions, 6.3.5 and 6.3.18. @param {number} x above 0 @returns {number} */
export function digamma(x) {
  if (x < ASYMPTOTIC) return digamma(x + 1) - 1 / x;
  const y = 1 / x ** 2;
  return Math.log(x) - 1 / (2 * x) - y * (1 / 12 - y * (1 / 120 - y * (1 / 252 - y / 240)));
}

/** The same, 6.4.6 and 6.4.12. @param {number} x above 0 @returns {number} */
export function trigamma(x) {
  if (x < ASYMPTOTIC) return trigamma(x + 1) + 1 / x ** 2;
  const y = 1 / x ** 2;
  return 1 / x + y / 2 + (y / x) * (1 / 6 - y * (1 / 30 - y * (1 / 42 - y / 30)));
}
