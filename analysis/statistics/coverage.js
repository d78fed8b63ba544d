/** Simulates how often an interval covers the truth (coverage), and how often it decides a claim (power). All values are logarithms. */
import { median as medianOf } from 'd3-array';
import { normalQuantile, tBeyond } from './distributions.js';
import { findMean, intervalOf } from './intervals.js';
import { medianInterval } from './order-statistics.js';
import { deviationOf, meanOf } from './spread.js';

/** @typedef {(random: () => number) => number} Draw */
/** @typedef {{name: string, size: number, kurtosis: number, mean: number, median: number, draw: Draw}} Population */
/** @typedef {(sorted: number[]) => [number, number] | undefined} Interval */

/** Student's t interval of the mean. @type {Interval} */
export const studentInterval = (values) => intervalOf(findMean(values));

/**
 * A residual in units of its own group's spread is bounded, because it contributes to that spread: four normal values give uniformly
 * distributed residuals within 1.73 (W. R. Thompson, On a criterion for the rejection of observations, Annals of Mathematical Statistics 6,
 * 1935). Samples of such residuals have lighter tails than the measured values, whatever those are. So each residual is replaced by its
 * normal score: the normal quantile of its probability among residuals of a normal group of that size. Normal values give normal scores;
 * other values show as such.
 * @param {number[][]} groups each one point's values, three or more @returns {number[]} normal scores of the residuals
 */
export const residualsByScore = (groups) => groups.flatMap((values) => {
  const [n, spread] = [values.length, deviationOf(values)];
  return residualsOf(values).map((residual) => normalScore(residual / spread, n));
});

/** Largest score: no larger one is expected among so many values. */
const SCORE_MAX = 6;

/** @param {number} residual in units of its group's spread @param {number} n of the group @returns {number} */
function normalScore(residual, n) {
  const most = n - 1;
  const t = Math.abs(residual) * Math.sqrt((n - 2) / Math.max(1e-12, most - residual ** 2));
  return Math.sign(residual) * Math.min(SCORE_MAX, -normalQuantile(tBeyond(t, n - 2) / 2));
}

/**
 * @param {number[][]} groups of one metric
 * @returns {number[]} residuals in units of the pooled standard deviation of all groups; unequal spreads give heavy tails
 */
export function residualsTogether(groups) {
  const together = Math.sqrt(meanOf(groups.map((values) => deviationOf(values) ** 2)));
  return groups.flatMap((values) => residualsOf(values).map((each) => each / together));
}

/** Residuals from the sample mean are too small by sqrt((n - 1) / n), which is corrected. @param {number[]} values */
function residualsOf(values) {
  const mean = meanOf(values);
  return values.map((value) => (value - mean) * Math.sqrt(values.length / (values.length - 1)));
}

/** @param {string} name @param {number[]} residuals @returns {Population} to draw from with replacement */
export function resample(name, residuals) {
  const sorted = [...residuals].sort((a, b) => a - b);
  const mean = meanOf(sorted);
  const square = meanOf(sorted.map((each) => (each - mean) ** 2));
  const kurtosis = meanOf(sorted.map((each) => (each - mean) ** 4)) / square ** 2 - 3;
  const draw = (/** @type {() => number} */ random) => sorted[Math.floor(random() * sorted.length)];
  return { name, size: sorted.length, kurtosis, mean, median: Number(medianOf(sorted)), draw };
}

/** @type {Population} G. E. P. Box, M. E. Muller, A note on the generation of random normal deviates */
export const NORMAL = {
  name: 'normal', size: Infinity, kurtosis: 0, mean: 0, median: 0,
  draw: (random) => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random()),
};

/**
 * @param {Population} population @param {number} n @param {number} draws @param {() => number} random
 * @param {(interval: ReturnType<Interval>, truth: number) => boolean} isCounted
 * @returns {{student: number, order: number | undefined}} the share of samples with a counted interval: Student's t of the mean, and order
 *   statistics of the median
 */
function simulate({ draw, mean, median }, n, draws, random, isCounted) {
  const counts = { student: 0, order: 0 };
  for (let i = 0; i < draws; i++) {
    const sorted = Array.from({ length: n }, () => draw(random)).sort((a, b) => a - b);
    if (isCounted(studentInterval(sorted), mean)) counts.student++;
    if (isCounted(medianInterval(sorted), median)) counts.order++;
  }
  return { student: counts.student / draws, order: medianInterval(Array(n).fill(0)) && counts.order / draws };
}

/** Rate of covering the truth. @param {Population} population @param {number} n @param {number} draws @param {() => number} random */
export const simulateCoverage = (population, n, draws, random) => simulate(population, n, draws, random,
  (interval, truth) => interval !== undefined && interval[0] <= truth && truth <= interval[1]);

/**
 * Share of intervals that lie entirely above the criterion.
 * @param {Population} population @param {number} effect how far above the criterion the truth lies, in units of the standard deviation
 * @param {number} n @param {number} draws @param {() => number} random
 */
export const simulatePower = (population, effect, n, draws, random) => simulate(population, n, draws, random,
  (interval, truth) => Number(interval?.[0]) - truth + effect > 0);
