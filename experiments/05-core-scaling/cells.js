/** Cells of a table for the centre of repeated values. */
import { cellOf } from '../../analysis/digits.js';
import { findCentre } from '../../analysis/statistics/intervals.js';

/**
 * @param {number[]} values @param {number} level @param {string[]} names of mean, low, high and error, or of the first of these
 * @returns {Record<string, string>} "-" where there are no values
 */
export function centreCells(values, level, names) {
  const { mean, low, high, error } = values.length ? findCentre(values, level) : {};
  return Object.fromEntries(names.map((name, index) => [name, cellOf([mean, low, high, error][index])]));
}
