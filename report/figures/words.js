/** Words and numbers of a figure, and their widths. */
import { group } from '../../harness/common/format.js';
import { wrapWords } from '../../harness/common/prose.js';

/** Characters of DejaVu Sans by their width, in thousandths of its size. All others are as wide as a digit. */
const BY_WIDTH = {
  250: 'ijl',
  290: "'|",
  318: ' .,:;',
  337: '/\\',
  390: '()[]',
  392: 'tf',
  361: '-',
  411: 'r',
  401: '!',
  460: '"',
  521: 's',
  525: 'z',
  550: 'c',
  592: 'vxy',
  613: 'ae',
  560: 'LFT',
  603: 'PEIJ',
  975: 'm',
  818: 'w',
  684: 'ABCKSVXYZ',
  770: 'DGHNOQRU',
  863: 'M',
  989: 'W',
  950: '%',
  838: '+=<>×≥≤',
};
const WIDTHS = new Map(Object.entries(BY_WIDTH).flatMap(([width, characters]) =>
  [...characters].map((each) => /** @type {const} */ ([each, Number(width)]))));
const DIGIT = 636;
/** Width of bold relative to regular. */
const BOLD = 1.12;

/** @typedef {{size: number, isBold?: boolean}} Face */

/** @type {Record<'small' | 'bold' | 'title', Face>} printed 16 cm wide, the smallest has 7 points */
export const FACES = { small: { size: 10 }, bold: { size: 10, isBold: true }, title: { size: 12.5, isBold: true } };

/** @param {string} text @param {Face} [face] @returns {number} units */
export function widthOf(text, { size, isBold } = FACES.small) {
  const thousandths = [...text].reduce((sum, character) => sum + (WIDTHS.get(character) ?? DIGIT), 0);
  return (thousandths / 1000) * size * (isBold ? BOLD : 1);
}

/** @param {string} text @param {number} width units @param {Face} [face] @returns {string[]} lines, broken between words */
export const wrap = (text, width, face = FACES.small) => wrapWords(text.replaceAll(/\s+/g, ' '), width, (line) => widthOf(line, face));

/** @param {string[][]} rows @returns {string[]} columns aligned: the first at its left, numbers at their right */
export function alignCells(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  const align = (/** @type {string} */ cell, /** @type {number} */ column) =>
    (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column]));
  return rows.map((row) => row.map(align).join('  ').trimEnd());
}

/** @param {number} x @returns {string} about three significant digits, integers in full: "0.00312", "4.10", "12.3", "25,643" */
export function formatNumber(x) {
  if (!Number.isFinite(x)) return '-';
  if (x === 0) return '0';
  const size = Math.abs(x);
  if (size >= 100) return group(x.toFixed(0));
  if (size >= 1) return x.toFixed(size >= 10 ? 1 : 2);
  return x.toPrecision(size >= 1e-4 ? 3 : 2);
}

/** @param {number} x of an axis @returns {string} the shortest exact form: "0.5", "2,500", "25 k", "1 M" */
export function formatTick(x) {
  if (Math.abs(x) >= 1e6) return `${group(String(Number((x / 1e6).toPrecision(6))))} M`;
  if (Math.abs(x) >= 1e4 && x % 100 === 0) return `${x / 1e3} k`;
  return group(String(Number(x.toPrecision(6))));
}

/** @param {number[]} values @param {(value: number) => string} [format] @returns {string} such as "9" or "1.5 to 9"; '' for none */
export function tellRange(values, format = String) {
  return values.length ? [...new Set([Math.min(...values), Math.max(...values)].map((end) => format(end)))].join(' to ') : '';
}

/** @param {number} b bytes @returns {string} such as "64 KiB" */
export function formatBytes(b) {
  const [unit, words] = b >= 1 << 20 ? [1 << 20, 'MiB'] : b >= 1 << 10 ? [1 << 10, 'KiB'] : [1, 'B'];
  return `${Number((b / unit).toPrecision(3))} ${words}`;
}
