/** Repeated runs of one record, hours or days apart: pooled.tsv and survives.tsv. */
import { group, sum, variance } from 'd3-array';
import { cellOf } from '../digits.js';
import { holdOut, poolRuns } from '../statistics/prediction.js';
import { rootMeanSquare } from '../statistics/spread.js';
import { isCost } from './multiples.js';
import { POINT, nameOfPoint, pointOf } from './points.js';

/** @typedef {Record<string, string>} Row */
/** @typedef {{row: Row, measured: import('../statistics/prediction.js').Measured[]}} Repeated a metric of a point, on logarithms */

/**
 * `sd`: standard deviation of the logarithm of a run's mean; `within_sd` and `between_sd`: its parts. `low` and `high`: prediction interval
 * for a new run's mean.
 */
export const POOLED_COLUMNS = [...POINT, 'metric', 'runs', 'mean', 'sd', 'within_sd', 'between_sd', 'low', 'high'];
/** `held_out`: points predicted from their other runs; `covered`: how many lie within the prediction. */
export const SURVIVAL_COLUMNS = ['metric', 'points', 'runs', 'sd', 'within_sd', 'between_sd', 'held_out', 'covered', 'coverage'];

const keyOf = (/** @type {Row} */ row) => `${nameOfPoint(row)}\t${row.metric}`;

/** @param {Row[][]} runs the trials of each @returns {Map<string, number>} by point and metric, the variance of its logarithm */
function poolVariances(runs) {
  const parts = runs.flatMap((trials) => {
    const costs = trials.filter(({ metric, value }) => isCost(metric) && Number(value) > 0);
    return [...group(costs, keyOf)].map(([key, rows]) => {
      const degrees = rows.length - 1;
      return { key, degrees, squares: degrees * Number(variance(rows, ({ value }) => Math.log(Number(value))) ?? 0) };
    });
  });
  const pooled = [...group(parts, ({ key }) => key)].map(([key, own]) => /** @type {[string, number]} */ ([
    key, sum(own, ({ squares }) => squares) / sum(own, ({ degrees }) => degrees)]));
  return new Map(pooled.filter(([, found]) => Number.isFinite(found)));
}

/**
 * A mean of fewer than three trials has no error of its own: it gets one from the spread of trials within all runs of its point.
 * @param {{points: Row[], trials: Row[]}[]} runs @returns {Row[][]} their points
 */
export function fillErrors(runs) {
  const variances = poolVariances(runs.map(({ trials }) => trials));
  return runs.map(({ points }) => points.map((row) => {
    const within = variances.get(keyOf(row));
    return row.error === '-' && within !== undefined ? { ...row, scale: 'log', error: String(Math.sqrt(within / Number(row.n))) } : row;
  }));
}

/**
 * A cost at README's loads that a run lacks, because one of its trials or all have no step there, is that of its fitted surface. It has no
 * error, so what is predicted of such a load is where a new run's fit will lie.
 * @param {{points: Row[], surface: Row[]}} run @returns {Row[]} its points
 */
export function addFitted({ points, surface }) {
  const known = new Set(points.map(keyOf));
  const usual = surface.filter(({ is_usual, total_rate_hz }) => is_usual === 'yes' && RATES_HZ.includes(Number(total_rate_hz)));
  const fitted = usual.flatMap((row) => /** @type {const} */ (['us', 'x_reference']).map((form) => {
    const mean = form === 'us' ? row.us_per_message : row.x_reference;
    return { ...row, metric: metricAt(form, Number(row.total_rate_hz)), mean, low: '-', high: '-', error: '-' };
  }));
  return [...points, ...fitted.filter((row) => row.mean !== '-' && !known.has(keyOf(row)))];
}

/** @param {Row} row of points.tsv @returns {import('../statistics/prediction.js').Measured} */
const measuredBy = ({ mean: value, error, scale }) =>
  ({ mean: Math.log(Number(value)), ...(scale === 'log' && error !== '-' && { error: Number(error) }) });

