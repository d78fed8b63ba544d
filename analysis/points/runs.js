/** Repeated runs of one record, hours or days apart: predictions.tsv and survives.tsv. */
import { group, mean, sum } from 'd3-array';
import { cellOf } from '../digits.js';
import { holdOut, poolRuns } from '../statistics/prediction.js';
import { isCost } from './multiples.js';
import { POINT, nameOfPoint, pointOf } from './points.js';

/** @typedef {Record<string, string>} Row */
/** @typedef {{row: Row, measured: import('../statistics/prediction.js').Measured[]}} Repeated a metric of a point, on logarithms */

/** `*_sd`: standard deviations of the logarithm of a run's mean. `low` and `high`: prediction interval for a new run's mean. */
export const PREDICTION_COLUMNS = [...POINT, 'metric', 'runs', 'mean', 'within_sd', 'between_sd', 'low', 'high'];
/** `held_out`: points predicted from their other runs; `covered`: how many lie within the prediction. */
export const SURVIVAL_COLUMNS = ['metric', 'points', 'runs', 'within_sd', 'between_sd', 'held_out', 'covered', 'coverage'];

/** @param {Row} row of points.tsv @returns {import('../statistics/prediction.js').Measured} */
const measuredBy = ({ mean: value, error, scale }) =>
  ({ mean: Math.log(Number(value)), ...(scale === 'log' && error !== '-' && { error: Number(error) }) });

/** @param {Row[][]} runs the points of each @returns {Repeated[]} costs that at least two runs have */
function listRepeated(runs) {
  const costs = runs.flat().filter(({ metric, mean: value }) => isCost(metric) && Number(value) > 0);
  const points = [...group(costs, (row) => `${nameOfPoint(row)}\t${row.metric}`).values()];
  return points.filter((rows) => rows.length > 1).map((rows) => ({ row: rows[0], measured: rows.map(measuredBy) }));
}

/** @param {Row[][]} runs the points of each @returns {Record<string, string | number>[]} of predictions.tsv */
export const predictRuns = (runs) => listRepeated(runs).map(({ row, measured }) => {
  const { runs: count, mean: centre, within, between, low, high } = poolRuns(measured);
  const cell = (/** @type {number | undefined} */ log) => cellOf(log === undefined ? log : Math.exp(log));
  const parts = { within_sd: cellOf(within), between_sd: cellOf(between) };
  return { ...pointOf(row), metric: row.metric, runs: count, mean: cell(centre), ...parts, low: cell(low), high: cell(high) };
});

/** @param {number[]} values */
const rootMeanSquare = (values) => Math.sqrt(Number(mean(values, (value) => value ** 2)));

/**
 * Tells which metrics hold from one hour to another. All points of a run share an hour, so they are not independent tests of the coverage.
 * @param {Row[][]} runs the points of each @returns {Record<string, string | number>[]} of survives.tsv
 */
export function describeSurvival(runs) {
  return [...group(listRepeated(runs), ({ row }) => row.metric)].map(([metric, repeated]) => {
    const pooled = repeated.map(({ measured }) => poolRuns(measured));
    const withins = pooled.flatMap(({ within }) => within ?? []);
    const held = repeated.flatMap(({ measured }) => holdOut(measured));
    const covered = sum(held, Number);
    return {
      metric, points: repeated.length, runs: Math.max(...pooled.map((each) => each.runs)),
      within_sd: cellOf(withins.length ? rootMeanSquare(withins) : undefined),
      between_sd: cellOf(rootMeanSquare(pooled.map(({ between }) => between))),
      held_out: held.length, covered, coverage: cellOf(held.length ? covered / held.length : undefined, 3),
    };
  });
}
