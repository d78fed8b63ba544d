/**
 * Throughput at saturation against cores, for processes with one core each, and the speed-up laws fitted to it. Also the
 * throughput per core of SocketCluster relative to one process of another engine, computed or measured.
 *
 * n_cores counts the server's processes (balancers, workers, stores, brokers), each on its own core, as the thesis counts
 * its "three, five, seven cores" (3.4). units is the n of a speed-up law, which needs a value at n = 1: workers, or pairs of
 * a balancer and a worker ("-" if their numbers differ, or if there is more than one store). line is the setting without
 * the processes: trials of a line differ only in their processes. relative is relative to the mean at one unit of a base
 * engine of the same era, own_relative to the engine's own.
 */
import { group, min, rollup, sum } from 'd3-array';
import { cellOf } from '../../analysis/digits.js';
import { fitAll } from '../../analysis/points/fits.js';
import { centreCells } from '../../analysis/points/points.js';
import { findCentre } from '../../analysis/statistics/intervals.js';
import { formatSetting, settingsIn } from '../../harness/common/setting.js';

/** @typedef {Record<string, string>} Row */
/**
 * @typedef {Map<string, {role: string, count: number}[]>} Roles of each engine, in the order of a mix, with the number of processes of a
 *   point without one
 */

export const SCALING_COLUMNS = [
  'era', 'engine', 'workload', 'setting', 'line', 'trial', 'block', 'n_cores', 'units', 'throughput_hz', 'base', 'relative', 'own_relative',
];
/** Options that the points of a line may share. */
const OPTIONS = ['scheduling', 'balancing'];
/** @type {Record<string, string[]>} base engines by era: the first one with a value at one unit is used */
const BASES = { 2014: ['engine.io-2014', 'socket.io-2014'], today: ['engine.io', 'socket.io'] };
const LAWS = ['amdahl', 'gustafson', 'usl'];
/** Minimum number of different n for fitting a law. */
const POINTS_MIN = 3;

/**
 * @param {Record<string, string>} settings @param {{role: string, count: number}[]} roles
 * @returns {{line: string, counts: Map<string, number>} | undefined} undefined if the setting has other options: such a point
 *   belongs to no line
 */
function readMix({ processes, cores = 'own', ...line }, roles) {
  if (roles.length === 0 || cores !== 'own' || Object.keys(line).some((key) => !OPTIONS.includes(key))) return undefined;
  const told = processes?.split('+').map(Number);
  return { line: formatSetting(line), counts: new Map(roles.map(({ role, count }, index) => [role, told ? told[index] : count])) };
}

/** @param {Map<string, number>} counts @returns {number | undefined} */
function unitsOf(counts) {
  if (!counts.has('balancer')) return counts.get('worker');
  return counts.get('balancer') === counts.get('worker') && counts.get('store') === 1 ? counts.get('worker') : undefined;
}

/** @param {Row[]} rows of one line @returns {number} number of different n */
export const countUnits = (rows) => new Set(rows.map(({ units }) => units)).size;

/** @param {Row[]} scaling of scaling.tsv @returns {Row[][]} lines, with points that have units */
export const groupLines = (scaling) => [...group(scaling.filter(({ units }) => units !== '-'), nameOfLine).values()];

/** @param {Row} row */
const nameOfLine = ({ era, engine, workload, line }) => [era, engine, workload, line].join('\t');

