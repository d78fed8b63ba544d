/** Medians over the trials of a point, second by second: CPU of processes or threads, connections, and other samples. */
import { group, median } from 'd3-array';
import { digitsOf } from '../digits.js';

/** @typedef {Record<string, string>} Row */

const LINE = ['era', 'engine', 'workload', 'setting', 'side', 'process', 'thread', 'quantity'];
export const THREAD_COLUMNS = [...LINE, 't_s', 'n', 'median', 'least', 'most'];
export const LOAD_COLUMNS = THREAD_COLUMNS.filter((column) => column !== 'thread');

/**
 * @param {Row[]} series
 * @returns {Record<string, string | number>[]} by rounded seconds: top samples at a fraction of a second, another in each trial
 */
export function computeLoad(series) {
  const lines = group(series, (row) => LINE.map((column) => row[column]).join('\t'), ({ t_s }) => Math.trunc(Number(t_s) + 0.5));
  return [...lines.values()].flatMap((seconds) => [...seconds].sort(([a], [b]) => a - b).map(([t_s, rows]) => {
    const values = rows.map(({ value }) => Number(value));
    const [middle, least, most] = [Number(median(values)), Math.min(...values), Math.max(...values)].map((each) => digitsOf(each));
    return { ...Object.fromEntries(LINE.map((column) => [column, rows[0][column]])), t_s, n: values.length, median: middle, least, most };
  }));
}
