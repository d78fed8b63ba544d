/**
 *   overhead.tsv    overhead of an engine over plain TCP, (T_WS - T_TCP) / T_TCP, from the ratios within blocks
 *   lines.tsv       the time to connect as a line over the link's round trip, own_us + round_trips * rtt, by least squares
 *                   through the points
 *   roundtrips.tsv  ratio of the time to connect to that of plain TCP, against the round trip: measured, and from the two lines;
 *                   kind source: where the lines give the source's ratio
 *   connect.tsv     distribution function of the time to connect, over all connections of the window
 *   warmup.tsv      medians of the smallest echo and of the time to connect, over all trials, for each quarter of a second since
 *                   the start of the warm-up
 */
import { group, min, range } from 'd3-array';
import { join } from 'node:path';
import { digitsOf } from '../../analysis/digits.js';
import { compare } from '../../analysis/points/comparisons.js';
import { fitLine } from '../../analysis/statistics/lines.js';
import { readTsv } from '../../harness/common/files.js';
import { settingsIn } from '../../harness/common/setting.js';

/** @typedef {Record<string, string>} Row */
/**
 * @typedef {{era: string, engine: string, setting: string, t_s: number, from_s: number, to_s: number, quantity: string,
 *   size_b: number, us: string}} Sample
 */

/** Time to open a session over time to open a TCP connection, by the source. */
const SOURCE_RATIO = 3.533 / 0.965;
/** Points with further settings belong to another line. */
const ON_LINK = 'rate_mbit rtt_us';
const RTT_US = { most: 1000, step: 20 };
const SHARES = range(1, 100).map((hundredths) => hundredths / 100);

/** @param {number} value */
const short = (value) => digitsOf(value, 4);
/** @param {Row} row */
const isOnLink = (row) => Object.keys(settingsIn(row)).join(' ') === ON_LINK;

/**
 * @param {Row[]} comparisons @param {Row[]} trials
 * @returns {Row[]} each pair of engines that a claim compares, for each setting and metric that both have; for two settings if a
 *   claim compares two
 */
function listPairs(comparisons, trials) {
  const pairs = uniqueBy(comparisons.map(({ era, of, to, setting, to_setting }) => (
    { era, of, to, ...(setting !== to_setting && { at: setting, to_setting }) })), (pair) => Object.values(pair).join('\t'));
  const timed = trials.filter(({ metric }) => /^(connect_us|echo_us_[0-9]+)$/.test(metric));
  const nameOfTime = (/** @type {string[]} */ ...labels) => labels.join('\t');
  const has = new Set(timed.map(({ engine, workload, setting, metric }) => nameOfTime(engine, workload, setting, metric)));
  const points = uniqueBy(timed, ({ workload, setting, metric }) => nameOfTime(workload, setting, metric));
  return pairs.flatMap(({ era, of, to, at, to_setting }) =>
    points.filter(({ setting }) => at === undefined || at === setting).flatMap(({ workload, setting, metric }) => {
      const base = to_setting ?? setting;
      const isThere = has.has(nameOfTime(of, workload, setting, metric)) && has.has(nameOfTime(to, workload, base, metric));
      return isThere ? [{ era, workload, setting, to_setting: base, metric, of, to }] : [];
    }));
}

/** @template T @param {T[]} rows @param {(row: T) => string} nameOf @returns {T[]} the last row of each name */
const uniqueBy = (rows, nameOf) => [...new Map(rows.map((row) => [nameOf(row), row])).values()];

/** @param {Row[]} pairs @param {Row[]} trials @param {number} level */
function listOverheads(pairs, trials, level) {
  const percent = (/** @type {string | number} */ ratio) => (ratio === '-' ? '-' : short(100 * (Number(ratio) - 1)));
  return compare(pairs, trials, level).filter(({ n }) => Number(n) > 0).map(
    ({ era, of: engine, to: base, setting, to_setting: base_setting, metric, n, mean, low, high }) => ({
      era, engine, base, setting, base_setting, n, overhead_pct: percent(mean), low_pct: percent(low), high_pct: percent(high),
      ...(metric === 'connect_us' ? { quantity: 'connect', size_b: 0 } : { quantity: 'echo', size_b: String(metric).replace(/.*_/, '') }),
    }));
}

/** @param {Row[]} points */
function listLines(points) {
  const linked = points.filter((row) => row.metric === 'connect_us' && isOnLink(row));
  return [...group(linked, ({ era, engine }) => `${era}\t${engine}`).values()].filter((rows) => rows.length >= 3).map((rows) => {
    const { slope, level } = fitLine(rows.map((row) => [Number(row['setting.rtt_us']), Number(row.mean)]));
    return { era: rows[0].era, engine: rows[0].engine, points: rows.length, own_us: short(level), round_trips: short(slope) };
  });
}

