/** Ranks engines by the cost of a message at a given load, from the cost surfaces of a run. There is no single score. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { findLatencies } from '../analysis/points/latencies.js';
import { rankEngines } from '../analysis/points/ranks.js';
import { loadOf } from '../analysis/points/surface.js';
import { openBundle } from '../harness/common/bundle.js';
import { UserError } from '../harness/common/failure.js';
import { asText, readTsv } from '../harness/common/files.js';
import { checkKnown } from '../harness/common/nearest-word.js';
import { asJson, digits, formatCell, formatInterval, formatTable, numberOrNull } from '../harness/common/format.js';
import { recordOf } from '../harness/common/places.js';
import { tablesOf } from '../harness/common/tables.js';
import { languageOf } from '../harness/spec/engines.js';
import { adviseOn, isOfMachine } from '../analysis/trials/validity.js';
import { PLAIN, settingWithout, settingsIn, spellSettings } from '../harness/common/setting.js';
import { metricAt } from '../analysis/points/runs.js';
import { describeNewRun, findPrediction, readPredictions, spanOfRuns } from './runs.js';
import { UNANSWERED, formatUnanswered } from './summary.js';
import { describeSetting } from './setting-labels.js';

/** @typedef {Record<string, string>} Row */
/** @typedef {import('../analysis/points/ranks.js').Asked & {language?: string, engines?: string[]}} Asked these only, ranked among all */

/** Prefix of a saturation that was not reached. */
const AT_LEAST = 'at least';

/**
 * For searches that did not watch the load generator's core. If the server used less than this in the sweep's last step, at 0.8 of the
 * saturation found, the generator was the limit.
 */
const LOADED_MIN = 0.6;

/**
 * @param {string} bundle a run or a record @param {Asked} asked
 * @returns {{spec: any, tables: string, rows: Row[], isWanted: (engine: string) => boolean}} `tables`: their folder; `rows`: ranks.tsv at
 *   the load, plus language, memory and latency
 * @throws {UserError} if the bundle has no sweep, no valid trial of one, or no such engine
 */
export function rankBundle(bundle, { language, engines, ...asked }) {
  const { spec } = openBundle(bundle);
  const tables = tablesOf(bundle);
  if (!existsSync(join(tables, 'steps.tsv'))) throw new UserError(`${bundle}: holds no sweep, which tells costs at any rate; name a run of an experiment that has one`);
  const points = readTsv(join(tables, 'points.tsv'));
  const latencyOf = findLatencies(readTsv(join(tables, 'steps.tsv')), spec);
  /** @type {Row[]} */
  const rows = readRanks(tables, spec, asked).map((row) => (
    { ...row, language: languageOf(row.engine), ...memoryOf(row, points), ...tellLatency(latencyOf(row)) }));
  if (rows.length === 0) throw nothingToRank(bundle, tables);
  if (engines) checkKnown('ENGINES', engines, [...rows, ...readTsv(join(tables, 'flagged.tsv'))].map(({ engine }) => engine));
  const isWanted = (/** @type {string} */ engine) =>
    (engines?.includes(engine) ?? true) && (language ?? languageOf(engine)).toLowerCase() === languageOf(engine).toLowerCase();
  const wanted = rows.filter(({ engine }) => isWanted(engine));
  if (wanted.length) return { spec, tables, rows: wanted, isWanted };
  if (engines && language === undefined) throw new UserError(`ENGINES: each trial of ${engines.join(', ')} was flagged; see reduced/dropped.tsv, then run again`);
  const whose = engines ? `none of ${engines.join(', ')}` : `no engine of ${bundle}`;
  throw new UserError(`LANGUAGE: "${language}" is the language of ${whose}; use one of ${[...new Set(rows.map((row) => row.language))].sort().join(', ')}`);
}

/** Memory of the server's processes and the kernel for an idle connection. */
const MEMORY = 'memory_b_per_idle_connection';
/** Resident memory of all workers at the end of a load. */
const BUSY_MEMORY = 'worker_rss_kb_per_connection';

