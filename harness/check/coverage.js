/** How often an interval holds the truth, and how often it decides, by simulation. All values are logarithms. */
import { deviation, mean as centreOf, median as medianOf } from 'd3-array';
import { normalQuantile, tBeyond } from '../../analysis/statistics/distributions.js';
import { findMean, intervalOf } from '../../analysis/statistics/intervals.js';
import { medianInterval } from '../../analysis/statistics/order-statistics.js';

/** @typedef {(random: () => number) => number} Draw */
/** @typedef {{name: string, size: number, kurtosis: number, mean: number, median: number, draw: Draw}} Population */
/** @typedef {(sorted: number[]) => [number, number] | undefined} Interval */

/** @param {number[]} values */
export const meanOf = (values) => Number(centreOf(values));

/** @param {number[]} values @returns {number} the standard deviation of a sample */
export const deviationOf = (values) => Number(deviation(values));

/** Of values on their scale. @type {Interval} */
export const studentInterval = (values) => intervalOf(findMean(values));

/**
 * @param {number[][]} groups of values of one point each @returns {number[]} what is left of each value, in units of its group's own spread
 */
export const residualsBySelf = (groups) => groups.flatMap((values) => residualsOf(values).map((each) => each / deviationOf(values)));

/**
 * A residual in units of its own group's spread, to which it has itself contributed, is cut short: four normal values give evenly spread
 * ones, none beyond 1.73 (W. R. Thompson, On a criterion for the rejection of observations, Annals of Mathematical Statistics 6, 1935).
 * What is drawn from them has lighter tails than what was measured, whatever that was. Put to the quantile of the normal distribution at
 * which it lies among those of a normal group of its size, it is normal where the values are, and where they are not it shows.
 * @param {number[][]} groups of values of one point each, three or more @returns {number[]} normal scores of what is left of each value
 */
export const residualsByScore = (groups) => groups.flatMap((values) => {
  const [n, spread] = [values.length, deviationOf(values)];
  return residualsOf(values).map((residual) => normalScore(residual / spread, n));
});

/** So far out a score is put at most: of so many values there is none beyond. */
const SCORE_MAX = 6;

/** @param {number} residual in units of its group's spread @param {number} n of the group @returns {number} */
function normalScore(residual, n) {
  const most = n - 1;
  const t = Math.abs(residual) * Math.sqrt((n - 2) / Math.max(1e-12, most - residual ** 2));
  return Math.sign(residual) * Math.min(SCORE_MAX, -normalQuantile(tBeyond(t, n - 2) / 2));
}

/**
 * @param {number[][]} groups of one metric
 * @returns {number[]} the same, in units of the spread of all groups: uneven spreads make heavy tails
 */
export function residualsTogether(groups) {
  const together = Math.sqrt(meanOf(groups.map((values) => deviationOf(values) ** 2)));
  return groups.flatMap((values) => residualsOf(values).map((each) => each / together));
}

/** What is left of n values beside their mean is too small by the root of (n - 1) / n. @param {number[]} values */
function residualsOf(values) {
  const mean = meanOf(values);
  return values.map((value) => (value - mean) * Math.sqrt(values.length / (values.length - 1)));
}

/** @param {string} name @param {number[]} residuals @returns {Population} from which values are drawn with replacement */
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
 * @returns {{student: number, order: number | undefined}} the share of samples whose interval is counted: Student's, which is of the mean,
 *   and that of order statistics, of the median
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

/** Of intervals that hold the truth. @param {Population} population @param {number} n @param {number} draws @param {() => number} random */
export const simulateCoverage = (population, n, draws, random) => simulate(population, n, draws, random,
  (interval, truth) => interval !== undefined && interval[0] <= truth && truth <= interval[1]);

/**
 * Of intervals that lie wholly above the criterion.
 * @param {Population} population @param {number} effect how far above the criterion the truth lies, in units of the standard deviation
 * @param {number} n @param {number} draws @param {() => number} random
 */
export const simulatePower = (population, effect, n, draws, random) => simulate(population, n, draws, random,
  (interval, truth) => Number(interval?.[0]) - truth + effect > 0);
