/** Engines sorted by what a message costs at a rate that a reader names, from the sweeps of a run. There is no single score. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { rankEngines } from '../analysis/points/ranks.js';
import { openBundle } from '../harness/common/bundle.js';
import { UserError } from '../harness/common/failure.js';
import { readTsv } from '../harness/common/files.js';
import { asJson, digits, formatInterval, formatTable, numberOrNull } from '../harness/common/format.js';
import { parseRate } from '../harness/common/options.js';
import { tablesOf } from '../harness/common/tables.js';
import { adviseOn, isOfMachine } from '../analysis/trials/validity.js';
import { PLAIN, settingsIn } from '../harness/common/setting.js';
import { UNANSWERED, formatUnanswered } from './summary.js';
import { describeSetting } from './setting-labels.js';

/** @typedef {Record<string, string>} Row */

/** Fewer trials have no interval. */
const TRIALS_MIN = 3;
/** Before a saturation that was not reached. */
const AT_LEAST = 'at least';

/**
 * Where the search did not look at the load's core: with the server's less loaded than this in a sweep's last step, at 0.8 of what was
 * found, the load's was the limit.
 */
const LOADED_MIN = 0.6;

/**
 * @param {string} bundle a run or a result of record
 * @param {string} rate messages a second over all connections, as a person gave it
 * @returns {{spec: any, tables: string, total_rate_hz: number, rows: Row[]}} its folder of tables, and ranks.tsv at the rate
 * @throws {UserError} where the bundle has no sweep, or none that stands
 */
function rankBundle(bundle, rate) {
  const total_rate_hz = parseRate(rate);
  const { spec } = openBundle(bundle);
  const tables = tablesOf(bundle);
  if (!existsSync(join(tables, 'steps.tsv'))) throw new UserError(`${bundle}: holds no sweep, which tells costs at any rate; name a run of an experiment that has one`);
  const rows = readRanks(tables, total_rate_hz);
  if (rows.length === 0) throw nothingToRank(bundle, tables);
  return { spec, tables, total_rate_hz, rows };
}

/** @param {string} bundle @param {string} rate @returns {string} JSON, a row an engine @throws {UserError} as rankBundle does */
export const ranksAsJson = (bundle, rate) => JSON.stringify(rankBundle(bundle, rate).rows.map(asJson), null, 2);

/** @param {string} bundle @param {string} rate @returns {string} a table for each setting @throws {UserError} as rankBundle does */
export function describeRanks(bundle, rate) {
  const { spec, tables, total_rate_hz, rows } = rankBundle(bundle, rate);
  const flagged = readTsv(join(tables, 'flagged.tsv'));
  const groups = [...new Set(rows.map(groupOf))];
  const [steps, points, disturbed] = ['steps', 'points', 'disturbed'].map((name) => readTsv(join(tables, `${name}.tsv`)));
  const reasons = readTsv(join(tables, 'dropped.tsv')).map(({ reason }) => reason);
  return groups.map((group) => {
    const [own, ...others] = [rows, flagged, steps, points].map((table) => table.filter((row) => groupOf(row) === group));
    return describeGroup(spec, total_rate_hz, own, { flagged: others[0], steps: others[1], points: others[2], disturbed, reasons });
  }).join('\n\n');
}

/** @param {Row} row @returns {string} */
const groupOf = ({ workload, setting }) => `${workload}\t${setting}`;

/** @param {string} bundle @param {string} tables @returns {UserError} no trial of a sweep stands: why, and what to do */
function nothingToRank(bundle, tables) {
  const dropped = readTsv(join(tables, 'dropped.tsv'));
  const reasons = [...new Set(dropped.map(({ reason }) => reason))];
  const left = new Set(dropped.map(({ trial }) => trial)).size;
  const why = reasons.length ? ` (${left} left out: ${reasons.join(', ')})` : '';
  const todo = [...adviseOn(reasons), 'see reduced/dropped.tsv', nextRun(reasons)];
  return new UserError(`${bundle}: no trial of a sweep stands${why}, so nothing can be ranked; ${todo.join('; ')}`);
}

/** @param {string[]} reasons why trials were left out @returns {string} how to come to some that stand */
function nextRun(reasons) {
  const isPatient = reasons.some(isOfMachine);
  return isPatient ? 'then run again with RESUME=1 PATIENCE=20, which repeats for up to 20 minutes what the machine disturbed' : 'then run again';
}

/** @param {string} tables @param {number} total_rate_hz @returns {Row[]} ranks.tsv at a rate */
export function readRanks(tables, total_rate_hz) {
  const [trials, steps, disturbed] = ['trials', 'steps', 'disturbed'].map((name) => readTsv(join(tables, `${name}.tsv`)));
  return rankEngines(trials, steps, total_rate_hz, undefined, disturbed).map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name, String(value)])));
}

/** What marks a cost that is none of a step, nor between two. */
const BELOW = '~';

/** @param {number} total_rate_hz @param {Row[]} steps of the engine @returns {boolean} is that less than any of them? */
const isBelow = (total_rate_hz, steps) =>
  total_rate_hz < Math.min(...steps.map((step) => Number(step.total_rate_hz)).filter((step_hz) => step_hz > 0));

