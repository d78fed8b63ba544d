/**
 * Repeated runs, hours or days apart: the variance within and between them, and a prediction interval for a new run.
 *
 * Random effects: the true value of a run is a normal draw around a centre, and the run measures it with its own standard error. The
 * variance between runs is the variance of their means minus their mean squared error, or 0 if this is negative (L. V. Hedges, I. Olkin,
 * Statistical Methods for Meta-Analysis, 1985, section 9.C). The prediction interval is of the measured mean of a new run, so it includes
 * the new run's own error: the k means and the new one are k + 1 equally distributed draws, whose variance is that of the k means, and
 * t has k - 1 degrees (G. J. Hahn, W. Q. Meeker, Statistical Intervals, 1991, section 4.7).
 */
import { mean as meanOf, variance } from 'd3-array';
import { tQuantile } from './distributions.js';
import { LEVEL } from './intervals.js';

/** Fewer runs give no prediction. */
export const FEWEST_RUNS = 4;

/** @typedef {{mean: number, error?: number}} Measured mean of one run, with its standard error if known */
/**
 * @typedef {{runs: number, mean: number, sd: number, within?: number, between?: number, low?: number, high?: number}} Pooled `sd`: of the
 *   runs' means; `within`: root mean square of their errors; `between`: standard deviation of their true values, known where all errors
 *   are; `low` and `high`: prediction, from enough runs
 */

/** @param {Measured[]} measured two runs or more @param {{level?: number, fewest?: number}} [options] @returns {Pooled} */
export function poolRuns(measured, { level = LEVEL, fewest = FEWEST_RUNS } = {}) {
  const runs = measured.length;
  const mean = Number(meanOf(measured, (run) => run.mean));
  const isKnown = measured.every(({ error }) => error !== undefined);
  const within2 = Number(meanOf(measured, ({ error = 0 }) => error ** 2));
  const total2 = Number(variance(measured, (run) => run.mean));
  const parts = isKnown && { within: Math.sqrt(within2), between: Math.sqrt(Math.max(0, total2 - within2)) };
  const pooled = { runs, mean, sd: Math.sqrt(total2), ...parts };
  if (runs < fewest) return pooled;
  const half = tQuantile(runs - 1, level) * Math.sqrt(total2 * (1 + 1 / runs));
  return { ...pooled, low: mean - half, high: mean + half };
}

/**
 * @param {Measured[]} measured @returns {boolean[]} for each run, whether the prediction from the others holds it; empty for too few runs
 */
export function holdOut(measured) {
  if (measured.length < FEWEST_RUNS) return [];
  return measured.map((run, index) => {
    const { low = NaN, high = NaN } = poolRuns(measured.toSpliced(index, 1), { fewest: FEWEST_RUNS - 1 });
    return low <= run.mean && run.mean <= high;
  });
}
