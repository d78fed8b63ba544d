/** A chart before its layout: panels of series, made from an entry and its tables. */
import { GUIDE } from './looks.js';
import { tellRange } from './words.js';

/** @typedef {import('./looks.js').Look} Look */
/** @typedef {import('./axes.js').AxisRequest} AxisRequest */
/** @typedef {{x: number, y: number, x_low?: number, x_high?: number, y_low?: number, y_high?: number}} Mark a row of gnuplot's data */
/** @typedef {'band' | 'box' | 'tick' | 'line' | 'thin' | 'step' | 'across' | 'upright' | 'mark'} Layer how a series is drawn */
/** @typedef {{look: Look, words: string, marks: Mark[], layers: Layer[]}} Series `words`: its name in the text */
/**
 * @typedef {{lines: string[], height: number, indent: number, isHeading: boolean, at: number}} Label of a row, centred
 *   on its marks, `at` so far from the panel's top
 */
/**
 * @typedef {{along: 'x' | 'y', at: number, from?: number, to?: number}} Guide a reference line at a value of the axis
 *   `along`; `from` and `to` limit it along the other axis
 */
/** @typedef {{from: number, to: number, along: 'x' | 'y'}} Ground */
/**
 * @typedef {object} Panel
 * @property {string} head
 * @property {string} [note] below its head
 * @property {AxisRequest} x
 * @property {AxisRequest} y
 * @property {Label[]} [labels] of rows, if it has rows instead of a y axis
 * @property {boolean} [isUnlabelled] it shares the rows of the panel to its left
 * @property {number} height
 * @property {Series[]} series
 * @property {Guide[]} [guides]
 * @property {Ground[]} [grounds]
 * @property {{at: number, words: string}[]} [numbers] at its right, by place along y
 * @property {string} [picture] path of an inset PNG
 */
/** @typedef {{words: string, look: Look, layers: Layer[]}} KeyEntry */
/**
 * @typedef {{panels: (Panel | undefined)[], columns?: number, key: KeyEntry[], caption: string[], text: string[]}} Chart `columns`: all
 *   panels side by side unless told; `text`: the lines of its text form
 */

/** @import { Entry, PanelEntry } from './entries.js' */
/** @import { Source } from './source.js' */
/** @typedef {(entry: Entry, source: Source) => Chart | undefined} Kind undefined if there is nothing to draw */

/** @param {number} low @param {number} high @param {number} y @param {number} half of its height @returns {Mark} a box */
export const makeBox = (low, high, y, half) => ({ x: low, y, x_low: low, x_high: high, y_low: y - half, y_high: y + half });

/** @param {PanelEntry[]} panels @returns {KeyEntry[]} entries for their criteria */
export const keyCriteria = (panels) =>
  [...new Set(panels.flatMap(({ criterion_words: words = '' }) => words || []))].map((words) => ({ words, look: GUIDE, layers: ['line'] }));

/**
 * A mean is geometric if all trials are above 0 (analysis/statistics/intervals.js). A mean or lower end of 0 or less is arithmetic.
 * @param {Record<string, string | undefined>[]} rows @returns {string}
 */
function nameMeans(rows) {
  const isLinear = (/** @type {Record<string, string | undefined>} */ { scale, mean, low }) => scale === 'linear' || Number(mean) <= 0 || Number(low) <= 0;
  if (!rows.some(isLinear)) return 'Geometric means';
  return rows.every(isLinear) ? 'Means' : 'Geometric means, or means where a trial is 0 or less,';
}

/** @param {Record<string, string | undefined>[]} rows @returns {string} the meaning of dots and whiskers, and the number of trials */
export function sayMeans(rows) {
  const counts = rows.map(({ n }) => Number(n)).filter((n) => n > 0);
  if (counts.length === 0) return '';
  const most = Math.max(...counts);
  if (most === 1) return 'One trial each.';
  const none = Math.min(...counts) < 3 ? ' (none below 3 trials)' : '';
  return `${nameMeans(rows)} of ${tellRange(counts)} trials${most < 3 ? '' : `; whiskers: 95 % intervals${none}`}.`;
}
