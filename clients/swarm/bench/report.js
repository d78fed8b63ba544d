/** The report of bench-swarm: tables as text and Markdown, and sentences about the run and the machine. */
import { median, rollup } from 'd3-array';
import { join, relative } from 'node:path';
import { coverageOf, medianRank } from '../../../analysis/statistics/order-statistics.js';
import { writeTsv } from '../../../harness/common/files.js';
import { ROOT } from '../../../harness/common/places.js';
import { WARNING } from './generators.js';
import { LOADS, MESSAGE_B, PAIRED, describeLoad } from './plan.js';
import { listOtherRows, listRowValues, listShareRows } from './rows.js';
import { digits, formatInterval, formatTable } from '../../../harness/common/format.js';
import { wrapWords } from '../../../harness/common/prose.js';

/** Width of the document's lines, except in tables. */
const WIDTH = 120;

/** @typedef {import('./rows.js').Row} Row */
/** @typedef {import('./rows.js').Run} Run */
/** @typedef {{n: number, median: number, low: number, high: number, coverage: number}} Interval */
/** @typedef {{title: string, header: string[], lines: string[][]}} Table */
/** @typedef {{repeats: number, windowS: number, seed: number} & import('./plan.js').Beside} Settings */

/**
 * The median with its interval. With too few values for 95 %, low and high are the minimum and maximum. `coverage` is the
 * probability that the true median lies between them: 0.938 for five values, 0 for one.
 * @param {number[]} values @returns {Interval}
 */
export function describeMedian(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const n = sorted.length;
  const rank = Math.max(1, medianRank(n));
  return { n, median: Number(median(sorted)), low: sorted[rank - 1], high: sorted[n - rank], coverage: coverageOf(n, rank) };
}

/**
 * Computes medians with intervals per row. Writes values.tsv and intervals.tsv into the bundle.
 * @param {string} bundle @param {Run[]} runs @param {import('./plan.js').Beside} beside
 * @returns {Map<string, Interval>}
 */
export function reduceRuns(bundle, runs, beside) {
  const rows = [...listShareRows(beside).flatMap((row) => [row.rate, row]), ...listOtherRows(beside)];
  const values = listRowValues(rows, runs);
  writeTsv(join(bundle, 'values.tsv'), ['row', 'repeat', 'value'], values);
  const intervals = rollup(values, (own) => describeMedian(own.map(({ value }) => Number(value))), ({ row }) => row);
  const columns = ['row', 'n', 'median', 'low', 'high', 'coverage'];
  writeTsv(join(bundle, 'intervals.tsv'), columns, [...intervals].map(([row, interval]) => ({ row, ...interval })));
  return intervals;
}

/**
 * The median decides. If the interval holds the bound, more repeats could change that.
 * @param {Row} row @param {Interval | undefined} interval @returns {string} the requirement, and whether it is met
 */
function judge({ requirement }, interval) {
  if (!requirement) return '';
  if (!interval) return `${requirement.words}: not measured`;
  const [isMet, ...ends] = [interval.median, interval.low, interval.high].map(requirement.isMet);
  return `${requirement.words}: ${isMet ? 'met' : 'MISSED'}${ends.every((end) => end === isMet) ? '' : ' by the median'}`;
}

/** @param {string[][]} lines @returns {string[][]} with the first cell empty if it repeats the line above */
const nameOnce = (lines) => lines.map(([first, ...rest], index) => [lines[index - 1]?.[0] === first ? '' : first, ...rest]);

/** @param {Interval | undefined} interval @returns {string} without an interval for a single value */
function format(interval) {
  if (!interval) return '-';
  return interval.n > 1 ? formatInterval({ ...interval, mean: interval.median }) : digits(interval.median);
}

/**
 * @param {Map<string, Interval>} intervals @param {import('./plan.js').Beside} beside @param {string[]} [loads] by id
 * @returns {Table[]}
 */
export function makeTables(intervals, beside, loads = Object.keys(LOADS)) {
  const isAsked = (/** @type {Row} */ { of }) => loads.includes(of.split('/')[0]);
  const shares = listShareRows(beside).filter(isAsked).map((row) => {
    const [rate, share] = [intervals.get(row.rate.id), intervals.get(row.id)];
    return [row.load, row.what, format(rate), row.of === row.to ? '' : format(share), judge(row, share)];
  });
  const others = listOtherRows(beside).filter(isAsked).map((row) => {
    const interval = intervals.get(row.id);
    return [row.load, row.what, format(interval), judge(row, interval)];
  });
  return [
    { title: 'Closed loop', header: ['load', 'generator', 'messages a second', beside.baseline ? 'of the other' : 'of the limit', 'required'], lines: nameOnce(shares) },
    { title: `Open loop, handshakes and memory${beside.peers ? ', and k6' : ''}`, header: ['load', 'quantity', 'median', 'required'], lines: nameOnce(others) },
  ].filter(({ lines }) => lines.length);
}