/** @param {Row[][]} runs the points of each @returns {Repeated[]} costs that at least two runs have */
function listRepeated(runs) {
  const costs = runs.flat().filter(({ metric, mean: value }) => isCost(metric) && Number(value) > 0);
  const points = [...group(costs, keyOf).values()];
  return points.filter((rows) => rows.length > 1).map((rows) => ({ row: rows[0], measured: rows.map(measuredBy) }));
}

/** @param {Row[][]} runs the points of each @returns {Record<string, string | number>[]} of pooled.tsv */
export const predictRuns = (runs) => listRepeated(runs).map(({ row, measured }) => {
  const { runs: count, mean: centre, sd, within, between, low, high } = poolRuns(measured);
  const cell = (/** @type {number | undefined} */ log) => cellOf(log === undefined ? log : Math.exp(log));
  const parts = { sd: cellOf(sd), within_sd: cellOf(within), between_sd: cellOf(between) };
  return { ...pointOf(row), metric: row.metric, runs: count, mean: cell(centre), ...parts, low: cell(low), high: cell(high) };
});

/** Loads at which CPU time and its multiple are compared: those of README's table. */
export const RATES_HZ = [1000, 5000, 20000];
/** @typedef {'us' | 'x_reference'} Form of a cost */

/** @param {Form} form @param {number} total_rate_hz @returns {string} its metric */
export const metricAt = (form, total_rate_hz) => `server_cpu_${form}_at_${total_rate_hz}_hz`;

/**
 * Which form of a cost outlives its hour: the one whose runs vary less, over all points that have predictions of both at these loads.
 * Chosen before the runs that decide it were read.
 * @param {Row[]} predictions of pooled.tsv
 * @returns {{form: Form, runs: number, sd: Record<Form, number>} | undefined} `sd`: of the logarithm of a
 *   run's mean; undefined if nothing is predicted
 */
export function findSurvivor(predictions) {
  const predicted = new Map(predictions.filter(({ low }) => low !== '-').map((row) => [keyOf(row), row]));
  const pairs = [...predicted.values()].flatMap((row) => RATES_HZ.flatMap((rate) => {
    const multiple = predicted.get(`${nameOfPoint(row)}\t${metricAt('x_reference', rate)}`);
    return row.metric === metricAt('us', rate) && multiple ? [[row, multiple]] : [];
  }));
  if (pairs.length === 0) return undefined;
  const [times, multiples] = [0, 1].map((index) => pairs.map((pair) => pair[index]));
  const sdOf = (/** @type {Row[]} */ rows) => rootMeanSquare(rows.map(({ sd }) => Number(sd)));
  const sd = { us: sdOf(times), x_reference: sdOf(multiples) };
  return { form: sd.us <= sd.x_reference ? 'us' : 'x_reference', runs: Math.max(...times.map(({ runs }) => Number(runs))), sd };
}

/**
 * Tells which metrics hold from one hour to another. All points of a run share an hour, so they are not independent tests of the coverage.
 * @param {Row[][]} runs the points of each @returns {Record<string, string | number>[]} of survives.tsv
 */
export function describeSurvival(runs) {
  return [...group(listRepeated(runs), ({ row }) => row.metric)].map(([metric, repeated]) => {
    const pooled = repeated.map(({ measured }) => poolRuns(measured));
    const [withins, betweens] = /** @type {const} */ (['within', 'between']).map((part) => pooled.flatMap((each) => each[part] ?? []));
    const held = repeated.flatMap(({ measured }) => holdOut(measured));
    const covered = sum(held, Number);
    return {
      metric, points: repeated.length, runs: Math.max(...pooled.map((each) => each.runs)),
      sd: cellOf(rootMeanSquare(pooled.map((each) => each.sd))),
      within_sd: cellOf(withins.length ? rootMeanSquare(withins) : undefined),
      between_sd: cellOf(betweens.length ? rootMeanSquare(betweens) : undefined),
      held_out: held.length, covered, coverage: cellOf(held.length ? covered / held.length : undefined, 3),
    };
  });
}
