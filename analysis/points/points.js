/** The mean of each metric over the trials of a point, with its interval. */
import { group } from 'd3-array';
import { cellOf } from '../digits.js';
import { isOfSetting } from '../../harness/common/setting.js';
import { findCentre } from '../statistics/intervals.js';

/** @typedef {Record<string, string>} Row */

export const POINT = ['era', 'engine', 'workload', 'setting'];
/** `error`: standard error of the mean, for scale "log" of its logarithm. */
export const POINT_COLUMNS = [...POINT, 'metric', 'n', 'mean', 'low', 'high', 'scale', 'degrees', 'error'];

/** @param {Row} row @returns {string} key of its point */
export const nameOfPoint = (row) => POINT.map((column) => row[column]).join('\t');

/** @param {Row} row @returns {Row} its point alone, with a column for each setting */
export const pointOf = (row) =>
  Object.fromEntries(Object.entries(row).filter(([column]) => POINT.includes(column) || isOfSetting(column)));

/**
 * @param {number[]} values @param {string[]} names of the columns for mean, low, high and error, or for the first of these
 * @param {number} [level] of the interval @returns {Record<string, string>} "-" if there are no values
 */
export function centreCells(values, names, level) {
  const { mean, low, high, error } = values.length ? findCentre(values, level) : {};
  return Object.fromEntries(names.map((name, index) => [name, cellOf([mean, low, high, error][index])]));
}

/** @param {import('../statistics/intervals.js').Centre} centre @returns {Record<string, string | number>} cells of a table */
export function describeCentre({ mean, low, high, scale, degrees, error }) {
  const ofInterval = error === undefined ? { scale: '-', degrees: '-' } : { scale, degrees };
  return { mean: cellOf(mean), low: cellOf(low), high: cellOf(high), ...ofInterval, error: cellOf(error) };
}

/**
 * Leaves out a metric that some trials of the point lack (a percentile with too few samples, a cost without an answer):
 * the other trials would be a selection.
 * @param {Row[]} trials of trials.tsv @returns {Record<string, string | number>[]} of points.tsv, with intervals at 95 %
 */
export function computePoints(trials) {
  const standing = group(trials, nameOfPoint, ({ trial }) => trial);
  const byMetric = group(trials, (row) => `${nameOfPoint(row)}\t${row.metric}`);
  const whole = [...byMetric.values()].filter((rows) => rows.length >= Number(standing.get(nameOfPoint(rows[0]))?.size));
  return whole.map((rows) => {
    const centre = findCentre(rows.map(({ value }) => Number(value)));
    return { ...pointOf(rows[0]), metric: rows[0].metric, n: rows.length, ...describeCentre(centre) };
  });
}