/** @param {Map<string, Interval>} intervals @returns {string} the meaning of the brackets */
function describeIntervals(intervals) {
  const coverage = Math.min(...[...intervals.values()].map((interval) => interval.coverage));
  if (!(coverage > 0)) return 'nothing, for one value has no interval';
  return `the order statistics that hold the median with a probability of ${(100 * coverage).toFixed(1)} % or more`;
}

/**
 * @param {Run} run
 * @returns {string[]} swarm's warnings about the run, without `generator-busy` for closed loops, which are meant to be busy
 */
function listWarnings({ load, values }) {
  const rules = Object.keys(values).filter((name) => name.startsWith(WARNING)).map((name) => name.slice(WARNING.length));
  return rules.filter((rule) => rule !== 'generator-busy' || LOADS[load].kind !== 'closed');
}

/** @param {Run[]} runs @returns {string} */
function describeWarnings(runs) {
  const rules = runs.flatMap(listWarnings);
  const counts = [...new Set(rules)].sort().map((rule) => `${rule} in ${rules.filter((each) => each === rule).length}`);
  return counts.length ? `Swarm warned of runs of its own: ${counts.join(', ')}. Was the machine idle?` : 'Swarm warned of none of its runs.';
}

const WHAT_THE_LIMIT_IS = 'The limit is a client that sends again what comes back over plain TCP, records nothing and knows no frames. '
  + 'Where no server is named, it is a Rust echo server. Nothing is required against uWebSockets: what it serves is its own limit. '
  + '"By the median": the interval holds the bound.';

/**
 * @param {Settings} settings
 * @param {Map<string, Interval>} intervals
 * @param {Run[]} runs
 * @param {Record<string, string>} machine
 * @returns {string[]} sentences
 */
export function describeBench({ repeats, windowS, seed, baseline }, intervals, runs, machine) {
  const pairs = runs.filter(({ load, generator }) => load === PAIRED && generator === 'ws').length;
  return [
    `${repeats} repeat${repeats === 1 ? '' : 's'}${pairs > repeats ? ` (${pairs} pairs of swarm ws:// and its limit with ${describeLoad(LOADS[PAIRED])})` : ''}, windows of ${windowS} s, in random order from seed ${seed}: medians, and in brackets ${describeIntervals(intervals)}. A share of the limit, and a ratio to k6, is taken within each repeat.`,
    `Server and generator have a core each (taskset). Messages are ${MESSAGE_B} bytes.`,
    baseline ? `The other swarm is ${baseline}.` : WHAT_THE_LIMIT_IS,
    describeWarnings(runs),
    ...Object.entries(machine).map(([name, value]) => `${name}: ${value}`),
  ];
}

/** @param {Table} table @returns {string} */
function formatMarkdown({ title, header, lines }) {
  const line = (/** @type {string[]} */ cells) => `| ${cells.join(' | ')} |`;
  return [`## ${title}`, '', line(header), line(header.map(() => '---')), ...lines.map(line)].join('\n');
}

/** @param {Table[]} tables @returns {string} for a terminal */
export function formatReport(tables) {
  return tables.map(({ title, header, lines }) => `${title}\n\n${formatTable(header, lines)}`).join('\n\n');
}

/**
 * @param {Table[]} tables @param {string[]} sentences @param {string} bundle @param {Date} date
 * @returns {string} docs/bench-swarm.md
 */
export function formatDocument(tables, sentences, bundle, date) {
  return [
    '# What swarm reaches',
    '',
    ...wrapWords(`Written by \`make bench-swarm\` on ${date.toISOString().slice(0, 10)} from ${relative(ROOT, bundle)}. Do not edit: run it again.`, WIDTH),
    '',
    ...sentences.map((sentence) => `- ${wrapWords(sentence, WIDTH - 2).join('\n  ')}`),
    '',
    `${tables.map(formatMarkdown).join('\n\n')}\n`,
  ].join('\n');
}