/** @param {Row} row of ranks.tsv @param {Row[]} points @returns {Row} MB for as many idle connections as the load has */
function memoryOf({ engine, connections }, points) {
  const one = points.find((point) => point.engine === engine && point.metric === MEMORY && point.setting === PLAIN);
  const megabytes = (cell = '-') => (cell === '-' ? cell : String((Number(cell) * Number(connections)) / 1e6));
  return { memory_mb: megabytes(one?.mean), memory_mb_low: megabytes(one?.low), memory_mb_high: megabytes(one?.high) };
}

/** @param {import('../analysis/points/latencies.js').Latency | undefined} latency @returns {Row} it, and the load that it is of */
export function tellLatency(latency) {
  const cell = (/** @type {number | undefined} */ value) => String(value ?? '-');
  return {
    p99_ms: cell(latency?.p99_ms), p99_rate_hz: cell(latency?.total_rate_hz), p99_connections: cell(latency?.connections),
    p99_payload_b: cell(latency?.payload_b),
  };
}

/** @param {Row} row @returns {string} its latency; in brackets what of its load is above that of the row */
export function describeLatency({ p99_ms, ...row }) {
  if (p99_ms === '-') return '-';
  const above = [
    row.p99_rate_hz === row.total_rate_hz ? '' : `${row.p99_rate_hz}/s`, row.p99_connections === row.connections ? '' : `${row.p99_connections} connections`,
    row.p99_payload_b === row.payload_b ? '' : `${row.p99_payload_b} B`,
  ].filter(Boolean);
  return `${digits(Number(p99_ms))}${above.length ? ` (${above.join(', ')})` : ''}`;
}

/** @param {string} bundle @param {Asked} asked @returns {string} JSON, one row per engine @throws {UserError} as rankBundle does */
export const ranksAsJson = (bundle, asked) => JSON.stringify(rankBundle(bundle, asked).rows.map(asJson), null, 2);

/** @param {string} bundle @param {Asked} asked @returns {string} a table for each setting @throws {UserError} as rankBundle does */
export function describeRanks(bundle, asked) {
  const { spec, tables, rows, isWanted } = rankBundle(bundle, asked);
  const [all, points, dropped] = ['flagged', 'points', 'dropped'].map((name) => readTsv(join(tables, `${name}.tsv`)));
  const flagged = all.filter(({ engine }) => isWanted(engine));
  const reasons = dropped.filter(({ trial }) => flagged.some((row) => row.trial === trial)).map(({ reason }) => reason);
  const groups = [...Map.groupBy(rows, ({ workload, setting }) => `${workload}\t${setting}`).values()];
  const isRecord = resolve(bundle) === recordOf(spec.experiment);
  const predictions = isRecord ? readPredictions(spec.experiment) : [];
  const described = groups.map((own) => describeGroup(spec, own, { flagged, points, reasons, predictions }));
  const another = isRecord ? describeNewRun(spec.experiment) : '';
  return [...described, ...(another ? [another] : [])].join('\n\n');
}

/** @param {string} bundle @param {string} tables @returns {UserError} why no trial of a sweep is valid, and what to do */
function nothingToRank(bundle, tables) {
  const dropped = readTsv(join(tables, 'dropped.tsv'));
  const reasons = [...new Set(dropped.map(({ reason }) => reason))];
  const left = new Set(dropped.map(({ trial }) => trial)).size;
  const why = reasons.length ? ` (${left} left out: ${reasons.join(', ')})` : '';
  const todo = [...adviseOn(reasons), 'see reduced/dropped.tsv', nextRun(reasons)];
  return new UserError(`${bundle}: no trial of a sweep stands${why}, so nothing can be ranked; ${todo.join('; ')}`);
}

/** @param {string[]} reasons why trials were left out @returns {string} how to get valid ones */
function nextRun(reasons) {
  const isPatient = reasons.some(isOfMachine);
  return isPatient ? 'then run again with RESUME=1 PATIENCE=20, which repeats for up to 20 minutes what the machine disturbed' : 'then run again';
}

