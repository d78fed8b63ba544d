/**
 *   capacities.tsv   by block: the rate at which one process of each role reaches a given load of its core, and predicted rates of mixes
 *   predictions.tsv  intervals of these over blocks, and measurements of whole servers
 *   slopes.tsv       throughput per core of SocketCluster, relative to one process of engine.io or ws
 *   scaling.tsv      throughput at saturation against cores, with one core per process; fits.tsv: linear growth, Amdahl's, Gustafson's
 *                    and the Universal Scalability Law
 *   rates.tsv        distribution of rates per connection in the listing
 *   judged.tsv       rows for judging claims
 */
import { rollup } from 'd3-array';
import { join } from 'node:path';
import { judgedColumns } from '../../analysis/points/comparisons.js';
import { FIT_COLUMNS, fitAll } from '../../analysis/points/fits.js';
import { readTsv } from '../../harness/common/files.js';
import { CAPACITY_COLUMNS, PREDICTION_COLUMNS, computeCapacities, formatCapacity, mixOf, predictRates } from './capacities.js';
import { judge } from './judged.js';
import { RATE_COLUMNS, describeRates } from './rates.js';
import { SCALING_COLUMNS, SLOPE_COLUMNS, computeSlopes, listLaws, listScaling } from './scaling.js';

/** @typedef {[engine: string, mix: string]} Mix */

const COUNTS = [1, 2, 3, 4];
const WORKERS = [1, 2, 4, 8];
/** Mixes whose capacity is always computed, even if they did not run. @type {Mix[]} */
const MIXES = [
  ...COUNTS.flatMap((balancers) => COUNTS.map((workers) => /** @type {Mix} */ (['socketcluster-2014', `${balancers}+${workers}+1`]))),
  ...WORKERS.flatMap((workers) => /** @type {Mix[]} */ ([['socketcluster-14', `${workers}+1`], ['engine.io', `${workers}`], ['ws', `${workers}`]])),
];
/** @param {Mix[]} mixes @returns {Map<string, string[]>} by engine, each once */
const byEngine = (mixes) => rollup(mixes, (own) => [...new Set(own.map(([, mix]) => mix))], ([engine]) => engine);

/** @param {Record<string, string>[]} plan @param {import('./scaling.js').Roles} roles @returns {Mix[]} mixes that ran on this machine */
const listRun = (plan, roles) => plan.filter((row) => row.workload === 'saturated' && row['setting.cores'] === 'own')
  .map((row) => [row.engine, mixOf(row, roles)]);

/**
 * @param {import('../../analysis/points/tables.js').Tables} tables
 * @returns {{trial: string, block: string, window_s: number, due: number}[]} connections of each valid trial with the workload
 *   `listed`
 */
function listConnections({ plan, read, rawOf }) {
  const standing = new Set(read('trials').map(({ trial }) => trial));
  return plan.filter(({ trial, workload }) => standing.has(trial) && workload === 'listed').flatMap(({ trial, block, from_s, to_s }) =>
    readTsv(join(rawOf(trial), 'client/connections.tsv')).map(({ due }) =>
      ({ trial, block, window_s: Number(to_s) - Number(from_s), due: Number(due) })));
}

/** @param {import('../../analysis/points/tables.js').Tables} tables */
export function makeTables(tables) {
  const { spec, plan, read, write, level, hasCaptures } = tables;
  const [trials, steps] = [read('trials'), read('steps')];
  /** @type {import('./scaling.js').Roles} */
  const roles = new Map(Object.entries(spec.engines).map(([engine, { processes }]) =>
    [engine, Object.entries(processes).map(([role, count]) => ({ role, count: Number(count) }))]));
  const namesOf = new Map([...roles].map(([engine, own]) => [engine, own.map(({ role }) => role)]));
  write('capacities', CAPACITY_COLUMNS, computeCapacities(steps, namesOf, byEngine([...MIXES, ...listRun(plan, roles)])).map(formatCapacity));
  const capacities = read('capacities');
  write('predictions', PREDICTION_COLUMNS, predictRates(capacities, trials, roles, level));
  write('slopes', SLOPE_COLUMNS, computeSlopes(capacities, level));
  write('scaling', SCALING_COLUMNS, listScaling(trials, roles));
  write('fits', FIT_COLUMNS, fitAll(listLaws(read('scaling')), level));
  const judged = judge(tables, roles);
  write('judged', [...judgedColumns(judged), 'needs', 'published'], judged);
  if (!hasCaptures) return; // a published record already contains the tables of single connections
  write('rates', RATE_COLUMNS, describeRates(spec.workloads.listed.arrivals.max_ms, listConnections(tables)));
}
