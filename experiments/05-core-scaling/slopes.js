/** What a core of SocketCluster carries, over what one process of engine.io does. */
import { group, min, sum } from 'd3-array';
import { cellOf } from '../../analysis/digits.js';
import { findCentre } from '../../analysis/statistics/intervals.js';

/** @typedef {Record<string, string>} Row */

/** @type {{era: string, of: string, to: string, idle: string}[]} */
const PAIRS = [
  { era: '2014', of: 'socketcluster-2014', to: 'engine.io-2014', idle: 'store' },
  { era: 'today', of: 'socketcluster-14', to: 'engine.io', idle: 'broker' },
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

const RULES = [
  ['T11', 'without', '0.4..0.6'],
  ['T11', 'with', '0.4..0.6'],
  ['R3', 'without', '0.7..1.3'],
  ['R3', 'with', '0.7..1.3'],
];
/** A role that was measured to so much of its core was measured full. */
const FULL = 0.95;
/** On which four balancers, four workers and the load have a core each. */
const CORES_NEEDED = '10 cores';

/**
 * What is computed decides R3 never, and T11 where each role was measured to a full core: a message costs less there
 * than at half of it.
 * @param {string} claim @param {Row} slope @returns {string}
 */
const needsOf = (claim, { load }) => (claim === 'R3' || load === '-' || Number(load) < FULL ? CORES_NEEDED : '-');

/** @param {Row[]} slopes of slopes.tsv @returns {Record<string, unknown>[]} of judged.tsv */
export const judgeSlopes = (slopes) =>
  RULES.flatMap(([claim, how, criterion]) =>
    slopes
      .filter(({ count }) => count.startsWith(`${how}-`))
      .map((row) => ({
        claim,
        era: row.era,
        workload: 'sweep',
        setting: row.load === '-' ? '-' : `load=${row.load}`,
        metric: `slope_${row.count.replaceAll('-', '_')}`,
        of: row.of,
        to: row.to,
        to_setting: '-',
        to_metric: '-',
        criterion,
        n: row.n,
        mean: row.slope,
        low: row.low,
        high: row.high,
        scale: 'log',
        degrees: Number(row.n) > 1 ? Number(row.n) - 1 : '-',
        error: row.error,
        needs: needsOf(claim, row),
      })),
  );