/** @param {string} tables @param {any} spec @param {Asked} asked @returns {Row[]} ranks.tsv at a load */
export function readRanks(tables, spec, asked) {
  const [trials, steps, disturbed, reference, referenceSteps] = ['trials', 'steps', 'disturbed', 'reference', 'reference-steps']
    .map((name) => readTsv(join(tables, `${name}.tsv`)));
  const given = /** @type {Asked} */ (Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined)));
  return asText(rankEngines({ trials, steps, disturbed, reference, referenceSteps }, spec, given));
}

/** @param {Row} row @returns {string} the saturation, or "at least" the generator's limit */
function describeSaturation({ saturation_hz, at_least, server_cores_most }) {
  if (saturation_hz === '-') return '-';
  const isLeast = at_least === 'yes' || (at_least === '-' && Number(server_cores_most) < LOADED_MIN);
  return `${isLeast ? `${AT_LEAST} ` : ''}${digits(Number(saturation_hz))}`;
}

/**
 * @param {any} spec @param {Row[]} rows of one workload and setting
 * @param {Row[]} predictions of pooled.tsv, which has the usual load at some rates
 * @returns {{column: string[], cellOf: (row: Row) => string[], note: string[]}} what several runs tell of this load; empty if they do not
 */
function tellRuns(spec, rows, predictions) {
  const [{ setting, total_rate_hz, connections, payload_b }] = rows;
  const usual = loadOf(rows[0], spec);
  const isUsual = setting === PLAIN && usual.connections === Number(connections) && usual.payload_b === Number(payload_b);
  const find = (/** @type {Row} */ { engine }) => findPrediction(predictions, engine, metricAt('us', Number(total_rate_hz)));
  const runs = Math.max(0, ...rows.map((row) => Number(find(row)?.runs ?? 0)));
  if (!isUsual || runs === 0) return { column: [], cellOf: () => [], note: [] };
  return {
    column: [`${runs} runs, µs`], cellOf: (row) => [formatCell(/** @type {{mean: string}} */ (find(row) ?? { mean: '-' }))],
    note: [`${runs} runs: the mean of up to as many ${spanOfRuns(spec.experiment)}, and where 95 % of new runs lie. Other columns: one run.`],
  };
}

/** @param {string} connections @param {Row[]} points @returns {string} what the column of memory has */
function describeMemory(connections, points) {
  const isBusyKnown = points.some(({ metric }) => metric === BUSY_MEMORY);
  const more = isBusyKnown ? ` Under load it is more: ./wscale numbers ${BUSY_MEMORY}` : '';
  return `memory: ${connections} times what an idle connection takes, in the server's processes and the kernel.${more}`;
}

/** @param {any} workload of the spec @returns {string[]} what counts as saturation, which old specs do not say */
const describeBound = (workload) =>
  (workload?.search?.p99_ms_max ? [`saturation: the highest rate with a p99 of at most ${workload.search.p99_ms_max} ms and no answer lost.`] : []);

/** @param {any} spec @param {Row} row of ranks.tsv @returns {string} its load */
export function describeLoad(spec, { workload, setting, total_rate_hz, connections, payload_b, behaviour }) {
  const more = setting === PLAIN ? '' : `, ${describeSetting(settingsIn(spellSettings([{ setting }])[0]), [], spec.settings)}`;
  return `${workload}, ${total_rate_hz} messages a second over ${connections} connections, ${payload_b} B, ${behaviour}${more}`;
}

/**
 * @param {any} spec @param {Row[]} rows of one workload and setting
 * @param {{flagged: Row[], points: Row[], reasons: string[], predictions: Row[]}} tables of the run, why trials were left out, and what
 *   several runs of it predict
 * @returns {string}
 */
