/** Engines sorted by what a message costs at a load that a reader names, by the surfaces of a run. There is no single score. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { rankEngines } from '../analysis/points/ranks.js';
import { openBundle } from '../harness/common/bundle.js';
import { UserError } from '../harness/common/failure.js';
import { readTsv } from '../harness/common/files.js';
import { asJson, digits, formatInterval, formatTable, numberOrNull } from '../harness/common/format.js';
import { tablesOf } from '../harness/common/tables.js';
import { adviseOn, isOfMachine } from '../analysis/trials/validity.js';
import { PLAIN, settingsIn, spellSettings } from '../harness/common/setting.js';
import { UNANSWERED, formatUnanswered } from './summary.js';
import { describeSetting } from './setting-labels.js';

/** @typedef {Record<string, string>} Row */
/** @typedef {import('../analysis/points/ranks.js').Asked} Asked */

/** Before a saturation that was not reached. */
const AT_LEAST = 'at least';

/**
 * Where the search did not look at the load's core: with the server's less loaded than this in a sweep's last step, at 0.8 of what was
 * found, the load's was the limit.
 */
const LOADED_MIN = 0.6;

/**
 * @param {string} bundle a run or a result of record @param {Asked} asked
 * @returns {{spec: any, tables: string, rows: Row[]}} its folder of tables, and ranks.tsv at the load
 * @throws {UserError} where the bundle has no sweep, or none that stands
 */
function rankBundle(bundle, asked) {
  const { spec } = openBundle(bundle);
  const tables = tablesOf(bundle);
  if (!existsSync(join(tables, 'steps.tsv'))) throw new UserError(`${bundle}: holds no sweep, which tells costs at any rate; name a run of an experiment that has one`);
  const rows = readRanks(tables, spec, asked);
  if (rows.length === 0) throw nothingToRank(bundle, tables);
  return { spec, tables, rows };
}

/** @param {string} bundle @param {Asked} asked @returns {string} JSON, a row an engine @throws {UserError} as rankBundle does */
export const ranksAsJson = (bundle, asked) => JSON.stringify(rankBundle(bundle, asked).rows.map(asJson), null, 2);

/** @param {string} bundle @param {Asked} asked @returns {string} a table for each setting @throws {UserError} as rankBundle does */
export function describeRanks(bundle, asked) {
  const { spec, tables, rows } = rankBundle(bundle, asked);
  const [flagged, points, dropped] = ['flagged', 'points', 'dropped'].map((name) => readTsv(join(tables, `${name}.tsv`)));
  const groups = [...Map.groupBy(rows, ({ workload, setting }) => `${workload}\t${setting}`).values()];
  return groups.map((own) => describeGroup(spec, own, { flagged, points, reasons: dropped.map(({ reason }) => reason) })).join('\n\n');
}

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

/** @param {string} tables @param {any} spec @param {Asked} asked @returns {Row[]} ranks.tsv at a load */
export function readRanks(tables, spec, asked) {
  const [trials, steps, disturbed] = ['trials', 'steps', 'disturbed'].map((name) => readTsv(join(tables, `${name}.tsv`)));
  const given = /** @type {Asked} */ (Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined)));
  return rankEngines({ trials, steps, disturbed }, spec, given).map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name, String(value)])));
}

/** How long answers take at the saturation that was found, where the server kept up with it: one that answers late is not faster. */
const AT_SATURATION = ['latency_p50_ms_at_100', 'latency_p99_ms_at_100'];

/** @param {number | null} share @returns {string} */
const formatLost = (share) => (share === null ? '-' : formatUnanswered(share));

/** @param {Row} row @returns {string} the saturation that was found, or the load's limit */
function describeSaturation({ saturation_hz, at_least, server_cores_most }) {
  if (saturation_hz === '-') return '-';
  const isLeast = at_least === 'yes' || (at_least === '-' && Number(server_cores_most) < LOADED_MIN);
  return `${isLeast ? `${AT_LEAST} ` : ''}${digits(Number(saturation_hz))}`;
}

