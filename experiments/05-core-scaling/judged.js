/** Rows for judging claims, from computations specific to this experiment. */
import { group, sum } from 'd3-array';
import { digitsOf } from '../../analysis/digits.js';
import { compare } from '../../analysis/points/comparisons.js';
import { Curve, stands } from '../../analysis/statistics/curve.js';
import { settingsIn } from '../../harness/common/setting.js';
import { PAIRS, countUnits, groupLines, measureSlopes } from './scaling.js';

/** @typedef {Record<string, string>} Row */
/** @typedef {import('./scaling.js').Roles} Roles */

/** The source's rate as described: a ping every 2.5 s from each of 2,400 connections. */
const RATE_HZ = 960;
const T22 = {
  claim: 'T22', era: '2014', workload: 'sweep', metric: 'balancer_to_worker', of: 'socketcluster-2014', to: '-', criterion: '0.67..1.5', published: '1',
  setting: `rate_hz=${RATE_HZ}`, // over all connections; the row is known by this name in older verdicts
};

/** @param {Row[]} steps of one role in one trial @returns {number} its cores at RATE_HZ; 0 if its curve has fewer than 2 steps */
function coresOf(steps) {
  const curve = Curve.of(steps);
  return curve.points.length < 2 ? 0 : curve.coresAt(RATE_HZ);
}

/**
 * @param {Row[]} steps of steps.tsv
 * @returns {Row[]} as trials.tsv: the ratio of CPU per message, balancer to worker, each alone on its core. One row for each block with
 *   both
 */
export function listBalance(steps) {
  const alone = steps.filter(({ engine, side, role, batch, backlog_s, 'setting.cores': place }) =>
    engine === T22.of && side === 'server' && stands(backlog_s) && Number(batch) === 1 && place === `alone-${role}`);
  return [...group(alone, ({ block }) => block)].flatMap(([block, rows]) => {
    const [balancer, worker] = ['balancer', 'worker'].map((role) => coresOf(rows.filter((row) => row.role === role)));
    if (!(balancer > 0 && worker > 0)) return [];
    return [{ ...rows[0], block, workload: T22.workload, setting: T22.setting, metric: T22.metric, value: digitsOf(balancer / worker) }];
  });
}

const SHARED = ['balancer', 'worker'];
const T10 = [
  { era: '2014', of: 'socketcluster-2014', to: 'socketcluster-2014', setting: 'processes=3+3+1', to_setting: 'processes=2+2+1' },
  { era: 'today', of: 'socketcluster-14', to: 'socketcluster-14', setting: 'processes=3+1', to_setting: 'processes=2+1' },
].map((row) => ({
  ...row, claim: 'T10', workload: 'described', metric: 'shared_cpu_cores', to_metric: 'shared_cpu_cores', criterion: '>1.05',
  published: '1.2', // "30 to 50 %" of six processes, after 50 % of four
}));

/**
 * @param {Row[]} trials of trials.tsv @param {Roles} roles @returns {Row[]} further rows: cores used by all processes that share the load
 */
function listShared(trials, roles) {
  const counted = trials.filter((row) => Object.keys(settingsIn(row)).join() === 'processes' && /_cpu_cores_mean$/.test(row.metric));
  return [...group(counted, ({ trial }) => trial).values()].map((rows) => {
    const counts = rows[0]['setting.processes'].split('+').map(Number);
    const value = sum(roles.get(rows[0].engine) ?? [], ({ role }, index) =>
      SHARED.includes(role) ? Number(rows.find(({ metric }) => metric === `${role}_cpu_cores_mean`)?.value ?? 0) * counts[index] : 0);
    return { ...rows[0], metric: T10[0].metric, value: digitsOf(value) };
  });
}

/** Criteria of the slopes. */
const CRITERIA = { T11: '0.4..0.6', R3: '0.7..1.3' };
/** So that four balancers, four workers and the load have a core each. T11 asks for 95 % of a core, a computed slope stands for half. */
const CORES_NEEDED = '10 cores';

/** @param {Row} slope of slopes.tsv */
const describeComputed = ({ count, load, n, slope: mean, low, high, error }) => ({
  count, workload: 'sweep', setting: load === '-' ? '-' : `load=${load}`, n, mean, low, high, scale: 'log',
  degrees: Number(n) > 1 ? Number(n) - 1 : '-', error, needs: CORES_NEEDED,
});

/**
 * @param {Row[]} slopes of slopes.tsv @param {Row[]} scaling of scaling.tsv @param {number} level
 * @returns {Record<string, unknown>[]} measured slopes, or computed ones if there are none
 */
export const judgeSlopes = (slopes, scaling, level) => Object.entries(CRITERIA).flatMap(([claim, criterion]) =>
  PAIRS.filter(({ claims }) => claims.includes(claim)).flatMap((pair) => {
    const { era, of, to } = pair;
    const measured = measureSlopes(pair, scaling, level);
    const computed = slopes.filter((slope) => slope.of === of && slope.to === to).map(describeComputed);
    return (measured.length ? measured : computed).map(({ count, ...found }) =>
      ({ claim, era, metric: `slope_${count.replaceAll('-', '_')}`, of, to, criterion, ...found }));
  }));

const T19 = { claim: 'T19', metric: 'usl_kappa', criterion: 'holds 0 within 0.002' };
/** The speed-up laws need many real cores: these mixes have enough. */
const MANY_CORES = ['4+4+1', '8+1'];
/** Rows for a machine without enough cores. */
const UNDECIDED = [['2014', 'socketcluster-2014'], ['today', 'socketcluster-14']].map(([era, of]) =>
  ({ ...T19, era, workload: 'saturated', setting: 'cores=own', of, n: 0, needs: CORES_NEEDED }));

/** @param {Row} of one row of a line in scaling.tsv @param {Row[]} fits */
function judgeLine({ era, engine, workload, line }, fits) {
  const fit = fits.find((row) => row.law === 'usl' && row.parameter === 'kappa'
    && row.era === era && row.engine === engine && row.workload === workload && row.setting === line);
  const { n = 0, value: mean, low = '-', high, degrees, se: error } = fit ?? {};
  return { ...T19, era, workload, setting: line, of: engine, n, mean, low, high, ...(low !== '-' && { scale: 'linear', degrees, error }) };
}

/** T19: is the coherence near 0? @param {Row[]} fits @param {Row[]} scaling @param {Row[]} plan @returns {Record<string, unknown>[]} */
function judgeLaws(fits, scaling, plan) {
  const lines = groupLines(scaling);
  const isFitted = lines.some((rows) => countUnits(rows) >= 3);
  if (!isFitted || !plan.some((row) => row['setting.cores'] === 'own' && MANY_CORES.includes(row['setting.processes']))) return UNDECIDED;
  return lines.filter((rows) => countUnits(rows) >= 2).map(([row]) => judgeLine(row, fits));
}

/**
 * @param {{plan: Row[], read: (name: string) => Row[], level: number}} tables @param {Roles} roles
 * @returns {Record<string, unknown>[]} rows of judged.tsv; without T10 or T22 if no block has both sides
 */
export function judge({ plan, read, level }, roles) {
  const [shared, balances] = [listShared(read('trials'), roles), listBalance(read('steps'))];
  return [
    ...compare(T10.filter(({ of, setting }) => shared.some((row) => row.engine === of && row.setting === setting)), shared, level),
    ...(balances.length ? compare([T22], balances, level) : []),
    ...judgeSlopes(read('slopes'), read('scaling'), level),
    ...judgeLaws(read('fits'), read('scaling'), plan),
  ];
}
