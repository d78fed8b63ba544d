/** For each second of a point, the median over its trials of each process's CPU and of the connections. */
import { group, median } from 'd3-array';
import { digitsOf } from '../digits.js';

/** @typedef {Record<string, string>} Row */

const LINE = ['era', 'engine', 'workload', 'setting', 'side', 'process', 'quantity'];
export const LOAD_COLUMNS = [...LINE, 't_s', 'n', 'median', 'least', 'most'];

/**
 * @param {Row[]} series
 * @returns {Record<string, string | number>[]} in whole seconds, rounded: top's screens fall at a fraction of one that differs by trial
 */
export function computeLoad(series) {
  const lines = group(series, (row) => LINE.map((column) => row[column]).join('\t'), ({ t_s }) => Math.trunc(Number(t_s) + 0.5));
  return [...lines.values()].flatMap((seconds) => [...seconds].sort(([a], [b]) => a - b).map(([t_s, rows]) => {
    const values = rows.map(({ value }) => Number(value));
    const [middle, least, most] = [Number(median(values)), Math.min(...values), Math.max(...values)].map((each) => digitsOf(each));
    return { ...Object.fromEntries(LINE.map((column) => [column, rows[0][column]])), t_s, n: values.length, median: middle, least, most };
  }));
}