/** @param {Row[]} trials of trials.tsv @param {Roles} roles @returns {Record<string, unknown>[]} rows of scaling.tsv */
export function listScaling(trials, roles) {
  const rows = trials.filter(({ metric }) => metric === 'saturation_hz').flatMap((row) => {
    const mix = readMix(settingsIn(row), roles.get(row.engine) ?? []);
    const { engine, workload, value: throughput_hz } = row;
    if (!mix) return [];
    return [{ ...row, engine, workload, throughput_hz, line: mix.line, n_cores: sum(mix.counts.values()), units: unitsOf(mix.counts) }];
  });
  const nameOf = (/** @type {string[]} */ ...labels) => labels.join('\t');
  const ones = rollup(
    rows.filter(({ units }) => units === 1), (own) => Number(cellOf(findCentre(own.map((row) => Number(row.throughput_hz))).mean)),
    ({ engine, line, workload }) => nameOf(engine, line, workload));
  return rows.map((/** @type {any} */ row) => {
    const { engine, line, workload, units = '-', throughput_hz } = row;
    const bases = BASES[row.era] ?? [];
    const base = bases.find((each) => ones.has(nameOf(each, '-', workload))) ?? bases[bases.length - 1];
    const relative = (/** @type {number | undefined} */ one) => (one ? cellOf(throughput_hz / one) : '-');
    const [to_base, to_own] = [nameOf(base, '-', workload), nameOf(engine, line, workload)].map((name) => relative(ones.get(name)));
    return { ...row, units, base, relative: to_base, own_relative: to_own };
  });
}

/**
 * @param {Row[]} scaling of scaling.tsv
 * @returns {import('../../analysis/points/fits.js').Datum[]} of lines with at least POINTS_MIN different n
 */
export function listLaws(scaling) {
  const lines = groupLines(scaling);
  return lines.filter((rows) => countUnits(rows) >= POINTS_MIN).flatMap((rows) => {
    const [{ era, engine, workload, line, base }] = rows;
    const datum = (/** @type {Row} */ { throughput_hz }, /** @type {string} */ law, /** @type {string | number} */ x) =>
      ({ law, era, engine, workload, setting: line, x: [Number(x)], value: Number(throughput_hz) });
    const speedUps = LAWS.flatMap((law) => rows.map((row) => datum(row, law, row.units)));
    const bases = lines.find(([row]) => nameOfLine(row) === nameOfLine({ era, engine: base, workload, line: '-' }));
    if (!bases) return speedUps;
    // The base engine is its own base: do not use its values at one unit twice
    const isOwn = engine === base && line === '-';
    return [
      ...bases.filter(({ units }) => units === '1').map((row) => datum(row, 'linear', 0)),
      ...rows.filter(({ units }) => !isOwn || Number(units) > 1).map((row) => datum(row, 'linear', row.n_cores)),
      ...speedUps,
    ];
  });
}

/**
 * The thesis compares with engine.io, the README with any server: here ws is the fastest single-threaded one. `working`: the roles of
 * `of` that share its load.
 */
export const PAIRS = [
  { claims: ['T11', 'R3'], era: '2014', of: 'socketcluster-2014', to: 'engine.io-2014', working: ['balancer', 'worker'], idle: 'store' },
  { claims: ['T11', 'R3'], era: 'today', of: 'socketcluster-14', to: 'engine.io', working: ['worker'], idle: 'broker' },
  { claims: ['R3'], era: 'today', of: 'socketcluster-14', to: 'ws', working: ['worker'], idle: 'broker' },
];
export const SLOPE_COLUMNS = ['era', 'of', 'to', 'count', 'load', 'n', 'slope', 'low', 'high', 'error'];
/** Load of a core for comparisons: the largest of these that was reached. 0.5 is in the middle, where curves are most accurate. */
const COMPARED_AT = [0.5, 0.4, 0.3, 0.2, 0.1];
/** A measured line must reach this number of units. */
const UNITS_NEEDED = 4;

/**
 * Slope of a line through 0 for relative throughput k on k * each + 1 cores, k = 1, 2, 3, like the source's 3, 5 and 7 cores
 * (thesis 3.4).
 * @param {number} each
 */
function slopeOfLine(each) {
  const cores = [1, 2, 3].map((k) => k * each + 1);
  return sum(cores, (count, index) => (index + 1) * count) / sum(cores, (count) => count ** 2);
}

