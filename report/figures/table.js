/** A figure as a table: columns of numbers with their intervals, and a part for each value of a column. */
import { distinct, numberOf, readField } from './source.js';
import { alignCells, formatNumber, formatTick } from './words.js';

/** @import { Kind } from './chart.js' */
/** @import { Row } from './source.js' */
/** @typedef {{column: string, title: string, low?: string, high?: string, words?: Record<string, string>}} Column */

/** @type {Kind} */
export function makeTable(entry, source) {
  const all = source.select(entry.table ?? 'points', entry.where);
  if (all.length === 0) return undefined;
  const { columns, by, by_words: words } = /** @type {{columns: Column[], by: string, by_words: string}} */ (entry.extra);
  const cell = (/** @type {Row} */ row, /** @type {Column} */ { column, low, high, words: said = {} }) => {
    const value = readField(row, column);
    if (Object.hasOwn(said, value)) return said[value];
    if (!Number.isFinite(numberOf(value))) return source.wordsOf(row, column, entry.words);
    const ends = low && high ? [row[low], row[high]].map((end) => formatNumber(numberOf(end))) : ['-'];
    return `${column === 'rank' ? value : formatNumber(numberOf(value))}${ends[0] === '-' ? '' : ` [${ends.join(', ')}]`}`;
  };
  return {
    panels: [],
    key: [],
    caption: [entry.caption ?? ''],
    text: distinct(all, by).flatMap((part) => [
      '',
      `${formatTick(Number(part))} ${words}`,
      ...alignCells([
        columns.map(({ title }) => title),
        ...all.filter((row) => readField(row, by) === part).map((row) => columns.map((column) => cell(row, column))),
      ]),
    ]),
  };
}
