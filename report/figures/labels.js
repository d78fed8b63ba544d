/** The rows of a chart: a heading for each workload and each engine with several rows, and the label of each row. */
import { distinct, keyOf, readField } from './source.js';
import { FACES, widthOf, wrap } from './words.js';

/** @import { Label } from './chart.js' */
/** @import { Entry } from './entries.js' */
/** @import { Row, Source } from './source.js' */
/** @typedef {{key?: string, words: string, indent: number}} Line of a chart; a heading has no key */

const LINE = 12;
const INDENT = 8;
/** Wider labels are wrapped. */
const WIDEST = 190;

/**
 * @param {Row[]} rows in order @param {string[]} keys @param {Entry} entry @param {Source} source
 * @returns {Line[]} rows that share their first keys stand under one heading
 */
export function placeRows(rows, keys, entry, source) {
  const { words = {}, sort } = entry;
  const nameOf = (/** @type {Row} */ row) => keyOf(row, keys);
  const [first, ...others] = keys;
  if (first !== 'workload') return nest(rows, keys, nameOf, entry, source);
  if (sort) return nest(rows, others, nameOf, entry, source);
  const workloads = distinct(rows, 'workload');
  return workloads.flatMap((workload) => {
    const said = Object.hasOwn(words, workload) ? words[workload] : [workload, source.arrivalsOf(workload)].filter(Boolean).join(': ');
    const heading = workloads.length > 1 ? [{ words: said, indent: 0 }] : [];
    return [...heading, ...nest(rows.filter((row) => row.workload === workload), others, nameOf, entry, source)];
  });
}

/**
 * @param {Row[]} rows @param {string[]} keys @param {(row: Row) => string} nameOf @param {Entry} entry
 * @param {Source} source @returns {Line[]}
 */
function nest(rows, [first, ...others], nameOf, entry, source) {
  const heads = entry.sort ? rows.map((row) => [row]) : [...Map.groupBy(rows, (row) => readField(row, first)).values()];
  return heads.flatMap((own) => {
    const words = source.wordsOf(own[0], first, entry.words);
    const rest = own.map((row) => others.map((key) => ownWords(row, key, entry, source)).filter(Boolean).join(', '));
    if (own.length === 1) return [{ key: nameOf(own[0]), words: [words, rest[0]].filter(Boolean).join(', '), indent: 0 }];
    return [{ words, indent: 0 }, ...own.map((row, index) => ({ key: nameOf(row), words: rest[index] || 'default', indent: 1 }))];
  });
}

/** @param {Row} row @param {string} key @param {Entry} entry @param {Source} source @returns {string} '' for the default */
const ownWords = (row, key, { words = {} }, source) =>
  (key === 'setting' && !Object.hasOwn(words, readField(row, key)) ? source.settingOf(row) : source.wordsOf(row, key, words));

/** @param {Line[]} lines @param {number} least the height of a row @returns {Label[]} */
export function makeLabels(lines, least) {
  let top = 0;
  return lines.map(({ key, words, indent }) => {
    const isHeading = key === undefined;
    const broken = isHeading ? [words] : wrap(words, WIDEST - indent * INDENT);
    const height = isHeading ? LINE + 4 : Math.max(least, broken.length * LINE + 3);
    top += height;
    return { lines: broken, height, indent: indent * INDENT, isHeading, at: top - height / 2 };
  });
}

/** @param {Label[]} labels of all its rows @returns the height of a panel, which has them instead of a y axis */
export const asRows = (labels) => ({ labels, y: { title: '' }, height: labels.reduce((sum, { height }) => sum + height, 0) });

/** @param {Label[]} labels @returns {number} */
export function widthOfLabels(labels) {
  const rows = labels.filter(({ isHeading }) => !isHeading);
  return Math.max(60, ...rows.flatMap(({ lines, indent }) => lines.map((line) => widthOf(line, FACES.small) + indent)));
}