/**
 * @param {number} total_rate_hz @param {Row[]} steps of the engine @param {boolean} isLeast
 * @param {boolean} isDisturbed @returns {string} why it has no cost at the rate
 */
function whyNot(total_rate_hz, steps, isLeast, isDisturbed) {
  if (isBelow(total_rate_hz, steps)) return 'not known so low';
  if (isDisturbed) return 'its steps there were disturbed';
  return isLeast ? 'was not asked for so many' : 'does not answer so many';
}

/** How long answers take at the saturation that was found, where the server kept up with it: one that answers late is not faster. */
const AT_SATURATION = ['latency_p50_ms_at_100', 'latency_p99_ms_at_100'];

/** @param {number | null} share @returns {string} */
const formatLost = (share) => (share === null ? '-' : formatUnanswered(share));

/**
 * @param {any} spec @param {number} total_rate_hz @param {Row[]} rows of one setting
 * @param {{flagged: Row[], steps: Row[], points: Row[], disturbed: Row[], reasons: string[]}} tables of the same, the disturbed steps
 *   of all, and why trials were left out
 * @returns {string}
 */
function describeGroup(spec, total_rate_hz, rows, { flagged, steps, points, disturbed, reasons }) {
  const [{ workload, setting }] = rows;
  const bytes = spec.load.payload?.bytes;
  const size = setting === PLAIN ? bytes && `${bytes} B` : describeSetting(settingsIn(rows[0]), [], spec.settings);
  const meanOf = (/** @type {string} */ name, /** @type {string} */ wanted) =>
    numberOrNull(points.find(({ engine, metric }) => engine === name && metric === wanted)?.mean ?? '-');
  const hasLost = rows.some(({ engine }) => Number(meanOf(engine, UNANSWERED)) > 0);
  const lines = rows.map(({ rank, is_shared, era, engine, n, us_per_message, low, high, cores, saturation_hz, server_cores_most, at_least = '-' }) => {
    const found = saturation_hz === '-' ? '-' : digits(Number(saturation_hz));
    const isLeast = found !== '-' && (at_least === 'yes' || (at_least === '-' && Number(server_cores_most) < LOADED_MIN));
    const most = isLeast ? `${AT_LEAST} ${found}` : found;
    const own = steps.filter((step) => step.engine === engine);
    const latencies = AT_SATURATION.map((metric) => digits(meanOf(engine, metric)));
    const there = [most, ...latencies, ...(hasLost ? [formatLost(meanOf(engine, UNANSWERED))] : [])];
    const isDisturbed = n === '0' && disturbed.some((lost) =>
      lost.leaves === 'all' && Number(lost.total_rate_hz) >= total_rate_hz && own.some(({ trial }) => trial === lost.trial));
    if (us_per_message === '-') return ['-', engine, era, n, whyNot(total_rate_hz, own, isLeast, isDisturbed), '-', ...there];
    const cost = formatInterval({ mean: numberOrNull(us_per_message), low: numberOrNull(low), high: numberOrNull(high) });
    return [`${rank}${is_shared === 'yes' ? ' =' : ''}`, engine, era, n, isBelow(total_rate_hz, own) ? `${cost} ${BELOW}` : cost, digits(Number(cores)), ...there];
  });
  const without = [...new Set(flagged.map(({ engine }) => engine))].filter((name) => rows.every(({ engine }) => engine !== name));
  const thereHead = ['msg/s at saturation', 'p50 ms there', 'p99 there', ...(hasLost ? ['unanswered'] : [])];
  const head = ['rank', 'engine', 'era', 'n', 'CPU, us a message [95 %]', 'cores', ...thereHead];
  return [
    `${workload}, ${total_rate_hz} messages a second over all connections${size ? `, ${size}` : ''}:`,
    formatTable(head, lines),
    'Sorted by cost. Rank: 1 + the number of engines that are cheaper by more than chance (the 95 % interval of the ratio excludes 1; each '
      + 'pair tested by itself). Engines of equal rank (=) can\'t be told apart. An engine whose trials vary more may have a better rank than the one above it.',
    ...(lines.some((line) => line[4].endsWith(BELOW)) ? [`"${BELOW}": interpolated between the slowest step of the sweep and an idle server; a message costs more at so low a rate.`] : []),
    ...(lines.some((line) => line[6].startsWith(AT_LEAST)) ? [`"${AT_LEAST}": the load generator was the limit; the server may answer more, and this rate ranks nothing.`] : []),
    '"there": at that rate; -: not every message was answered, or the machine was disturbed.',
    ...(hasLost ? ['"unanswered": answers that never came, at rates that the server kept up with.'] : []),
    ...(lines.every(([, , , n]) => Number(n) < TRIALS_MIN) ? [`No two of them can be told apart by ${lines[0][3] === '1' ? 'one trial' : 'so few trials'} each: an interval takes ${TRIALS_MIN}. Run again with BLOCKS=5 or more.`] : []),
    ...(without.length ? [`Not ranked, since a rule flagged each of their trials (reduced/dropped.tsv): ${without.join(', ')}; ${nextRun(reasons)}.`] : []),
  ].join('\n');
}
