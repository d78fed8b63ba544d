/**
 * Finds the x where the curve of the server's page crosses that of another workflow.
 *
 * In each block a curve is interpolated linearly in log x between two steps. At each x we count the blocks where the server is
 * later. If at one x the sign test at 95 % says that the server is sooner in the median, and at a larger x that it is later
 * (or vice versa), the curves have crossed in between: this is the interval of the crossing. If the curves cross once in each
 * block, it is the exact interval of the median of the crossings (H. A. David, H. N. Nagaraja, Order Statistics, 7.1). It needs
 * six blocks. Several crossings are each reported. None is reported after which the server changes sides again, in the median of the
 * blocks, without a further crossing.
 */
import { group, pairs, sum } from 'd3-array';
import { cellOf, digitsOf } from '../../analysis/digits.js';
import { medianRank } from '../../analysis/statistics/order-statistics.js';

/** @typedef {Record<string, string>} Row */
/**
 * @typedef {{trial: string, engine: string, workload: string, setting: string, scenario: string, workflow: string, x: number,
 *   ms: number}} Load
 */
/** @typedef {{x: number, late_ms: number}} Step `late_ms`: how much longer the server's page takes */
/** @typedef {{from: number, count: number}} Span from this x on, the server is later in `count` blocks */
/** @typedef {{low: number, high: number, isLater: boolean}} Crossing between two x; `isLater`: the server is later from there on */

/** @type {Record<string, string>} */
const UNITS = { files: ' KiB', documents: ' documents', timeouts: ' ms', series: ' requests', parallel: ' requests' };
/** In the source, the server's page was later from this step on. @type {Record<string, number>} */
const PUBLISHED = { 'files ajax': 256, 'files stream': 768, 'documents ajax': 16384 };
export const CROSSING_COLUMNS = ['source', 'workload', 'setting', 'scenario', 'workflow', 'n', 'x', 'low', 'high', 'published', 'words'];

const NOT_SHOWN = 'no crossing is shown';

/** @param {number} x @returns {string} with 3 significant digits */
const short = (x) => String(Number(Number(digitsOf(x)).toPrecision(3)));

/**
 * @param {Step[]} steps of one block, ascending
 * @returns {{x: number, by: number}[]} where the server starts (1) or stops (-1) being later. Between 0 and the next step there is
 *   no logarithm to interpolate with: such a change is reported at that step
 */
const listTurns = (steps) => pairs(steps).flatMap(([before, after]) => {
  if (before.late_ms > 0 === after.late_ms > 0) return [];
  const share = before.late_ms / (before.late_ms - after.late_ms);
  return [{ x: before.x > 0 ? before.x * (after.x / before.x) ** share : after.x, by: after.late_ms > 0 ? 1 : -1 }];
});

/** @param {Step[][]} blocks of the same steps @returns {Span[]} ascending */
function countLater(blocks) {
  const turns = blocks.flatMap(listTurns);
  const atFirst = blocks.filter(([{ late_ms }]) => late_ms > 0).length;
  const places = [...new Set([blocks[0][0].x, ...turns.map(({ x }) => x)])].sort((a, b) => a - b);
  return places.map((from) => ({ from, count: atFirst + sum(turns, ({ x, by }) => (x <= from ? by : 0)) }));
}

/**
 * @param {Span[]} spans
 * @param {number} rank the server counts as sooner if it is later in fewer than `rank` blocks, and as later if it is sooner in
 *   fewer than `rank`
 * @param {number} n blocks
 * @returns {{crossings: Crossing[], sides: (boolean | undefined)[]}} `sides`: whether it is later, undefined if undecided
 */
function findChanges(spans, rank, n) {
  const sides = spans.map(({ count }) => (count < rank ? false : count > n - rank ? true : undefined));
  const decided = spans.flatMap((span, index) => (sides[index] === undefined ? [] : [{ ...span, index, isLater: sides[index] }]));
  const crossings = pairs(decided).flatMap(([before, { from: high, isLater }]) =>
    (before.isLater === isLater ? [] : [{ low: spans[before.index + 1].from, high, isLater: Boolean(isLater) }]));
  return { crossings, sides };
}

