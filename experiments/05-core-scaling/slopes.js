/** What a core of SocketCluster carries, over what one process of an engine does: computed, and where it was run measured. */
import { group, min, sum } from 'd3-array';
import { cellOf } from '../../analysis/digits.js';
import { fitAll } from '../../analysis/points/fits.js';
import { findCentre } from '../../analysis/statistics/intervals.js';

/** @typedef {Record<string, string>} Row */

/** The thesis compares with engine.io, the README with any server: ws is the fastest of one thread here. */
/** @type {{claims: string[], era: string, of: string, to: string, idle: string}[]} */
const PAIRS = [
  { claims: ['T11', 'R3'], era: '2014', of: 'socketcluster-2014', to: 'engine.io-2014', idle: 'store' },
  { claims: ['T11', 'R3'], era: 'today', of: 'socketcluster-14', to: 'engine.io', idle: 'broker' },
  { claims: ['R3'], era: 'today', of: 'socketcluster-14', to: 'ws', idle: 'broker' },
];
export const SLOPE_COLUMNS = ['era', 'of', 'to', 'count', 'load', 'n', 'slope', 'low', 'high', 'error'];
/** In the middle of what was measured, where a curve is known best, or the largest below it. */
const COMPARED_AT = [0.5, 0.4, 0.3, 0.2, 0.1];

/**
 * The slope of k over k * each + 1 cores through 0, k = 1, 2, 3, as the source's three, five and seven cores (thesis
 * 3.4).
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
  const ofRoles = group(
    capacities.filter(({ kind }) => kind === 'role'),
    ({ engine }) => engine,
  );
  const rolesOf = (/** @type {string} */ engine) => [...new Set((ofRoles.get(engine) ?? []).map(({ what }) => what))];
  const hasReached = (/** @type {string} */ engine, /** @type {number} */ load) =>
    rolesOf(engine).every(
      (role) => Number(min(ofRoles.get(engine) ?? [], (row) => (row.what === role ? Number(row.reached) : undefined))) >= load,
    );
  return PAIRS.filter(({ of }) => ofRoles.has(of)).flatMap(({ era, of, to, idle }) => {
    const load = ofRoles.has(to) ? COMPARED_AT.find((each) => hasReached(of, each) && hasReached(to, each)) : undefined;
    const rates = (/** @type {string} */ engine) =>
      leastRates(
        (ofRoles.get(engine) ?? []).filter((row) => Number(row.load) === load),
        rolesOf(engine).length,
      );
    const [own, base] = [rates(of), rates(to)];
    const gains = [...own].sort(([a], [b]) => a - b).flatMap(([block, hz]) => (base.has(block) ? [hz / Number(base.get(block))] : []));
    const each = rolesOf(of).length;
    return [
      ['without', 1 / each],
      ['with', slopeOfLine(each)],
    ].map(([how, factor]) => {
      const centre = gains.length
        ? findCentre(
            gains.map((gain) => gain * Number(factor)),
            level,
          )
        : undefined;
      return {
        era,
        of,
        to,
        count: `${how}-${idle}`,
        load: gains.length ? load : '-',
        n: gains.length,
        slope: cellOf(centre?.mean),
        low: cellOf(centre?.low),
        high: cellOf(centre?.high),
        error: cellOf(centre?.error),
      };
    });
  });
}

/**
 * @param {Row[]} rows of one engine and load
 * @param {number} roles
 * @returns {Map<number, number>} by block, the rate at which the first role has that load; none where a role was not
 *   measured
 */
const leastRates = (rows, roles) =>
  new Map(
    [...group(rows, ({ block }) => Number(block))].flatMap(([block, own]) =>
      own.length < roles ? [] : [[block, Number(min(own, ({ total_rate_hz }) => Number(total_rate_hz)))]],
    ),
  );

/** @type {Record<string, string>} */
const CRITERIA = { T11: '0.4..0.6', R3: '0.7..1.3' };
/** A role that was measured to so much of its core was measured full. */
const FULL = 0.95;
/** On which four balancers, four workers and the load have a core each. */
const CORES_NEEDED = '10 cores';
/** Pairs of a balancer and a worker, or workers, up to which a measured line goes. */
const UNITS_NEEDED = 4;

/**
 * What is computed decides R3 never, and T11 where each role was measured to a full core: a message costs less there
 * than at half of it.
 * @param {string} claim @param {Row} slope @returns {string}
 */
const needsOf = (claim, { load }) => (claim === 'R3' || load === '-' || Number(load) < FULL ? CORES_NEEDED : '-');

/**
 * @param {typeof PAIRS[number]} pair @param {Row[]} scaling of scaling.tsv @param {number} level
 * @returns {Record<string, unknown>[]} the slope of throughput at saturation against cores, through 0, with the idle
 *   process counted and without; none where too few cores were run
 */
function measureSlopes({ era, of, to, idle }, scaling, level) {
  const rows = scaling.filter(({ engine, line, units }) => engine === of && line === '-' && units !== '-');
  const bases = scaling.filter(({ engine, line, units }) => engine === to && line === '-' && units === '1');
  if (bases.length === 0 || !rows.some(({ units }) => Number(units) >= UNITS_NEEDED)) return [];
  const labels = { law: 'linear', era, engine: of, workload: 'saturated' };
  const data = ['without', 'with'].flatMap((how) => [
    ...bases.map((row) => ({ row, n: 0 })), ...rows.map((row) => ({ row, n: Number(row.n_cores) - (how === 'without' ? 1 : 0) })),
  ].map(({ row, n }) => ({ ...labels, setting: `${how}-${idle}`, x: [n], trial: row.trial, at: n, value: Number(row.throughput_hz) })));
  return fitAll(data, level).fits.filter(({ parameter, low }) => parameter === 'slope' && low !== '-')
    .map(({ setting, n, value, low, high, se, degrees }) => (
      { count: setting, workload: 'saturated', setting: 'cores=own', n, mean: value, low, high, scale: 'linear', degrees, error: se, needs: '-' }));
}

/** @param {string} claim @param {Row} slope of slopes.tsv */
const describeComputed = (claim, slope) => ({
  count: slope.count, workload: 'sweep', setting: slope.load === '-' ? '-' : `load=${slope.load}`, n: slope.n, mean: slope.slope, low: slope.low,
  high: slope.high, scale: 'log', degrees: Number(slope.n) > 1 ? Number(slope.n) - 1 : '-', error: slope.error, needs: needsOf(claim, slope),
});

/**
 * @param {Row[]} slopes of slopes.tsv @param {Row[]} scaling of scaling.tsv @param {number} level
 * @returns {Record<string, unknown>[]} of judged.tsv: what was measured, or in its place what is computed
 */
export const judgeSlopes = (slopes, scaling, level) =>
  Object.entries(CRITERIA).flatMap(([claim, criterion]) =>
    PAIRS.filter(({ claims }) => claims.includes(claim)).flatMap((pair) => {
      const computed = slopes.filter(({ of, to }) => of === pair.of && to === pair.to).map((slope) => describeComputed(claim, slope));
      const measured = measureSlopes(pair, scaling, level);
      return (measured.length ? measured : computed).map(({ count, ...row }) => ({
        claim, era: pair.era, metric: `slope_${String(count).replaceAll('-', '_')}`, of: pair.of, to: pair.to, to_setting: '-', to_metric: '-', criterion, ...row,
      }));
    }));
