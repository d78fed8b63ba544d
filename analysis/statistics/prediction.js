/**
 * Runs of one thing, hours or days apart: what varies within a run and between runs, and where a new run will lie.
 *
 * Random effects: the truth of a run is a normal draw around a centre, and the run measures it with its own standard error. The
 * variance between runs is that of their means less the mean of their squared errors, or 0 where that is less (L. V. Hedges, I. Olkin,
 * Statistical Methods for Meta-Analysis, 1985, section 9.C). The prediction interval is that of J. P. T. Higgins, S. G. Thompson and
 * D. J. Spiegelhalter (J. R. Statist. Soc. A 172, 2009, formula 12) with runs of equal weight, for what a new run will measure, its own
 * error included. So the means of k runs and the new one are k + 1 draws alike, and t has k - 1 degrees.
 */
import { mean as meanOf, variance } from 'd3-array';
import { tQuantile } from './distributions.js';
import { LEVEL } from './intervals.js';

/** Of fewer runs nothing is predicted. */
export const FEWEST_RUNS = 4;

/** @typedef {{mean: number, error?: number}} Measured by a run, with its standard error where that is known */
/**
 * @typedef {{runs: number, mean: number, within?: number, between: number, low?: number, high?: number}} Pooled `within`: root of the mean
 *   squared error of a run; `between`: standard deviation of their truths; `low` and `high`: prediction, from enough runs
 */

/** @param {Measured[]} measured two runs or more @param {{level?: number, fewest?: number}} [options] @returns {Pooled} */
export function poolRuns(measured, { level = LEVEL, fewest = FEWEST_RUNS } = {}) {
  const runs = measured.length;
  const mean = Number(meanOf(measured, (run) => run.mean));
  const isKnown = measured.every(({ error }) => error !== undefined);
  const within2 = isKnown ? Number(meanOf(measured, ({ error = 0 }) => error ** 2)) : 0;
  const between2 = Math.max(0, Number(variance(measured, (run) => run.mean)) - within2);
  const pooled = { runs, mean, ...(isKnown && { within: Math.sqrt(within2) }), between: Math.sqrt(between2) };
  if (runs < fewest) return pooled;
  const half = tQuantile(runs - 1, level) * Math.sqrt((between2 + within2) * (1 + 1 / runs));
  return { ...pooled, low: mean - half, high: mean + half };
}

/**
 * @param {Measured[]} measured @returns {boolean[]} of each run: does it lie within what the others predict? none where these are too few
 */
export function holdOut(measured) {
  if (measured.length < FEWEST_RUNS) return [];
  return measured.map((run, index) => {
    const { low = NaN, high = NaN } = poolRuns(measured.toSpliced(index, 1), { fewest: FEWEST_RUNS - 1 });
    return low <= run.mean && run.mean <= high;
  });
}
