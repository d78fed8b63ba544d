/** Rows of intervals.tsv, one for each second of a client. */

/** @typedef {Record<string, string>} Row */

/** @param {{from_s: number, to_s: number}} span @returns {(row: Row) => boolean} is the second in it? */
export const isIn = ({ from_s, to_s }) => ({ t_s }) => Number(t_s) >= from_s && Number(t_s) < to_s;

/**
 * @param {Row[]} rows @param {string} column @param {number} [absent] value of a column that a generator does not write
 * @returns {number} NaN if a cell is no number; then no rule passes
 */
export const sumOf = (rows, column, absent) => rows.reduce((total, row) => total + Number(row[column] ?? absent), 0);
