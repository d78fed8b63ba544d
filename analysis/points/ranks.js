/**
 * Engines sorted by what a message costs their server at one rate, and which of them can't be told apart.
 *
 * An engine has the rank 1 + the number of those that are decidedly cheaper. Of two engines one is decidedly cheaper
 * where the 95 % interval of their ratio leaves out 1: Student's t on logarithms, the trials in blocks (a two-way
 * layout: H. Scheffé, The Analysis of Variance, 1959, chapter 4), each engine with its own variance, moderated by that
 * of all engines of the table (statistics/moderated.js), and the degrees of freedom of B. L. Welch, Biometrika 34, 1947.
 * Those that have a rank in common are equal to the first of them as far as these trials say. Each pair is by itself:
 * of twenty pairs of equals one is expected to be told apart.
 */
import { group, max, mean, rollup, sum } from 'd3-array';
import { cellOf, digitsOf } from '../digits.js';
import { tQuantile } from '../statistics/distributions.js';
import { LEVEL, findCentre } from '../statistics/intervals.js';
import { moderate } from '../statistics/moderated.js';
import { Curve, stands } from '../statistics/curve.js';
import { pointOf } from './points.js';

/** @typedef {Record<string, string>} Row */
/** @typedef {{row: Row, curve: Curve}} Swept a trial */
/** @typedef {{block: string, log: number}} Cost of a message, as a logarithm of µs */
/**
 * @typedef {object} Ranked
 * @property {string} engine @property {string} era @property {Cost[]} costs
 * @property {number | undefined} mean of their logarithms; none where a trial does not reach the rate
 * @property {Swept[]} trials @property {number} squared of the standard error of the mean @property {number} degrees
 */

const COST = ['n', 'us_per_message', 'low', 'high', 'cores', 'saturation_hz', 'server_cores_most'];
export const RANK_COLUMNS = ['workload', 'setting', 'total_rate_hz', 'rank', 'is_shared', 'era', 'engine', ...COST];
export const AT_LEAST_COLUMN = 'at_least';

/** @param {Row} step */
const isIdle = ({ total_rate_hz }) => Number(total_rate_hz) === 0;

/**
 * @param {Row[]} steps
 * @returns {Swept[]} a step without messages, of this workload or another of the same engine and block, is the curve's begin
 */
function sweepsOf(steps) {
  const shown = steps.filter(
    ({ role, side, batch, backlog_s }) => role === 'server' && side === 'server' && Number(batch) === 1 && stands(backlog_s),
  );
  const [idle, loaded] = [shown.filter(isIdle), shown.filter((row) => !isIdle(row))];
  const idleOf = group(idle, ({ engine, block }) => `${engine} ${block}`);
  return [...group(loaded, ({ trial }) => trial).values()].map((rows) => {
    const curve = Curve.of(rows);
    const own = idleOf.get(`${rows[0].engine} ${rows[0].block}`);
    if (own) curve.add(0, 0, Number(mean(own, ({ cpu_cores }) => Number(cpu_cores))));
    return { row: rows[0], curve };
  });
}

/**
 * What trials say of the search for saturation, and of steps that are in no table.
 * @typedef {{saturation_hz: Map<string, number>, at_least: Map<string, number>, lost_hz: Map<string, number>, level: number}} Limits
 */

/**
 * @param {Swept} swept @param {number} total_rate_hz @param {Limits} limits
 * @returns {number | undefined | null} log of µs a message; undefined: it does not reach the rate; null: it lost the
 *   steps that would say so
 */
function costOf({ row, curve }, total_rate_hz, { saturation_hz, lost_hz }) {
  const reach_hz = saturation_hz.get(row.trial) ?? curve.points[curve.points.length - 1].hz;
  if (curve.points.length < 2 || total_rate_hz > reach_hz) {
    const isLost = total_rate_hz <= (lost_hz.get(row.trial) ?? 0) && total_rate_hz <= (saturation_hz.get(row.trial) ?? Infinity);
    return isLost ? null : undefined;
  }
  const cores = curve.coresAt(total_rate_hz);
  return cores > 0 ? Math.log((1e6 * cores) / total_rate_hz) : undefined;
}

/** @param {Swept[]} trials of one engine @param {number} total_rate_hz @param {Limits} limits @returns {Ranked} */
function describeEngine(trials, total_rate_hz, limits) {
  const found = trials.map((swept) => ({ block: swept.row.block, log: costOf(swept, total_rate_hz, limits) }));
  const costs = /** @type {Cost[]} */ (found.filter(({ log }) => typeof log === 'number'));
  const isBeyond = costs.length === 0 || found.some(({ log }) => log === undefined);
  const { engine, era } = trials[0].row;
  return { engine, era, costs, trials, mean: isBeyond ? undefined : mean(costs, ({ log }) => log), squared: 0, degrees: 0 };
}

/**
 * What is left when engines and blocks have been taken out. What the blocks take of the degrees of freedom, they take
 * of all engines alike.
 * @param {Ranked[]} engines that have a mean
 */