function describeGroup(spec, rows, { flagged, points, reasons, predictions }) {
  const [{ workload, setting, connections, payload_b }] = rows;
  const isSameLoad = (/** @type {Row} */ point) => {
    const its = loadOf(point, spec);
    return its.connections === Number(connections) && its.payload_b === Number(payload_b);
  };
  const meanOf = (/** @type {string} */ name, /** @type {string} */ wanted) => numberOrNull(points.find((point) => point.engine === name
    && point.metric === wanted && point.workload === workload && settingWithout(point, 'connections', 'payload_b') === setting && isSameLoad(point))?.mean ?? '-');
  const hasLost = rows.some(({ engine }) => Number(meanOf(engine, UNANSWERED)) > 0);
  const hasMultiples = rows.some(({ x_reference }) => x_reference !== '-');
  const hasSaturation = rows.some(({ saturation_hz }) => saturation_hz !== '-');
  const hasMemory = rows.some(({ memory_mb }) => memory_mb !== '-');
  const runs = tellRuns(spec, rows, predictions);
  const lines = rows.map((row) => {
    const { rank, is_shared, engine, language, us_per_message, low, high, how, cores } = row;
    const share = meanOf(engine, UNANSWERED);
    const lost = hasLost ? [share === null ? '-' : formatUnanswered(share)] : [];
    const there = [describeLatency(row), ...(hasSaturation ? [describeSaturation(row)] : []), ...lost];
    const { memory_mb: mean, memory_mb_low, memory_mb_high } = row;
    const kept = [...(hasMemory ? [formatCell({ mean, low: memory_mb_low, high: memory_mb_high })] : []), ...there];
    const multiple = hasMultiples ? [formatCell({ mean: row.x_reference, low: row.x_low, high: row.x_high })] : [];
    if (us_per_message === '-') return ['-', engine, language, '-', ...runs.cellOf(row), ...multiple, how, '-', ...kept];
    const cost = formatInterval({ mean: numberOrNull(us_per_message), low: numberOrNull(low), high: numberOrNull(high) });
    return [`${rank}${is_shared === 'yes' ? ' =' : ''}`, engine, language, cost, ...runs.cellOf(row), ...multiple, how, digits(Number(cores)), ...kept];
  });
  const isOf = (/** @type {Row} */ row) => row.workload === workload;
  const isRanked = (/** @type {string} */ name) => rows.some(({ engine }) => engine === name);
  const without = [...new Set(flagged.filter(isOf).map(({ engine }) => engine))].filter((name) => !isRanked(name));
  const unranked = Map.groupBy(rows.filter((row) => row.unranked !== '-'), (row) => row.unranked);
  const keptHead = [...(hasMemory ? ['memory, MB'] : []), 'p99, ms', ...(hasSaturation ? ['saturation, msg/s'] : []), ...(hasLost ? ['unanswered'] : [])];
  return [
    `${describeLoad(spec, rows[0])}:`,
    ...[...unranked].filter(([, own]) => own.length === rows.length).map(([why]) => `None of these has a rank: ${why}.`),
    formatTable(['rank', 'engine', 'language', 'CPU, µs a message [95 %]', ...runs.column, ...(hasMultiples ? ['x TCP'] : []), 'how', 'cores', ...keptHead], lines),
    'By CPU; engines measured at another load alone come last. Rank: 1 + the number of engines of the run that are cheaper by more than chance; = is shared, - none.',
    'CPU: by a curve fitted to the engine\'s steps. how: this load was one of them (measured), lies between (interpolated) or beyond (extrapolated).',
    ...runs.note,
    ...[...unranked].filter(([, own]) => own.length < rows.length).map(([why, own]) => `No rank (${why}): ${own.map(({ engine }) => engine).join(', ')}.`),
    ...(hasMultiples ? ['x TCP: the cost as a multiple of a plain TCP echo\'s, in the same block.'] : []),
    ...(hasMemory ? [describeMemory(connections, points)] : []),
    'p99: of latency, in the worst trial at the measured load next above this one (in brackets); - if there is none.',
    ...(hasSaturation ? describeBound(spec.workloads[workload]) : []),
    ...(lines.some((line) => line.some((cell) => cell.startsWith(AT_LEAST))) ? [`${AT_LEAST}: the load generator was the limit. The server may answer more, so these rates rank nothing.`] : []),
    ...(hasLost ? ['unanswered: answers that never came, at rates that the server kept up with.'] : []),
    ...(unranked.has('no interval') ? ['An interval takes three blocks: run again with BLOCKS=5 or more.'] : []),
    ...(without.length ? [`Not ranked, since a rule flagged each of their trials (reduced/dropped.tsv): ${without.join(', ')}; ${nextRun(reasons)}.`] : []),
  ].join('\n');
}
