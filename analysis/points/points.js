/** The mean of each metric over the trials of a point, with its interval. */
import { group } from 'd3-array';
import { cellOf } from '../digits.js';
import { findCentre } from '../statistics/intervals.js';

/** @typedef {Record<string, string>} Row */

export const POINT = ['era', 'engine', 'workload', 'setting'];
export const POINT_COLUMNS = [...POINT, 'metric', 'n', 'mean', 'low', 'high'];

/** @param {Row} row @returns {string} what tells its point from the others */
export const nameOfPoint = (row) => POINT.map((column) => row[column]).join('\t');

/**
 * A metric that some trials of the point lack (a percentile with too few samples behind it, a cost without an answer)
 * is left out: what is left would be a selection.
 * @param {Row[]} trials of trials.tsv
 * @param {number} [level]
 * @returns {Record<string, string | number>[]} of points.tsv
 */
export function computePoints(trials, level) {
  const standing = group(trials, nameOfPoint, ({ trial }) => trial);
  const byMetric = group(trials, (row) => `${nameOfPoint(row)}\t${row.metric}`);
  return [...byMetric.values()]
    .filter((rows) => rows.length >= Number(standing.get(nameOfPoint(rows[0]))?.size))
    .map((rows) => {
      const { era, engine, workload, setting, metric } = rows[0];
      const { mean, low, high } = findCentre(
        rows.map(({ value }) => Number(value)),
        level,
      );
      return { era, engine, workload, setting, metric, n: rows.length, mean: cellOf(mean), low: cellOf(low), high: cellOf(high) };
    });
}
