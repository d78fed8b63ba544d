/**
 * Ranks engines by their server's cost per message at one load, and tells which of them are indistinguishable.
 *
 * The cost comes from the engine's surface (surface.js). An engine's rank is 1 + the number of significantly cheaper
 * engines: those for which the 95 % interval of the ratio excludes 1, by Welch's t (statistics/tests.js) on logarithms, with
 * engines and blocks in a two-way layout (statistics/two-way.js). These trials cannot tell engines with a common rank from
 * the first of them. Pairs are not corrected for their number: of twenty pairs of equal engines, one is expected to differ
 * significantly.
 *
 * An engine has no rank in three cases. Fewer than three blocks give its cost. Or the interval of its cost relative to the
 * median engine of each block is wider than a factor of two. Or it was measured only at another number of connections, or
 * only at another size.
 */
import { max, mean, median, rollup } from 'd3-array';
import { digitsOf } from '../digits.js';
import { LEVEL, findCentre } from '../statistics/intervals.js';
import { isBelow } from '../statistics/tests.js';
import { estimateInBlocks } from '../statistics/two-way.js';
import { COLD_CONNECTIONS } from './cold-steps.js';
import { MULTIPLE_COLUMNS } from './multiples.js';
import { centreCells } from './points.js';
import { fitReference, fitSurfaces, multiplesOf } from './surface.js';

/** @typedef {Record<string, string>} Row */
/** @typedef {import('./surface.js').Surface} Surface */
/** @typedef {import('./surface.js').At} At */
/** @typedef {import('./surface.js').Cost} Cost */
/**
 * @typedef {object} Ranked
 * @property {Surface} surface @property {Cost[]} costs
 * @property {string} how measured, interpolated, extrapolated, or of another load; or why not known
 * @property {number | undefined} mean of the costs' logarithms; undefined without a cost
 * @property {string} unranked why it has a cost but no rank; "-" otherwise
 */
/** @typedef {{trials: Row[], steps: Row[], disturbed: Row[], reference?: Row[], referenceSteps?: Row[]}} Tables */
/** @typedef {{lost_hz: Map<string, number>, level: number, reference: Surface | undefined}} Given `reference`: of the multiples */
/** @typedef {{total_rate_hz: number, connections?: number, payload_b?: number}} Asked without the others, the design's usual load */

const LOAD = ['total_rate_hz', 'connections', 'payload_b', 'behaviour'];
export const COST = ['us_per_message', 'low', 'high'];
const OTHERS = [...MULTIPLE_COLUMNS, 'how', 'unranked', 'cores', 'saturation_hz', 'server_cores_most', 'at_least'];
export const RANK_COLUMNS = ['workload', 'setting', ...LOAD, 'rank', 'is_shared', 'era', 'engine', 'n', ...COST, ...OTHERS];

/** Upper end of an interval over its lower end; a wider interval gives no order. */
const WIDTH_MAX = 2;

/** @param {Surface} surface @param {At} at @param {Given} given @returns {Ranked} */
function describeEngine(surface, at, { lost_hz }) {
  const found = surface.answer(at);
  const none = { surface, costs: [], mean: undefined, unranked: '-' };
  if ('why' in found) {
    const isLost = !found.isFar && at.total_rate_hz <= (lost_hz.get(surface.engine) ?? 0);
    return { ...none, how: isLost ? 'its steps there were disturbed' : found.why };
  }
  const { costs } = found;
  const how = isElsewhere(surface, at) ? 'of another load' : found.how;
  return { ...none, costs, how, mean: Number(mean(costs, ({ log }) => log)) };
}

/** @param {Ranked[]} engines with a mean @returns {Map<string, number>} by block, the median engine's deviation from its mean */
const driftOf = (engines) => rollup(
  engines.flatMap(({ costs, mean: centre }) => costs.map(({ block, log }) => ({ block, off: log - Number(centre) }))),
  (own) => Number(median(own, ({ off }) => off)), ({ block }) => block);

/** @param {Surface} surface @param {At} at @returns {boolean} was it measured at another number of connections, or size, alone? */
function isElsewhere({ onlyCell }, at) {
  return onlyCell !== undefined && (onlyCell.connections !== at.connections || onlyCell.payload_b !== at.payload_b);
}

