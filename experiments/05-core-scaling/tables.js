/**
 *   roles.tsv        the roles of each engine, in the order of a mix
 *   capacities.tsv   by block: the rate at which one process of each role reaches a given load of its core, and predicted rates of mixes
 *   predictions.tsv  intervals of these over blocks, and measurements of whole servers
 *   latency.tsv      predicted latency in a whole server, and measured latency
 *   slopes.tsv       throughput per core of SocketCluster, relative to one process of engine.io or ws
 *   scaling.tsv      throughput at saturation against cores, with one core per process; fits.tsv and residuals.tsv: linear growth,
 *                    Amdahl's, Gustafson's and the Universal Scalability Law
 *   rates.tsv        distribution of rates per connection in the listing; totals.tsv: their sums
 *   judged.tsv       rows for judging claims
 */
import { group, rollup } from 'd3-array';
import { join } from 'node:path';
import { COMPARISON_COLUMNS, FOUND_COLUMNS } from '../../analysis/points/comparisons.js';
import { FIT_COLUMNS, RESIDUAL_COLUMNS, fitAll } from '../../analysis/points/fits.js';
import { readTsv } from '../../harness/common/files.js';
import { CAPACITY_COLUMNS, PREDICTION_COLUMNS, computeCapacities, formatCapacity, predictRates } from './capacities.js';
import { judge } from './judged.js';
import { LATENCY_COLUMNS, predictLatencies } from './latency.js';
import { RATE_COLUMNS, TOTAL_COLUMNS, describeRates } from './rates.js';
import { SCALING_COLUMNS, SLOPE_COLUMNS, computeSlopes, listLaws, listScaling } from './scaling.js';

/** @typedef {Record<string, string>} Row */
/** @typedef {[engine: string, mix: string]} Mix */

const COUNTS = [1, 2, 3, 4];
const WORKERS = [1, 2, 4, 8];
/** Mixes whose capacity is always computed, even if they did not run. @type {Mix[]} */
const MIXES = [
  ...COUNTS.flatMap((balancers) => COUNTS.map((workers) => /** @type {Mix} */ (['socketcluster-2014', `${balancers}+${workers}+1`]))),
  ...WORKERS.flatMap((workers) => /** @type {Mix[]} */ ([['socketcluster-14', `${workers}+1`], ['engine.io', `${workers}`], ['ws', `${workers}`]])),
];
/** Mixes whose latency is computed, with one core per process. @type {Mix[]} */
const ON_OWN_CORES = [
  ['socketcluster-2014', '1+1+1'], ['socketcluster-2014', '2+2+1'], ['socketcluster-2014', '4+4+1'], ['engine.io-2014', '1'],
  ['socketcluster-14', '1+1'], ['socketcluster-14', '4+1'], ['engine.io', '1'],
];

/** @param {Mix[]} mixes @returns {Map<string, string[]>} by engine, each once */
const byEngine = (mixes) => rollup(mixes, (own) => [...new Set(own.map(([, mix]) => mix))], ([engine]) => engine);

/** @param {Row[]} plan @returns {Mix[]} mixes that ran on this machine */
const listRun = (plan) => plan
  .filter((row) => row.workload === 'saturated' && row['setting.cores'] === 'own' && row['setting.processes'])
  .map((row) => [row.engine, row['setting.processes']]);

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
  // count is the default, for points without a mix
  const roleRows = Object.entries(spec.engines).flatMap(([engine, { processes }]) =>
    Object.entries(processes).map(([role, count], index) => ({ engine, position: index + 1, role, count: Number(count) })));
  const roles = group(roleRows, ({ engine }) => engine);
  write('roles', ['engine', 'position', 'role', 'count'], roleRows);
  const namesOf = rollup(roleRows, (own) => own.map(({ role }) => role), ({ engine }) => engine);
  write('capacities', CAPACITY_COLUMNS, computeCapacities(steps, namesOf, byEngine([...MIXES, ...listRun(plan)])).map(formatCapacity));
  const capacities = read('capacities');
  write('predictions', PREDICTION_COLUMNS, predictRates(capacities, trials, level));
  const cores = spec.environment?.cores ?? 0;
  write('latency', LATENCY_COLUMNS, predictLatencies({ steps, trials, roles, cores, mixesOf: byEngine(ON_OWN_CORES), level }));
  write('slopes', SLOPE_COLUMNS, computeSlopes(capacities, level));
  write('scaling', SCALING_COLUMNS, listScaling(trials, roles));
  const { fits, residuals } = fitAll(listLaws(read('scaling')), level);
  write('fits', FIT_COLUMNS, fits);
  write('residuals', RESIDUAL_COLUMNS, residuals);
  write('judged', [...COMPARISON_COLUMNS, ...FOUND_COLUMNS, 'needs', 'published'], judge(tables, roles));
  if (!hasCaptures) return; // a published record already contains the tables of single connections
  const { rates, totals } = describeRates(spec.workloads.listed.arrivals.max_ms, listConnections(tables));
  write('rates', RATE_COLUMNS, rates);
  write('totals', TOTAL_COLUMNS, totals);
}