function estimateErrors(engines) {
  const offs = engines.flatMap(({ costs, mean: centre }) => costs.map(({ block, log }) => ({ block, off: log - Number(centre) })));
  const blocks = rollup(offs, (own) => Number(mean(own, ({ off }) => off)), ({ block }) => block);
  const own = sum(engines, ({ costs }) => costs.length - 1);
  const left = own - blocks.size + 1;
  const variances = engines.map(({ costs, mean: centre }) => {
    const degrees = left > 0 ? ((costs.length - 1) * left) / own : 0;
    const squares = sum(costs, ({ block, log }) => (log - Number(centre) - Number(blocks.get(block))) ** 2);
    return { degrees, variance: degrees > 0 ? squares / degrees : 0 };
  });
  for (const [index, { variance, degrees }] of moderate(variances).entries()) {
    Object.assign(engines[index], { squared: variance / engines[index].costs.length, degrees });
  }
}

/** @param {Ranked} a @param {Ranked} b @returns {boolean} is a decidedly cheaper? */
function isCheaper(a, b) {
  const difference = Number(b.mean) - Number(a.mean);
  const squared = a.squared + b.squared;
  const degrees = squared > 0 ? Math.floor(squared ** 2 / (a.squared ** 2 / a.degrees + b.squared ** 2 / b.degrees)) : 1;
  return difference > 0 && difference > tQuantile(degrees, LEVEL) * Math.sqrt(squared);
}

/**
 * @param {Swept[]} sweeps of one workload and setting @param {number} total_rate_hz @param {Limits} limits
 * @returns {Record<string, unknown>[]} the cheapest first, those that do not reach the rate last
 */
function rankTable(sweeps, total_rate_hz, limits) {
  const engines = [...group(sweeps, ({ row }) => row.engine).values()].map((trials) => describeEngine(trials, total_rate_hz, limits));
  const sorted = engines.sort((a, b) => (a.mean ?? Infinity) - (b.mean ?? Infinity) || 0);
  const reaching = sorted.filter((each) => each.mean !== undefined);
  estimateErrors(reaching);
  const isKnown = reaching.some(({ degrees }) => degrees >= 1);
  const rankOf = (/** @type {Ranked} */ each) => (isKnown ? 1 + reaching.filter((other) => isCheaper(other, each)).length : undefined);
  const ranks = new Map(reaching.map((each) => [each, rankOf(each)]));
  return sorted.map((each) => {
    const rank = ranks.get(each);
    const isShared = rank !== undefined && reaching.some((other) => other !== each && ranks.get(other) === rank);
    return { ...describeRank(each, total_rate_hz, limits), rank: rank ?? '-', is_shared: isShared ? 'yes' : 'no' };
  });
}

/** @param {Ranked} ranked @param {number} total_rate_hz @param {Limits} limits */
function describeRank({ costs, mean: centre, trials }, total_rate_hz, { saturation_hz, at_least, level }) {
  const interval = centre === undefined ? undefined : findCentre(costs.map(({ log }) => Math.exp(log)), level);
  const of = (/** @type {Map<string, number>} */ known) => trials.flatMap(({ row }) => known.get(row.trial) ?? []);
  const [saturations, leasts] = [of(saturation_hz), of(at_least)];
  return {
    ...pointOf(trials[0].row),
    total_rate_hz,
    n: costs.length,
    us_per_message: cellOf(interval?.mean), low: cellOf(interval?.low), high: cellOf(interval?.high),
    cores: centre === undefined ? '-' : digitsOf((Math.exp(centre) * total_rate_hz) / 1e6, 4),
    saturation_hz: saturations.length ? digitsOf(findCentre(saturations).mean, 5) : '-',
    server_cores_most: digitsOf(Number(max(trials, ({ curve }) => curve.loadReached)), 3),
    [AT_LEAST_COLUMN]: leasts.length === 0 ? '-' : leasts.some((value) => value > 0) ? 'yes' : 'no',
  };
}

/**
 * An engine of which a trial does not answer the rate, or was not asked for so much, stands at the end with "-".
 * at_least: in some trial the load's core was full where the search ended, so that the server answers saturation_hz at
 * least, and was not asked for more.
 * @param {Row[]} trials of trials.tsv @param {Row[]} steps of steps.tsv
 * @param {number} total_rate_hz messages a second over all connections
 * @param {number} [level] of an engine's own interval; two engines are told apart at 95 %
 * @param {Row[]} [disturbed] of disturbed.tsv: of a step of which all leaves, nothing is in a table. A trial that lacks
 *   its last ones says nothing of rates so high
 * @returns {Record<string, unknown>[]} of ranks.tsv
 */
export function rankEngines(trials, steps, total_rate_hz, level = LEVEL, disturbed = []) {
  const valueOf = (/** @type {string} */ name) =>
    new Map(trials.filter(({ metric }) => metric === name).map(({ trial, value }) => [trial, Number(value)]));
  const lost = disturbed.filter(({ leaves }) => leaves === 'all');
  const lost_hz = rollup(lost, (rows) => Number(max(rows, (row) => Number(row.total_rate_hz))), ({ trial }) => trial);
  const limits = { saturation_hz: valueOf('saturation_hz'), at_least: valueOf('saturation_at_least'), lost_hz, level };
  const tables = group(sweepsOf(steps), ({ row }) => `${row.workload}\t${row.setting}`);
  return [...tables.values()].flatMap((sweeps) => rankTable(sweeps, total_rate_hz, limits));
}
