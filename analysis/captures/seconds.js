/** Rows of intervals.tsv, in which a client has a line a second. */

/** @typedef {Record<string, string>} Row */

/** @param {{from_s: number, to_s: number}} span @returns {(row: Row) => boolean} is the second in it? */
export const isIn = ({ from_s, to_s }) => ({ t_s }) => Number(t_s) >= from_s && Number(t_s) < to_s;

/**
 * @param {Row[]} rows @param {string} column @param {number} [absent] what stands for a column that a generator does not write
 * @returns {number} NaN where a cell is no number: no rule passes that
 */
export const sumOf = (rows, column, absent) => rows.reduce((total, row) => total + Number(row[column] ?? absent), 0);
