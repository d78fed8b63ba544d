/**
 * The data of the project's main figure: throughput against cores, relative to one process of the reference engine.
 * Rows "computed" use measured demands at one load of a core that every role reached in every block (slopes.tsv): k processes of each
 * working role carry k times the rate of one, plus one core for the store or broker. So do k processes of ws, which need no other core
 * (capacities.tsv). Rows "run" were measured on that many cores (scaling.tsv).
 */
import { group } from 'd3-array';
import { centreCells } from '../../analysis/points/points.js';

/** @typedef {Record<string, string>} Row */

/** Processes of each working role: up to 9 cores, or 7 of two roles. */
const COUNTS = [1, 2, 3, 4, 6, 8];
const CORES_MOST = 16;
/** Of today: one process serves a connection, so demands are compared at one load of its core. */
const CLUSTER = { engine: 'ws', base: 'engine.io', load: '0.5' };

/** @param {string | number} share */
const percent = (share) => `${Math.round(100 * Number(share))} %`;

/** @param {Row[]} slopes @returns {Record<string, unknown>[]} only relative to Engine.IO, although R3 compares with ws, too */
function listComputed(slopes) {
  const shown = slopes.filter(({ count, to, slope }) => count.startsWith('without') && to.startsWith('engine.io') && slope !== '-');
  return shown.flatMap(({ era, of, load, n, slope, low, high }) => {
    const roles = era === '2014' ? 2 : 1; // balancers and workers, or only workers
    return COUNTS.filter((k) => roles * k + 1 <= CORES_MOST).map((k) => {
      const times = (/** @type {string} */ cell) => (cell === '-' ? '-' : Number(cell) * roles * k);
      const cores = roles * k + 1;
      return { era, engine: of, how: 'computed', load: percent(load), cores, n, relative: times(slope), low: times(low), high: times(high) };
    });
  });
}

/**
 * @param {Row[]} capacities
 * @returns {Record<string, unknown>[]} k processes of ws in a cluster, each with a core and k times the rate of one. Engine.IO's would
 *   be k by construction
 */
function listClusters(capacities) {
  const { engine, base, load } = CLUSTER;
  const ratesOf = (/** @type {string} */ name) => new Map(capacities
    .filter((row) => row.engine === name && row.kind === 'role' && row.load === load && Number(row.reached) >= Number(load)).map((row) => [row.block, Number(row.total_rate_hz)]));
  const bases = ratesOf(base);
  const gains = [...ratesOf(engine)].flatMap(([block, hz]) => (bases.has(block) ? [hz / Number(bases.get(block))] : []));
  return gains.length === 0 ? [] : [1, 2, 4, 8, CORES_MOST].map((k) =>
    rowOf({ era: 'today', engine, how: 'computed', load: percent(load), cores: k }, gains.map((gain) => k * gain)));
}

/** @param {Row[]} scaling @returns {Record<string, unknown>[]} one row per engine and setting */
function listRun(scaling) {
  const rows = group(scaling.filter(({ relative }) => relative !== '-'), ({ engine, setting }) => `${engine}\t${setting}`);
  return [...rows.values()].map((own) =>
    rowOf({ era: own[0].era, engine: own[0].engine, how: 'run', cores: own[0].n_cores }, own.map(({ relative }) => Number(relative))));
}

/** @param {Record<string, unknown>} labels @param {number[]} values */
const rowOf = (labels, values) => ({ ...labels, n: values.length, ...centreCells(values, ['relative', 'low', 'high']) });

/**
 * @param {(table: string) => Row[]} read @param {{machine: string, read: (table: string) => Row[]}[]} [others] what other machines ran
 * @returns {Record<string, Row[]>} tables used only by figures
 */
export function makeRows(read, others = []) {
  const ofOthers = others.flatMap(({ machine, read: readTheirs }) => listRun(readTheirs('scaling')).map((row) => ({ ...row, machine })));
  const capacities = read('capacities');
  const computed = [...listComputed(read('slopes')), ...listClusters(capacities)];
  const rows = [...computed, ...listRun(read('scaling')), ...ofOthers];
  return { relative: rows.map((row) => Object.fromEntries(Object.entries(row).map(([column, cell]) => [column, String(cell)]))) };
}
