/** How evenly the processes of a role are loaded: a dot for each process, the busiest first, drawn by dots.gp. */
import { mean as meanOf, median, range } from 'd3-array';
import { asRows, makeLabels, placeRows } from './labels.js';
import { ERAS } from './looks.js';
import { POINT, distinct, keyOf, numberOf } from './source.js';
import { alignCells, formatNumber, tellRange } from './words.js';

/** @import { KeyEntry, Kind, Layer, Series } from './chart.js' */
/** @import { Row } from './source.js' */
/** @typedef {{at: number, era: string, words: string, values: number[], mean: number}} Ranked */

const MEAN = { colour: '#000000', mark: 0, dash: 1 };
/** Half the height of the mean's tick. */
const TICK = 7;

/** @type {Kind} */
export function makeProcesses(entry, source) {
  const { column = 'cpu_cores', factor = 1, title = '' } = entry.x ?? {};
  const all = source.select('processes', { side: 'server', ...entry.where }).filter((row) => Number.isFinite(numberOf(row[column])));
  const several = all.filter((row) =>
    all.some((other) => keyOf(other) === keyOf(row) && other.role === row.role && other.index !== row.index));
  const found = distinct(several, 'role');
  const roles = [entry.where?.role ?? found].flat().map(String).filter((role) => found.includes(role));
  if (roles.length === 0) return undefined;
  const groups = Map.groupBy(several, (row) => keyOf(row));
  const rows = [...groups.values()].map(([first]) => first).sort((a, b) => source.placeOf(a) - source.placeOf(b));
  const lines = placeRows(rows, POINT, entry, source);
  const labels = makeLabels(lines, 18);
  const rankAll = (/** @type {string} */ role) =>
    lines.flatMap(({ key = '', words }, index) => {
      const own = (groups.get(key) ?? []).filter((row) => row.role === role);
      return own.length ? [{ at: labels[index].at, era: own[0].era, words, ...rank(own, column, factor) }] : [];
    });
  const ranked = roles.map((role) => ({ role, rows: rankAll(role) }));
  const trials = [...groups.values()].map((own) => distinct(own, 'trial').length);
  return {
    panels: ranked.map(({ role, rows: own }, index) => ({
      head: `each ${role}`,
      x: { title, from: 0 },
      ...asRows(labels),
      isUnlabelled: index > 0,
      series: listSeries(own),
      numbers: own.map(({ at, mean }) => ({ at, words: formatNumber(mean) })),
    })),
    key: makeKey(distinct(rows, 'era')),
    caption: [
      entry.caption ?? '',
      `The busiest process of each trial, the second busiest, and so on: medians of ${tellRange(trials)} trials.`,
    ],
    text: ranked.flatMap(({ role, rows: own }) => ['', ...writeRole(`each ${role}: ${title}`, own)]),
  };
}

/** @param {string} era */
const lookOf = (era) => ERAS[era] ?? ERAS.today;

/** @param {Ranked[]} rows @returns {Series[]} */
function listSeries(rows) {
  const dots = [...Map.groupBy(rows, ({ era }) => era)].map(([era, own]) => ({
    look: lookOf(era),
    words: era,
    layers: /** @type {Layer[]} */ (['mark']),
    marks: own.flatMap(({ at, values }) => values.map((x) => ({ x, y: at }))),
  }));
  const means = rows.map(({ at, mean }) => ({ x: mean, y: at, y_low: at - TICK, y_high: at + TICK }));
  return [...dots, { look: MEAN, words: 'mean', layers: ['tick'], marks: means }];
}

/** @param {string[]} eras @returns {KeyEntry[]} */
const makeKey = (eras) => [
  ...eras.map((era) => ({ words: `a process, ${era}`, look: lookOf(era), layers: /** @type {Layer[]} */ (['mark']) })),
  { words: 'the mean of all of them, at the right in figures', look: MEAN, layers: ['tick'] },
];

/** @param {string} head @param {Ranked[]} rows @returns {string[]} */
function writeRole(head, rows) {
  const cells = rows.map(({ words, values, mean }) => [words, ...[values[0], mean, values[values.length - 1]].map(formatNumber)]);
  return alignCells([[head, 'most', 'mean', 'least'], ...cells]);
}

/**
 * Medians by rank: the busiest process differs from trial to trial, so medians by index would hide how uneven they are.
 * @param {Row[]} rows @param {string} column @param {number} factor
 */
function rank(rows, column, factor) {
  const trials = [...Map.groupBy(rows, ({ trial }) => trial).values()].map((own) =>
    own.map((row) => factor * numberOf(row[column])).sort((a, b) => b - a));
  const most = Math.max(...trials.map((values) => values.length));
  const ranks = range(most).map((place) => Number(median(trials, (own) => own[place])));
  return { values: ranks, mean: Number(median(trials, (own) => meanOf(own))) };
}