/** @param {Ranked} ranked @param {At} at @param {Map<string, number>} drift of each block @returns {string | undefined} */
function whyUnranked({ surface, costs }, at, drift) {
  if (isElsewhere(surface, at)) {
    return `costs were measured at ${surface.onlyCell?.connections} connections and ${surface.onlyCell?.payload_b} B alone, and are those`;
  }
  const { low, high } = findCentre(costs.map(({ block, log }) => Math.exp(log - Number(drift.get(block)))));
  if (low === undefined || high === undefined) return 'no interval';
  return high > WIDTH_MAX * low ? `interval within blocks wider than a factor of ${WIDTH_MAX}` : undefined;
}

/**
 * @param {import('./surface.js').Design} design @param {Asked} asked @param {Given} given
 * @returns {Record<string, unknown>[]} the cheapest first, then those whose cost is of another load, then those without a cost
 */
function rankTable({ surfaces, usual, workload, setting, behaviour }, asked, given) {
  const at = { ...usual, ...asked };
  const engines = surfaces.map((surface) => describeEngine(surface, at, given));
  const reaching = engines.filter((each) => each.mean !== undefined);
  const drift = driftOf(reaching);
  for (const each of reaching) each.unranked = whyUnranked(each, at, drift) ?? '-';
  const classOf = (/** @type {Ranked} */ each) => (each.mean === undefined ? 2 : Number(isElsewhere(each.surface, at)));
  const sorted = engines.sort((a, b) => classOf(a) - classOf(b) || (a.mean ?? 0) - (b.mean ?? 0));
  const ranked = sorted.filter((each) => each.mean !== undefined && each.unranked === '-');
  const means = estimateInBlocks(ranked.map(({ costs }) => costs.map(({ block, log }) => ({ block, value: log }))));
  const ranks = new Map(ranked.map((each, index) => [each, 1 + means.filter((other) => isBelow(other, means[index])).length]));
  return sorted.map((each) => {
    const rank = ranks.get(each);
    const isShared = rank !== undefined && ranked.some((other) => other !== each && ranks.get(other) === rank);
    return { workload, setting, behaviour, ...at, ...describeRank(each, at, given), rank: rank ?? '-', is_shared: isShared ? 'yes' : 'no' };
  });
}

/** @param {Ranked} ranked @param {At} at @param {Given} given */
function describeRank({ surface, costs, mean: centre, how, unranked }, at, { reference, level }) {
  const { isAtLeast, isWithin, ...range } = surface.rangeAt(at);
  const saturation_hz = isWithin ? range.saturation_hz : Infinity;
  return {
    era: surface.era, engine: surface.engine, n: costs.length, how, unranked,
    ...centreCells(costs.map(({ log }) => Math.exp(log)), COST, level),
    ...centreCells(multiplesOf(costs, reference, at), MULTIPLE_COLUMNS, level),
    cores: centre === undefined ? '-' : digitsOf((Math.exp(centre) * at.total_rate_hz) / 1e6, 4),
    saturation_hz: Number.isFinite(saturation_hz) ? digitsOf(saturation_hz, 5) : '-',
    server_cores_most: digitsOf(Number(max(surface.data, ({ row }) => Number(row.cpu_cores))), 3),
    at_least: Number.isFinite(saturation_hz) && isAtLeast !== undefined ? (isAtLeast ? 'yes' : 'no') : '-',
  };
}

/**
 * An engine that cannot answer the rate, or was not tried at it, comes last with "-". at_least: the search ended because the load was full,
 * so saturation_hz is a lower bound.
 * @param {Tables} tables of a run, without the steps that `disturbed` leaves out wholly @param {any} spec @param {Asked} asked
 * @param {{level?: number}} [how] of an engine's own interval; two engines are always compared at 95 %
 * @returns {Record<string, unknown>[]} of ranks.tsv
 */
export function rankEngines({ trials, steps, disturbed, reference, referenceSteps }, spec, asked, { level = LEVEL } = {}) {
  const engineOf = new Map(steps.map(({ trial, engine }) => [trial, engine]));
  const lost = disturbed.filter(({ leaves, reason, trial }) => leaves === 'all' && reason !== COLD_CONNECTIONS && engineOf.has(trial));
  const lost_hz = rollup(lost, (rows) => Number(max(rows, (row) => Number(row.total_rate_hz))), ({ trial }) => String(engineOf.get(trial)));
  const given = { lost_hz, level, reference: fitReference({ reference, referenceSteps }, spec) };
  return fitSurfaces({ trials, steps }, spec).flatMap((design) => rankTable(design, asked, given));
}