/**
 * Compares two engines at one load of a core, reached by every role of both in every block. k processes of each working role
 * carry k times the rate of one (utilisation law) on n cores. `without-<idle>` counts only the working cores, so the slope is
 * the gain per core; `with-<idle>` counts one more.
 * @param {Row[]} capacities @param {number} level @returns {Record<string, unknown>[]} rows of slopes.tsv; n counts blocks
 */
export function computeSlopes(capacities, level) {
  const ofRoles = group(capacities.filter(({ kind }) => kind === 'role'), ({ engine }) => engine);
  const rowsOf = (/** @type {string} */ engine) => ofRoles.get(engine) ?? [];
  const isMeasured = (/** @type {typeof PAIRS[number]} */ { of, working }) =>
    working.every((role) => rowsOf(of).some(({ what }) => what === role));
  return PAIRS.filter(isMeasured).flatMap(({ era, of, to, working, idle }) => {
    const reached = [...rowsOf(of), ...rowsOf(to)].map((row) => Number(row.reached));
    const load = ofRoles.has(to) ? COMPARED_AT.find((each) => reached.every((most) => most >= each)) : undefined;
    const ratesOf = (/** @type {string} */ engine, /** @type {number} */ roles) =>
      leastRates(rowsOf(engine).filter((row) => Number(row.load) === load), roles);
    const [own, base] = [ratesOf(of, working.length), ratesOf(to, 1)];
    const gains = [...own].sort(([a], [b]) => a - b).flatMap(([block, hz]) => (base.has(block) ? [hz / Number(base.get(block))] : []));
    const factors = { without: 1 / working.length, with: slopeOfLine(working.length) };
    return Object.entries(factors).map(([how, factor]) => ({
      era, of, to, count: `${how}-${idle}`, load: gains.length ? load : '-', n: gains.length,
      ...centreCells(gains.map((gain) => gain * factor), ['slope', 'low', 'high', 'error'], level),
    }));
  });
}

/**
 * @param {Row[]} rows of one engine and load @param {number} roles
 * @returns {Map<number, number>} by block, the rate at which the first role has that load; only blocks with all roles
 */
const leastRates = (rows, roles) =>
  new Map([...group(rows, ({ block }) => Number(block))].flatMap(([block, own]) =>
    (own.length < roles ? [] : [[block, Number(min(own, ({ total_rate_hz }) => Number(total_rate_hz)))]])));

/**
 * @param {typeof PAIRS[number]} pair @param {Row[]} scaling of scaling.tsv @param {number} level
 * @returns {Record<string, any>[]} rows of judged.tsv: the slope of throughput at saturation against cores, through 0, with and without
 *   the idle process; empty if no trial had enough cores
 */
export function measureSlopes({ era, of, to, idle }, scaling, level) {
  const balanced = scaling.filter(({ line, units }) => line === '-' && units !== '-');
  const rows = balanced.filter(({ engine }) => engine === of);
  const bases = balanced.filter(({ engine, units }) => engine === to && units === '1');
  if (bases.length === 0 || !rows.some(({ units }) => Number(units) >= UNITS_NEEDED)) return [];
  const data = ['without', 'with'].flatMap((how, idles) => [
    ...bases.map((row) => ({ row, n: 0 })), ...rows.map((row) => ({ row, n: Number(row.n_cores) - 1 + idles })),
  ].map(({ row, n }) => (
    { law: 'linear', era, engine: of, workload: 'saturated', setting: `${how}-${idle}`, x: [n], value: Number(row.throughput_hz) })));
  const slopes = fitAll(data, level).filter(({ parameter, low }) => parameter === 'slope' && low !== '-');
  return slopes.map(({ setting: count, workload, n, value: mean, low, high, se: error, degrees }) => (
    { count, workload, setting: 'cores=own', n, mean, low, high, scale: 'linear', degrees, error, needs: '-' }));
}
