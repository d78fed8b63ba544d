/** The requests of a page over time, and when it shows what: a panel for each server. */
import { makeBox } from './chart.js';
import { asRows, makeLabels } from './labels.js';
import { numberOf } from './source.js';
import { alignCells, formatNumber } from './words.js';

/** @import { Kind, Panel, Series } from './chart.js' */
/** @import { Entry } from './entries.js' */
/** @import { Row, Source } from './source.js' */

const HALF = 4.5;
const WAITS = { colour: '#c0d4e8', mark: 0, dash: 1 };
const COMES = { colour: '#0060a8', mark: 0, dash: 1 };
const SHOWS = { colour: '#000000', mark: 13, dash: 1 };

/** @type {Kind} */
export function makeWaterfall(entry, source) {
  const all = source.select(entry.table ?? 'bars', entry.where);
  if (all.length === 0) return undefined;
  const most = Math.max(...all.map((row) => numberOf(row.end_ms)));
  const sides = [...Map.groupBy(all, ({ engine }) => engine)].map(([engine, rows]) => ({ title: source.titleOf(engine), rows }));
  return {
    panels: sides.map(({ title, rows }) => makePanel(title, rows, most, source, entry)),
    key: [
      { words: 'a request, until its first byte', look: WAITS, layers: ['box'] },
      { words: 'until its last byte', look: COMES, layers: ['box'] },
      { words: 'what the page shows', look: SHOWS, layers: ['mark'] },
    ],
    caption: [entry.caption ?? ''],
    text: sides.flatMap(({ title, rows }) => ['', ...alignCells([[title, 'from, ms', 'first byte', 'to, ms'], ...rows.map(cellsOf)])]),
  };
}

/** @param {Row} row @returns {string[]} */
const cellsOf = (row) =>
  [`${row.workflow}: ${row.what}`, ...[row.begin_ms, row.first_ms, row.end_ms].map((cell) => formatNumber(numberOf(cell)))];

/** @param {string} head @param {Row[]} rows @param {number} most @param {Source} source @param {Entry} entry @returns {Panel} */
function makePanel(head, rows, most, source, entry) {
  const groups = [...Map.groupBy(rows, ({ workflow }) => workflow).values()];
  const lines = groups.flatMap((own) => [
    { words: source.wordsOf(own[0], 'workflow', entry.words), indent: 0, row: undefined },
    ...own.map((row) => ({ key: row.line, words: row.what, indent: 1, row })),
  ]);
  const labels = makeLabels(lines, 13);
  const placed = lines.flatMap(({ row }, index) => (row ? [{ row, y: labels[index].at }] : []));
  const isRequest = (/** @type {{row: Row}} */ { row }) => row.first_ms !== '-';
  const [requests, shown] = [placed.filter(isRequest), placed.filter((each) => !isRequest(each))];
  const boxes = (/** @type {string} */ from, /** @type {string} */ to) => requests.map(({ row, y }) =>
    makeBox(numberOf(row[from]), Math.max(numberOf(row[to]), numberOf(row[from])), y, HALF));
  /** @type {Series[]} */
  const series = [
    { look: WAITS, words: '', layers: ['box'], marks: boxes('begin_ms', 'first_ms') },
    { look: COMES, words: '', layers: ['box'], marks: boxes('first_ms', 'end_ms') },
    { look: SHOWS, words: '', layers: ['mark'], marks: shown.map(({ row, y }) => ({ x: numberOf(row.end_ms), y })) },
  ];
  return { head, x: { title: 'ms', to: most * 1.04 }, ...asRows(labels), series };
}
