/** What a core of SocketCluster carries, over what one process of an engine does: computed, and where it was run measured. */
import { group, min, sum } from 'd3-array';
import { fitAll } from '../../analysis/points/fits.js';
import { centreCells } from './cells.js';

/** @typedef {Record<string, string>} Row */

/** The thesis compares with engine.io, the README with any server: ws is the fastest of one thread here. */
export const PAIRS = [
  { claims: ['T11', 'R3'], era: '2014', of: 'socketcluster-2014', to: 'engine.io-2014', idle: 'store' },
  { claims: ['T11', 'R3'], era: 'today', of: 'socketcluster-14', to: 'engine.io', idle: 'broker' },
  { claims: ['R3'], era: 'today', of: 'socketcluster-14', to: 'ws', idle: 'broker' },
];
export const SLOPE_COLUMNS = ['era', 'of', 'to', 'count', 'load', 'n', 'slope', 'low', 'high', 'error'];
/** In the middle of what was measured, where a curve is known best, or the largest below it. */
const COMPARED_AT = [0.5, 0.4, 0.3, 0.2, 0.1];
/** Pairs of a balancer and a worker, or workers, up to which a measured line goes. */
const UNITS_NEEDED = 4;

/**
 * The slope of k over k * each + 1 cores through 0, k = 1, 2, 3, as the source's three, five and seven cores (thesis 3.4).
 * @param {number} each
 */
function slopeOfLine(each) {
  const cores = [1, 2, 3].map((k) => k * each + 1);
  return sum(cores, (count, index) => (index + 1) * count) / sum(cores, (count) => count ** 2);
}

/**
 * Compared at one load of a core that every role of both reached in every block. k processes of each working role carry
 * k times what one does (the utilisation law), on n cores: `without-<idle>` counts the working ones, so that the slope
 * is what a core brings; `with-<idle>` one more.
 * @param {Row[]} capacities @param {number} level @returns {Record<string, unknown>[]} of slopes.tsv; n are blocks
 */
export function computeSlopes(capacities, level) {
  const ofRoles = group(capacities.filter(({ kind }) => kind === 'role'), ({ engine }) => engine);
  const rowsOf = (/** @type {string} */ engine) => ofRoles.get(engine) ?? [];
  const countRoles = (/** @type {string} */ engine) => new Set(rowsOf(engine).map(({ what }) => what)).size;
  return PAIRS.filter(({ of }) => ofRoles.has(of)).flatMap(({ era, of, to, idle }) => {
    const reached = [...rowsOf(of), ...rowsOf(to)].map((row) => Number(row.reached));
    const load = ofRoles.has(to) ? COMPARED_AT.find((each) => reached.every((most) => most >= each)) : undefined;
    const [own, base] = [of, to].map((engine) => leastRates(rowsOf(engine).filter((row) => Number(row.load) === load), countRoles(engine)));
    const gains = [...own].sort(([a], [b]) => a - b).flatMap(([block, hz]) => (base.has(block) ? [hz / Number(base.get(block))] : []));
    const factors = { without: 1 / countRoles(of), with: slopeOfLine(countRoles(of)) };
    return Object.entries(factors).map(([how, factor]) => ({
      era, of, to, count: `${how}-${idle}`, load: gains.length ? load : '-', n: gains.length,
      ...centreCells(gains.map((gain) => gain * factor), level, ['slope', 'low', 'high', 'error']),
    }));
  });
}

/**
 * @param {Row[]} rows of one engine and load @param {number} roles
 * @returns {Map<number, number>} by block, the rate at which the first role has that load; none where a role was not measured
 */
const leastRates = (rows, roles) =>
  new Map([...group(rows, ({ block }) => Number(block))].flatMap(([block, own]) =>
    (own.length < roles ? [] : [[block, Number(min(own, ({ total_rate_hz }) => Number(total_rate_hz)))]])));

/**
 * @param {typeof PAIRS[number]} pair @param {Row[]} scaling of scaling.tsv @param {number} level
 * @returns {Record<string, any>[]} of judged.tsv: the slope of throughput at saturation against cores, through 0, with the idle process
 *   counted and without; none where too few cores were run
 */
export function measureSlopes({ era, of, to, idle }, scaling, level) {
  const balanced = scaling.filter(({ line, units }) => line === '-' && units !== '-');
  const rows = balanced.filter(({ engine }) => engine === of);
  const bases = balanced.filter(({ engine, units }) => engine === to && units === '1');
  if (bases.length === 0 || !rows.some(({ units }) => Number(units) >= UNITS_NEEDED)) return [];
  const data = ['without', 'with'].flatMap((how, idles) => [
    ...bases.map((row) => ({ row, n: 0 })), ...rows.map((row) => ({ row, n: Number(row.n_cores) - 1 + idles })),
  ].map(({ row: { trial, throughput_hz }, n }) => (
    { law: 'linear', era, engine: of, workload: 'saturated', setting: `${how}-${idle}`, x: [n], trial, at: n, value: Number(throughput_hz) })));
  const slopes = fitAll(data, level).fits.filter(({ parameter, low }) => parameter === 'slope' && low !== '-');
  return slopes.map(({ setting: count, workload, n, value: mean, low, high, se: error, degrees }) => (
    { count, workload, setting: 'cores=own', n, mean, low, high, scale: 'linear', degrees, error, needs: '-' }));
}
