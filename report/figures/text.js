/** A figure as text: the numbers that its picture draws. */
import { replaceControls } from '../../harness/common/gnuplot.js';
import { wrapWords } from '../../harness/common/prose.js';

/** @import { Chart } from './chart.js' */

const WIDTH = 120;

/** @param {string} title @param {Chart} chart @param {string[]} said below them @returns {string} */
export function writeText(title, { text }, said) {
  return `${[title, ...text, '', ...said.filter(Boolean).flatMap((line) => wrapWords(line, WIDTH))].map(replaceControls).join('\n')}\n`;
}

/** @param {string[][]} rows @returns {string[]} columns aligned: the first at its left, numbers at their right */
export function alignCells(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  return rows.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column])))
      .join('  ')
      .trimEnd(),
  );
}