/** @param {Row} row @returns {string} such as "5000 messages a second over 1000 connections, 128 B, echo" */
const describeLoad = ({ total_rate_hz, connections, payload_b, behaviour }) =>
  `${total_rate_hz} messages a second over ${connections} connections, ${payload_b} B, ${behaviour}`;

/**
 * @param {any} spec @param {Row[]} rows of one workload and setting
 * @param {{flagged: Row[], points: Row[], reasons: string[]}} tables of the run, and why trials were left out
 * @returns {string}
 */
function describeGroup(spec, rows, { flagged, points, reasons }) {
  const [{ workload, setting }] = rows;
  const more = setting === PLAIN ? '' : `, ${describeSetting(settingsIn(spellSettings([{ setting }])[0]), [], spec.settings)}`;
  const meanOf = (/** @type {string} */ name, /** @type {string} */ wanted) => numberOrNull(
    points.find((point) => point.engine === name && point.metric === wanted && point.workload === workload && point.setting === setting)?.mean ?? '-');
  const hasLost = rows.some(({ engine }) => Number(meanOf(engine, UNANSWERED)) > 0);
  const lines = rows.map((row) => {
    const { rank, is_shared, era, engine, n, us_per_message, low, high, how, cores } = row;
    const latencies = AT_SATURATION.map((metric) => digits(meanOf(engine, metric)));
    const there = [describeSaturation(row), ...latencies, ...(hasLost ? [formatLost(meanOf(engine, UNANSWERED))] : [])];
    if (us_per_message === '-') return ['-', engine, era, n, '-', how, '-', ...there];
    const cost = formatInterval({ mean: numberOrNull(us_per_message), low: numberOrNull(low), high: numberOrNull(high) });
    return [`${rank}${is_shared === 'yes' ? ' =' : ''}`, engine, era, n, cost, how, digits(Number(cores)), ...there];
  });
  const isOf = (/** @type {Row} */ row) => row.workload === workload;
  const isRanked = (/** @type {string} */ name) => rows.some(({ engine }) => engine === name);
  const without = [...new Set(flagged.filter(isOf).map(({ engine }) => engine))].filter((name) => !isRanked(name));
  const unranked = Map.groupBy(rows.filter((row) => row.unranked !== '-'), (row) => row.unranked);
  const thereHead = ['saturation, msg/s', 'p50 then, ms', 'p99 then, ms', ...(hasLost ? ['unanswered'] : [])];
  return [
    `${workload}, ${describeLoad(rows[0])}${more}:`,
    ...[...unranked].filter(([, own]) => own.length === rows.length).map(([why]) => `No engine has a rank: ${why}.`),
    formatTable(['rank', 'engine', 'era', 'n', 'CPU, µs a message [95 %]', 'how', 'cores', ...thereHead], lines),
    'Sorted by cost. Rank: 1 + the number of engines that are cheaper by more than chance (the 95 % interval of the ratio excludes 1; each '
      + 'pair tested by itself). Engines of equal rank (=) can\'t be told apart. An engine whose trials vary more may have a better rank than the one above it.',
    'Costs are of the surface that is fitted to the steps of the sweeps. "how": measured, a step of the sweep has that load; interpolated, it lies between those measured, on the fitted surface; extrapolated, beyond them.',
    ...[...unranked].filter(([, own]) => own.length < rows.length).map(([why, own]) => `No rank (${why}): ${own.map(({ engine }) => engine).join(', ')}.`),
    ...(lines.some((line) => line[7].startsWith(AT_LEAST)) ? [`"${AT_LEAST}": the search ended where the load's core was full; the server may answer more, and no order of saturations is told.`] : []),
    '"then": at the rate of saturation; -: not all of it was answered, or it was disturbed.',
    ...(hasLost ? ['"unanswered": answers that never came, at rates that the server kept up with.'] : []),
    ...(unranked.has('no interval') ? ['An interval takes three blocks: run again with BLOCKS=5 or more.'] : []),
    ...(without.length ? [`Not ranked, since a rule flagged each of their trials (reduced/dropped.tsv): ${without.join(', ')}; ${nextRun(reasons)}.`] : []),
  ].join('\n');
}
