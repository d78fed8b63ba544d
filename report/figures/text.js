/** A figure as text: the numbers that its picture draws. */
import { replaceControls } from '../../harness/common/gnuplot.js';
import { wrapWords } from '../../harness/common/prose.js';

const WIDTH = 120;

/**
 * @param {string} title @param {import('./chart.js').Chart} chart @param {string[]} said below them
 * @returns {string}
 */
export function writeText(title, { text }, said) {
  return `${[title, ...text, '', ...said.filter(Boolean).flatMap((line) => wrapWords(line, WIDTH))].map(replaceControls).join('\n')}\n`;
}
