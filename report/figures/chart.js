/** What a kind of chart makes of an entry and its tables: panels of series, before anything has its place. */
import { GUIDE } from './looks.js';

/** @typedef {import('./looks.js').Look} Look */
/** @typedef {import('./axes.js').AxisRequest} AxisRequest */
/**
 * @typedef {object} Mark a row of the finished table
 * @property {number} x
 * @property {number} y
 * @property {number} [x_low]
 * @property {number} [x_high]
 * @property {number} [y_low]
 * @property {number} [y_high]
 */
/**
 * @typedef {'band' | 'box' | 'tick' | 'line' | 'thin' | 'step' | 'across' | 'upright' | 'mark'} Layer what of a
 *   series is drawn
 */
/**
 * @typedef {{look: Look, words: string, marks: Mark[], layers: Layer[], isHollow?: boolean}} Series `words`: its name
 *   in the text
 */
/**
 * @typedef {{lines: string[], height: number, indent: number, isHeading: boolean}} Label of a row: its middle is
 *   where its marks are
 */
/**
 * @typedef {{along: 'x' | 'y', at: number, from?: number, to?: number}} Guide a line to read the others against, along y
 *   from where to where along the other axis
 */
/** @typedef {{from: number, to: number, along: 'x' | 'y'}} Ground */
/**
 * @typedef {object} Panel
 * @property {string} head
 * @property {string} [note] below its head
 * @property {AxisRequest} x
 * @property {AxisRequest} y
 * @property {Label[]} [labels] of rows, where it has rows rather than an axis
 * @property {boolean} [isUnlabelled] the rows are those of the panel at its left
 * @property {number} height
 * @property {Series[]} series
 * @property {Guide[]} [guides]
 * @property {Ground[]} [grounds]
 * @property {{at: number, words: string}[]} [numbers] at its right, by place along y
 * @property {string} [picture] a path of a PNG, set in
 */
/** @typedef {{words: string, look: Look, layers: Layer[]}} KeyEntry */
/**
 * @typedef {{panels: (Panel | undefined)[], columns: number, key: KeyEntry[], caption: string[], text: string[]}}
 *   Chart `text`: the lines of its text form
 */

/** @typedef {import('./entries.js').Entry} Entry */
/** @typedef {import('./source.js').Source} Source */
/** @typedef {(entry: Entry, source: Source) => Chart | undefined} Kind undefined where there is nothing to draw */

/** Of an axis that rows stand along. */
export const ROWS = { title: '' };

/**
 * @param {Record<string, string>[]} rows @param {string} column
 * @returns {string[]} what it holds, each once, in order
 */
export const distinct = (rows, column) => [...new Set(rows.map((row) => row[column]))];

/** @param {import('./entries.js').PanelEntry[]} panels @returns {KeyEntry[]} what their criteria are */
export const keyCriteria = (panels) =>
  [...new Set(panels.flatMap(({ criterion_words: words = '' }) => words || []))].map((words) => ({ words, look: GUIDE, layers: ['line'] }));

/** @param {number} least @param {number} most @returns {string} such as "3 to 20" */
export const range = (least, most) => (least === most ? String(most) : `${least} to ${most}`);

/**
 * A mean is geometric where all trials are above 0 (analysis/statistics/intervals.js): an interval that is not tells of one that is not.
 * @param {Record<string, string | undefined>[]} rows @returns {string}
 */
function nameMeans(rows) {
  const isLinear = (/** @type {Record<string, string | undefined>} */ { scale, mean, low }) => scale === 'linear' || Number(mean) <= 0 || Number(low) <= 0;
  if (!rows.some(isLinear)) return 'Geometric means';
  return rows.every(isLinear) ? 'Means' : 'Geometric means, or means where a trial is 0 or less,';
}

/**
 * @param {{n?: string, mean?: string, low?: string, scale?: string}[]} rows
 * @returns {string} what dots and lines stand for, over how many trials
 */
export function sayMeans(rows) {
  const counts = rows.map(({ n }) => Number(n)).filter((n) => n > 0);
  if (counts.length === 0) return '';
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  const none = least < 3 ? ' (none below 3 trials)' : '';
  return `${nameMeans(rows)} of ${range(least, most)} trial${most === 1 ? '' : 's'}${most < 3 ? '' : `; whiskers: 95 % intervals${none}`}.`;
}
