/** Horizontal stacked bars. */
import { makeBox } from './chart.js';
import { asRows, makeLabels } from './labels.js';
import { keyOf, numberOf } from './source.js';
import { alignCells, formatBytes, formatNumber } from './words.js';

/** @import { Kind, Layer, Series } from './chart.js' */
/** @import { Entry } from './entries.js' */
/** @import { Row, Source } from './source.js' */
/** @typedef {{rows: Row[], words: string, tail: string, total_b: number, source_b: number, at: number}} Bar */

/** Neighbours differ in grey, too (test/unit/colours.test.js). */
export const FILLS = ['#ffffff', '#d8d8d8', '#a8a8a8', '#303030', '#c04000', '#f0c8a8', '#c8e0f4'];
const HALF = 5;
const HEIGHT = 18;
const PUBLISHED = { colour: '#000000', mark: 9, dash: 1 };

/** @type {Kind} */
export function makeBars(entry, source) {
  const all = source.select(entry.table ?? '', entry.where);
  if (all.length === 0) return undefined;
  const { parts = [], extra: { share: isShare = false } = {} } = entry;
  const { bars, labels } = listBars(all, entry, source);
  const series = [...listParts(bars, entry), ...listPublished(bars)];
  const x = isShare ? { title: 'share of all bytes, %', from: 0, to: 100 } : { title: 'bytes', from: 0 };
  return {
    panels: [{ head: '', x, ...asRows(labels), series, numbers: bars.map(({ at, tail }) => ({ at, words: tail })) }],
    key: series,
    caption: [entry.caption ?? ''],
    text: ['', ...writeBars(bars, parts)],
  };
}

/** @param {Row[]} rows @param {Entry} entry @param {Source} source */
function listBars(rows, { rows: keys = [], words, extra: { share: isShare = false, bytes = '', packets = 'segment' } = {} }, source) {
  const groups = [...Map.groupBy(rows, (row) => keyOf(row, keys)).values()];
  const said = groups.map(([row]) =>
    keys.map((key) => (key === bytes ? formatBytes(numberOf(row[key])) : source.wordsOf(row, key, words))).join(', '));
  const labels = makeLabels(said.map((each) => ({ key: each, words: each, indent: 0 })), HEIGHT);
  const bars = groups.map((own, index) => {
    const [{ segments, source_b: published }] = own;
    const total_b = numberOf(own[0][isShare ? 'wire_b' : 'total_b']);
    const tail = `${formatNumber(total_b)} B${segments ? ` in ${Number(Number(segments).toPrecision(2))} ${packets}${segments === '1' ? '' : 's'}` : ''}`;
    return { rows: own, words: said[index], tail, total_b, source_b: numberOf(published), at: labels[index].at };
  });
  return { bars, labels };
}

/** @param {Bar[]} bars @param {Entry} entry @returns {Series[]} */
function listParts(bars, { parts = [], extra: { share: isShare = false, fills = parts.map((_, index) => index) } = {} }) {
  return parts
    .map((part, index) => ({
      look: { colour: FILLS[fills[index]], mark: 0, dash: 1 },
      words: part,
      layers: /** @type {Layer[]} */ (['box']),
      marks: bars.flatMap(({ rows, at, total_b }) => {
        const scale = isShare ? 100 / total_b : 1;
        return rows
          .filter((row) => row.part === part && numberOf(row.to_b) > numberOf(row.from_b))
          .map(({ from_b, to_b }) => makeBox(scale * numberOf(from_b), scale * numberOf(to_b), at, HALF));
      }),
    }))
    .filter(({ marks }) => marks.length > 0);
}

/** @param {Bar[]} bars @returns {Series[]} the source's published values */
function listPublished(bars) {
  const marks = bars.filter(({ source_b }) => source_b > 0).map(({ source_b, at }) => ({ x: source_b, y: at }));
  return marks.length ? [{ look: PUBLISHED, words: 'the source', layers: ['mark'], marks }] : [];
}

/** @param {Bar[]} bars @param {string[]} parts @returns {string[]} */
function writeBars(bars, parts) {
  const isSourced = bars.some(({ source_b }) => source_b > 0);
  const sizeOf = (/** @type {Row | undefined} */ row) => (row ? formatNumber(numberOf(row.to_b) - numberOf(row.from_b)) : '-');
  const rows = bars.map(({ rows: own, words, tail, source_b }) => {
    const sizes = parts.map((part) => sizeOf(own.find((row) => row.part === part)));
    return [words, ...sizes, tail, ...(isSourced ? [source_b > 0 ? formatNumber(source_b) : '-'] : [])];
  });
  return alignCells([['', ...parts, 'in all', ...(isSourced ? ['the source'] : [])], ...rows]);
}
