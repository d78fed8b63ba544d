/**
 *   roles.tsv        the roles of each engine, in the order of a mix
 * capacities.tsv   the rate at which one process of each role has a given load of its core, and what that predicts for
 *                  mixes, block by block
 *   predictions.tsv  the same over blocks, beside what was measured whole
 * latency.tsv      how long a message should take in a server that runs whole, by those demands, beside what was
 *                  measured
 *   slopes.tsv       what a core of SocketCluster carries, over what one process of engine.io does
 * scaling.tsv      throughput at saturation against cores, where processes had cores of their own; fits.tsv and
 *                  residuals.tsv: linear growth, Amdahl's, Gustafson's and
 *                    the Universal Scalability Law
 *   rates.tsv        the rates per connection that the listing makes; totals.tsv: their sums
 *   judged.tsv       what claims are judged by
 */
import { group } from 'd3-array';
import { join } from 'node:path';
import { COMPARISON_COLUMNS, FOUND_COLUMNS } from '../../analysis/points/comparisons.js';
import { FIT_COLUMNS, RESIDUAL_COLUMNS, fitAll } from '../../analysis/points/fits.js';
import { readTsv } from '../../harness/common/files.js';
import { judgeBalance } from './balance.js';
import { CAPACITY_COLUMNS, computeCapacities, tellCapacity } from './capacities.js';
import { LATENCY_COLUMNS, predictLatencies } from './latency.js';
import { PREDICTION_COLUMNS, predictRates } from './predictions.js';
import { RATE_COLUMNS, TOTAL_COLUMNS, describeRates } from './rates.js';
import { SCALING_COLUMNS, listLaws, listScaling } from './scaling.js';
import { judgeSharing } from './sharing.js';
import { SLOPE_COLUMNS, computeSlopes, judgeSlopes } from './slopes.js';

/** @typedef {Record<string, string>} Row */

const COUNTS = [1, 2, 3, 4];
const WORKERS = [1, 2, 4, 8];
/** Mixes of which a capacity is computed, whatever ran. @type {[engine: string, mix: string][]} */
const MIXES = [
  ...COUNTS.flatMap((balancers) =>
    COUNTS.map((workers) => /** @type {[string, string]} */ (['socketcluster-2014', `${balancers}+${workers}+1`])),
  ),
  ...WORKERS.flatMap(
    (workers) =>
      /** @type {[string, string][]} */ ([
        ['socketcluster-14', `${workers}+1`],
        ['engine.io', `${workers}`],
        ['ws', `${workers}`],
      ]),
  ),
];
/** Those whose latency is computed. @type {[engine: string, mix: string][]} */
const ON_OWN_CORES = [
  ['socketcluster-2014', '1+1+1'],
  ['socketcluster-2014', '2+2+1'],
  ['socketcluster-2014', '4+4+1'],
  ['engine.io-2014', '1'],
  ['socketcluster-14', '1+1'],
  ['socketcluster-14', '4+1'],
  ['engine.io', '1'],
];
const T19 = { claim: 'T19', metric: 'usl_kappa', criterion: 'holds 0 within 0.002', to: '-', to_setting: '-', to_metric: '-' };
/** The laws of speed-up take real cores, and many of them: at these mixes there are enough. */
const MANY_CORES = ['4+4+1', '8+1'];

/** @param {[string, string][]} mixes @returns {Map<string, string[]>} by engine */
const byEngine = (mixes) =>
  new Map([...group(mixes, ([engine]) => engine)].map(([engine, rows]) => [engine, rows.map(([, mix]) => mix)]));

/** @param {Row[]} plan @returns {[string, string][]} larger mixes, where this machine ran them for real */
function listLarger(plan) {
  const ran = plan
    .filter((row) => row.workload === 'saturated' && row['setting.cores'] === 'own' && row['setting.processes'])
    .map((row) => /** @type {[string, string]} */ ([row.engine, row['setting.processes']]));
  return [...new Map(ran.map((pair) => [pair.join(':'), pair])).values()].filter(
    (pair) => !MIXES.some((mix) => mix.join(':') === pair.join(':')),
  );
}

/**
 * @param {any} spec
 * @returns {Row[]} engine, position, role, count; count is that of points without a mix of their own
 */
const listRoles = ({ engines }) =>
  Object.entries(engines).flatMap(([engine, { processes }]) =>
    Object.entries(processes).map(([role, count], index) => ({ engine, position: String(index + 1), role, count: String(count) })),
  );

/** @param {Row[]} rows of one line @returns {number} different n of a law */
const countUnits = (rows) => new Set(rows.map(({ units }) => units)).size;