/** @param {Row[]} lines @param {Row[]} overheads */
function listRoundTrips(lines, overheads) {
  const byEngine = new Map(
    lines.map(({ engine, own_us, round_trips }) => [engine, { own_us: Number(own_us), trips: Number(round_trips) }]));
  const ratio = (/** @type {string} */ percent) => (percent === '-' ? '-' : short(1 + Number(percent) / 100));
  const connects = overheads.filter((row) => row.quantity === 'connect' && row.setting === row.base_setting && isOnLink(row));
  const measured = connects.map(({ era, engine, base, 'setting.rtt_us': rtt_us, n, overhead_pct, low_pct, high_pct }) => (
    { era, engine, base, kind: 'measured', rtt_us: Number(rtt_us), n, ratio: ratio(overhead_pct), low: ratio(low_pct), high: ratio(high_pct) }));
  const pairs = [...group(connects, ({ era, engine, base }) => [era, engine, base].join('\t')).values()];
  const computed = pairs.flatMap(([{ era, engine, base }]) => {
    const [of, to] = [byEngine.get(engine), byEngine.get(base)];
    if (!of || !to) return [];
    const ofLines = range(0, RTT_US.most + 1, RTT_US.step).map((rtt_us) => (
      { kind: 'line', rtt_us, ratio: short((of.own_us + of.trips * rtt_us) / (to.own_us + to.trips * rtt_us)) }));
    const divisor = SOURCE_RATIO * to.trips - of.trips;
    const meets = { kind: 'source', rtt_us: short((of.own_us - SOURCE_RATIO * to.own_us) / divisor), ratio: short(SOURCE_RATIO) };
    return [...ofLines, ...(divisor === 0 ? [] : [meets])].map((row) => ({ era, engine, base, ...row }));
  });
  return [...measured, ...computed];
}

/** @param {Row[]} plan @param {Set<string>} standing @param {(trial: string) => string} rawOf @returns {Sample[]} in ascending time */
function listSamples(plan, standing, rawOf) {
  const samples = plan.filter(({ trial }) => standing.has(trial)).flatMap(({ trial, era, engine, setting, from_s, to_s }) =>
    readTsv(join(rawOf(trial), 'client/serial.tsv')).map(({ t_s, quantity, size_b, us }) => ({
      era, engine, setting, t_s: Number(t_s), from_s: Number(from_s), to_s: Number(to_s), quantity, size_b: Number(size_b), us,
    })));
  return samples.sort((a, b) => Number(a.us) - Number(b.us));
}

/** @param {{era: string, engine: string, setting: string}} sample */
const nameOf = ({ era, engine, setting }) => [era, engine, setting].join('\t');
/** @template T @param {Map<string, T>} groups by name @returns {T[]} sorted by the code units of the names */
const inOrder = (groups) => [...groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, own]) => own);

/** @param {Sample[]} samples */
function listConnects(samples) {
  const window = samples.filter(({ quantity, t_s, from_s, to_s }) => quantity === 'connect' && t_s >= from_s && t_s < to_s);
  return inOrder(group(window, nameOf)).flatMap((rows) => SHARES.map((share) => {
    const { era, engine, setting } = rows[0];
    return { era, engine, setting, share: digitsOf(share), us: rows[Math.floor((rows.length - 1) * share)].us };
  }));
}

/** @param {Sample[]} samples */
function listWarmUps(samples) {
  const smallest = min(samples, ({ quantity, size_b }) => (quantity === 'echo' ? size_b : undefined));
  const shown = samples.filter(({ quantity, size_b }) => size_b === (quantity === 'connect' ? 0 : smallest));
  const quarters = group(shown, nameOf, ({ quantity }) => quantity, ({ t_s }) => Math.floor(4 * t_s) / 4);
  return inOrder(quarters).flatMap((byQuantity) => inOrder(byQuantity).flatMap((byTime) =>
    [...byTime].sort(([a], [b]) => a - b).map(([t_s, rows]) => {
      const { era, engine, setting, quantity } = rows[0];
      return { era, engine, setting, quantity, t_s: digitsOf(t_s), us: rows[Math.floor((rows.length + 1) / 2) - 1].us };
    })));
}

/** @param {import('../../analysis/points/tables.js').Tables} tables */
export function makeTables({ plan, comparisons, level, read, write, rawOf, hasCaptures }) {
  const trials = read('trials');
  write('overhead', ['era', 'engine', 'base', 'setting', 'base_setting', 'quantity', 'size_b', 'n', 'overhead_pct', 'low_pct', 'high_pct'],
    listOverheads(listPairs(comparisons, trials), trials, level));
  write('lines', ['era', 'engine', 'points', 'own_us', 'round_trips'], listLines(read('points')));
  write('roundtrips', ['era', 'engine', 'base', 'kind', 'rtt_us', 'n', 'ratio', 'low', 'high'], listRoundTrips(read('lines'), read('overhead')));
  if (!hasCaptures) return; // a published record already contains the tables of single samples
  const samples = listSamples(plan, new Set(trials.map(({ trial }) => trial)), rawOf);
  write('connect', ['era', 'engine', 'setting', 'share', 'us'], listConnects(samples));
  write('warmup', ['era', 'engine', 'setting', 'quantity', 't_s', 'us'], listWarmUps(samples));
}