/** @param {Step[][]} blocks @param {number} rank @returns {(Crossing & {x?: number})[] | string} a string says why there is none */
function findCrossings(blocks, rank) {
  const n = blocks.length;
  if (rank === 0) return 'fewer than six blocks';
  const spans = countLater(blocks);
  const inMedian = findChanges(spans, n / 2, n).crossings;
  const { crossings, sides } = findChanges(spans, rank, n);
  if (crossings.length === 0) return sides.includes(undefined) ? NOT_SHOWN : `${sides[0] ? 'later' : 'sooner'} at each step`;
  const lasting = crossings.filter(({ high, isLater }, index) => {
    const until = crossings[index + 1]?.low ?? Infinity;
    return spans.every(({ from, count }) => from < high || from >= until || (isLater ? count > n / 2 : count < n / 2));
  });
  if (lasting.length === 0) return NOT_SHOWN;
  const [{ x: least }, { x: next }] = blocks[0];
  const from = (/** @type {number} */ x) => (least === 0 && x === next ? 0 : x); // the crossing is somewhere below the first step after 0
  return lasting.map(({ low, high, isLater }) => {
    const within = inMedian.filter((each) => each.isLater === isLater && each.low >= low && each.high <= high);
    const middle = within[Math.floor(within.length / 2)];
    return { low: from(low), high, isLater, x: Math.sqrt(from(middle.low) * middle.high) || undefined };
  });
}

/**
 * @param {Row} of source, workload, setting, scenario, workflow @param {Step[][]} blocks
 * @returns {Record<string, unknown>[]} rows of crossings.tsv
 */
function describePair(of, blocks) {
  const isOurs = of.source !== 'published';
  const found = findCrossings(blocks, isOurs ? medianRank(blocks.length) : 1 / 2); // published: a single block, without an interval
  const unit = UNITS[of.scenario];
  if (typeof found === 'string') return [{ ...of, n: blocks.length, words: found }];
  return found.map(({ x, low, high, isLater }) => {
    const published = isLater && isOurs ? PUBLISHED[`${of.scenario} ${of.workflow}`] : undefined;
    const tell = (/** @type {number} */ by) => (isOurs ? ` [${short(low / by)}, ${short(high / by)}]` : '');
    const place = x === undefined ? `from below ${short(high)}${unit}` : `from ${short(x)}${tell(1)}${unit}`;
    const size = published && x !== undefined ? `, ${short(x / published)}${tell(published)} of the source's` : '';
    const interval = isOurs ? { low: digitsOf(low), high: digitsOf(high) } : {};
    return { ...of, n: blocks.length, x: cellOf(x), ...interval, published, words: `${isLater ? 'later' : 'sooner'} ${place} on${size}` };
  });
}

/** @param {Row[]} published scenario, x, workflow, ms @returns {Row[]} in the form of one trial */
const asTrial = (published) => published.map(({ scenario, x, workflow, ms }) => (
  { engine: 'published', workload: '-', setting: '-', trial: 'published', metric: `load_ms_${workflow}_${scenario}_${x}`, value: ms }));

/** @param {Row[]} trials of trials.tsv @param {Row[]} published @returns {Record<string, unknown>[]} rows of crossings.tsv */
export function listCrossings(trials, published) {
  const loads = [...asTrial(published), ...trials].flatMap(({ trial, engine, workload, setting, metric, value }) => {
    const [, workflow, scenario, x] = /^load_ms_([a-z]+)_([a-z]+)_([0-9]+)$/.exec(metric) ?? [];
    return workflow ? [{ trial, engine, workload, setting, scenario, workflow, x: Number(x), ms: Number(value) }] : [];
  });
  const keyOf = (/** @type {Load} */ row, workflow = row.workflow) => [row.trial, row.scenario, workflow, row.x].join(' ');
  const server_ms = new Map(loads.filter(({ workflow }) => workflow === 'server').map((row) => [keyOf(row), row.ms]));
  const others = loads.filter((row) => row.workflow !== 'server' && server_ms.has(keyOf(row, 'server')));
  const byPair = group(others, (row) => [row.engine, row.workload, row.setting, row.scenario, row.workflow].join('\t'));
  return [...byPair.values()].flatMap((rows) => {
    const blocks = [...group(rows, ({ trial }) => trial).values()].map((own) =>
      own.map((row) => ({ x: row.x, late_ms: Number(server_ms.get(keyOf(row, 'server'))) - row.ms })).sort((a, b) => a.x - b.x));
    const { engine: source, workload, setting, scenario, workflow } = rows[0];
    return blocks[0].length < 2 ? [] : describePair({ source, workload, setting, scenario, workflow }, blocks);
  });
}