/** Where no machine had the cores. */
const UNDECIDED = [
  ['2014', 'socketcluster-2014'],
  ['today', 'socketcluster-14'],
].map(([era, of]) => ({ ...T19, era, workload: 'saturated', setting: 'cores=own', of, n: 0, needs: '10 cores' }));

/** @param {Row} of a line of scaling.tsv @param {Row[]} fits @returns {Record<string, unknown>} */
function judgeLine({ era, engine, workload, line }, fits) {
  const kappas = fits.filter(({ law, parameter }) => law === 'usl' && parameter === 'kappa');
  const fit = kappas.find((row) => row.era === era && row.engine === engine && row.workload === workload && row.setting === line);
  const { n = 0, value: mean = '-', low = '-', high = '-', degrees = '-', se: error = '-' } = fit ?? {};
  const known = low === '-' ? { scale: '-', degrees: '-' } : { scale: 'linear', degrees, error };
  return { ...T19, era, workload, setting: line, of: engine, n, mean, low, high, ...known };
}

/**
 * @param {Row[]} fits
 * @param {Row[]} scaling
 * @param {Row[]} plan
 * @returns {Record<string, unknown>[]} rows of T19: that a law's coherence is near zero
 */
function judgeLaws(fits, scaling, plan) {
  const balanced = scaling.filter(({ units }) => units !== '-');
  const lines = [...group(balanced, ({ era, engine, workload, line }) => [era, engine, workload, line].join('\t')).values()];
  const isFitted = lines.some((rows) => countUnits(rows) >= 3);
  if (!isFitted || !plan.some((row) => row['setting.cores'] === 'own' && MANY_CORES.includes(row['setting.processes']))) return UNDECIDED;
  return lines.filter((rows) => countUnits(rows) >= 2).map(([row]) => judgeLine(row, fits));
}

/**
 * @param {import('../../analysis/points/tables.js').Tables} tables
 * @returns {{trial: string, block: string, window_s: number, due: number}[]} connections of each trial that stands,
 *   under the workload as listed
 */
function listConnections({ plan, read, rawOf }) {
  const standing = new Set(read('trials').map(({ trial }) => trial));
  return plan
    .filter(({ trial, workload }) => standing.has(trial) && workload === 'listed')
    .flatMap(({ trial, block, from_s, to_s }) =>
      readTsv(join(rawOf(trial), 'client/connections.tsv')).map(({ due }) => ({
        trial,
        block,
        window_s: Number(to_s) - Number(from_s),
        due: Number(due),
      })),
    );
}

/** @param {import('../../analysis/points/tables.js').Tables} tables */
export function makeTables(tables) {
  const { spec, plan, read, write, level, hasCaptures } = tables;
  const [trials, steps] = [read('trials'), read('steps')];
  const roleRows = listRoles(spec);
  const roles = new Map(
    [...group(roleRows, ({ engine }) => engine)].map(([engine, rows]) => [
      engine,
      rows.map(({ role, count }) => ({ role, count: Number(count) })),
    ]),
  );
  write('roles', ['engine', 'position', 'role', 'count'], roleRows);
  const namesOf = new Map([...roles].map(([engine, own]) => [engine, own.map(({ role }) => role)]));
  write('capacities', CAPACITY_COLUMNS, computeCapacities(steps, namesOf, byEngine([...MIXES, ...listLarger(plan)])).map(tellCapacity));
  const capacities = read('capacities');
  write('predictions', PREDICTION_COLUMNS, predictRates(capacities, trials, level));
  const cores = spec.environment?.cores ?? 0;
  write('latency', LATENCY_COLUMNS, predictLatencies({ steps, trials, roles, cores, mixesOf: byEngine(ON_OWN_CORES), level }));
  write('slopes', SLOPE_COLUMNS, computeSlopes(capacities, level));
  write('scaling', SCALING_COLUMNS, listScaling(trials, roles));
  const { fits, residuals } = fitAll(listLaws(read('scaling')), level);
  write('fits', FIT_COLUMNS, fits);
  write('residuals', RESIDUAL_COLUMNS, residuals);
  write(
    'judged',
    [...COMPARISON_COLUMNS, ...FOUND_COLUMNS, 'needs', 'published'],
    [
      ...judgeSharing(trials, roles, level),
      ...judgeBalance(steps, level),
      ...judgeSlopes(read('slopes')),
      ...judgeLaws(read('fits'), read('scaling'), plan),
    ].map((row) => ({ published: '-', ...row })),
  );
  if (!hasCaptures) return; // a result of record: the tables of single connections came with it
  const { rates, totals } = describeRates(spec.workloads.listed.arrivals.max_ms, listConnections(tables));
  write('rates', RATE_COLUMNS, rates);
  write('totals', TOTAL_COLUMNS, totals);
}
