/** The text report of a run: table of results, verdicts, paths of the figures. */
import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { openBundle } from '../harness/common/bundle.js';
import { describeNumber } from './cards.js';
import { describeCondition, describeDropped } from './condition.js';
import { MARK, describeFlagged, listDisturbed, listDropped, standingOf } from './flagged.js';
import { readJson, readTsv } from '../harness/common/files.js';
import { wrapWords } from '../harness/common/prose.js';
import { describeYardsticks } from '../harness/common/yardstick.js';
import { tellRange } from './figures/words.js';
import { generatorOf } from '../harness/spec/generators.js';
import { listPoints } from '../harness/spec/points.js';
import { PLAIN } from '../harness/common/setting.js';
import { digits, formatInterval, formatTable, numberOrNull } from '../harness/common/format.js';

/** @typedef {import('../analysis/claims/verdict.js').Verdict} Verdict */
/** @typedef {import('../analysis/claims/summary.js').ClaimVerdict} ClaimVerdict */

export const UNANSWERED = 'unanswered_share';
const CONNECTED = 'connected_at_end';

/** Columns of the result's table: heading, metric. @type {[string, string][]} */
const RESULT_COLUMNS = [
  ['saturation, msg/s', 'saturation_hz'],
  ['p50 at saturation, ms', 'latency_p50_ms_at_100'],
  ['p99 at saturation, ms', 'latency_p99_ms_at_100'],
  ['server CPU s/1,000', 'server_cpu_s_per_1k'],
  ['client CPU s/1,000', 'client_cpu_s_per_1k'],
  ['p50 ms from due', 'latency_p50_ms'],
  ['p90', 'latency_p90_ms'],
  ['p99', 'latency_p99_ms'],
  ['msg/s', 'received_hz'],
  ['unanswered', UNANSWERED],
  ['connected', CONNECTED],
];
/** In a sweep these are means over its rates. If the rates are shares of each server's saturation, engines can't be compared by them. */
const AT_ONE_RATE = /^(server|client)_cpu_s_per_1k$|^latency_p\d+_ms$|^received_hz$/;

/** @param {any} spec @param {string} workload @returns {boolean} do its rates depend on the server? */
const hasOwnRates = ({ workloads }, workload) =>
  (workloads?.[workload]?.arrivals?.steps ?? []).some((/** @type {object} */ step) => 'share' in step);

/** @param {string} metric @param {Record<string, string>[]} rows of it @returns {boolean} is it shown? Unanswered messages only if any */
const isTold = (metric, rows) => (metric === UNANSWERED ? rows.some(({ mean }) => Number(mean) > 0) : rows.length > 0);

/** @param {number} share @returns {string} in percent */
export const formatUnanswered = (share) => (share > 0 ? `${digits(100 * share)} %` : '0');

/**
 * @param {string} reduced folder of tables @param {any} spec
 * @returns {{header: string[], rows: string[][]}} the numbers of each point; marked if they are from flagged trials
 */
export function tabulateResult(reduced, spec) {
  const standing = standingOf(reduced);
  const listed = listPoints(spec);
  const whereSet = (/** @type {string} */ text) => (listed.some(({ setting }) => setting !== PLAIN) ? [text] : []);
  const ordered = /** @type {string[]} */ (spec.axes.workload).flatMap((name) => listed.filter(({ workload }) => workload === name));
  const found = ordered.map((point) => {
    const { rows, isFlagged } = standing(point);
    return { point, isFlagged, rows: hasOwnRates(spec, point.workload) ? rows.filter(({ metric }) => !AT_ONE_RATE.test(metric)) : rows };
  });
  const all = found.flatMap(({ rows }) => rows);
  const columns = RESULT_COLUMNS.filter(([, metric]) => isTold(metric, all.filter((row) => row.metric === metric)));
  const rows = found.map(({ point: { workload, engine, setting }, rows: own, isFlagged }) => {
    const mark = isFlagged ? MARK : '';
    const cells = columns.map(([, metric]) => {
      const row = own.find((each) => each.metric === metric);
      if (!row) return '-';
      if (metric === UNANSWERED) return formatUnanswered(Number(row.mean)) + mark;
      if (metric === CONNECTED) return String(Math.round(10 * Number(row.mean)) / 10) + mark; // a lost connection is seen
      const interval = row.low === '-' || !metric.includes('_per_1k') ? '' : ` [${digits(Number(row.low))}, ${digits(Number(row.high))}]`;
      return (metric === 'saturation_hz' && isLeast(own) ? 'at least ' : '') + digits(Number(row.mean)) + interval + mark;
    });
    return [workload, engine, ...whereSet(setting), spec.engines[engine].era, `${own[0]?.n ?? '0'}${mark}`, ...cells];
  });
  return { header: ['workload', 'engine', ...whereSet('setting'), 'era', 'n', ...columns.map(([heading]) => heading)], rows };
}

/** @param {string} reduced folder of tables @param {any} spec @returns {string} the same as text, without the only workload */
export function formatResult(reduced, spec) {
  const { header, rows } = tabulateResult(reduced, spec);
  const isOnly = new Set(rows.map(([workload]) => workload)).size === 1;
  return isOnly ? formatTable(header.slice(1), rows.map((row) => row.slice(1))) : formatTable(header, rows);
}

/** @param {Record<string, string>[]} rows of a point @returns {boolean} did a search end because the load generator's core was full? */
const isLeast = (rows) => rows.some(({ metric, mean }) => metric === 'saturation_at_least' && Number(mean) > 0);

/**
 * @param {Pick<Verdict, 'metric' | 'of' | 'to' | 'setting' | 'to_setting' | 'to_metric'>} row
 * @returns {string} what was compared, such as "server_cpu_s_per_1k of a / b", "busiest_cpu_cores of a at processes=2+2+1 / a at
 *   processes=1+1+1" or "worker_cpu_cores / store_cpu_cores of a"
 */
export function describeComparison({ metric, of, to, setting, to_setting = setting, to_metric = metric }) {
  const at = (/** @type {string} */ engine, /** @type {string} */ where) => (where === PLAIN ? engine : `${engine} at ${where}`);
  const own = at(of, setting);
  if (to === '-') return `${metric} of ${own}`;
  const other = at(to, to_setting);
  return own === other ? `${metric} / ${to_metric} of ${own}` : `${metric} of ${own} / ${other}`;
}

/**
 * The verdicts in words, a line for each claim, era and baseline.
 * @param {Verdict[]} verdicts
 * @returns {string[]} such as "T4 2014, server_cpu_s_per_1k of socketcluster-2014 / socket.io-2014 (criterion >1): 1.47 to 1.67,
 *   reproduced 2 of 2"
 */
export function summariseVerdicts(verdicts) {
  const name = (/** @type {Verdict} */ row) => `${row.claim} ${row.era}, ${describeComparison(row)} (criterion ${row.criterion})`;
  return [...Map.groupBy(verdicts, name)].map(([group, own]) => {
    const means = own.map(({ mean }) => mean).filter((mean) => mean !== null);
    const words = [...new Set(own.map(({ verdict }) => verdict))];
    const counts = own.length === 1 ? words : words.map((word) => `${word} ${own.filter(({ verdict }) => verdict === word).length} of ${own.length}`);
    return `${group}: ${[tellRange(means, digits), ...counts].filter(Boolean).join(', ')}`;
  });
}

/** @param {ClaimVerdict} claim @returns {string} such as "T4 2014: inconclusive (of 4 rows 3 reproduced, 1 inconclusive; all must hold)" */
export function describeClaim({ claim, era, verdict, ...rest }) {
  return `${claim} ${era}: ${verdict} (${describeRows(rest)}${rest.younger ? '; criterion or computation changed after the run' : ''})`;
}

/**
 * @param {Pick<ClaimVerdict, 'rows' | 'words' | 'must_hold'>} claim
 * @returns {string} such as "of 4 rows 3 reproduced, 1 inconclusive; all must hold"
 */
export function describeRows({ rows, words, must_hold }) {
  const counts = Object.entries(words).map(([word, count]) => `${count} ${word}`).join(', ');
  return rows === 1 ? 'one row' : `of ${rows} rows ${counts}; ${must_hold === 'all' ? 'all must hold' : 'one is enough'}`;
}

/** @param {Verdict[]} verdicts @param {ClaimVerdict[]} claims @returns {string} the verdicts in words, or why no claim is judged */
export function describeVerdicts(verdicts, claims) {
  if (verdicts.length === 0) return 'This experiment judges no claim.';
  const names = [...new Set(verdicts.map(({ claim }) => claim))].join(', ');
  if (verdicts.every(({ n }) => n === 0)) return `No claim is judged (${names}): no trial stands that has a number of one.`;
  if (verdicts.every(({ low }) => low === null)) {
    const means = summariseVerdicts(verdicts.filter(({ mean }) => mean !== null));
    return [...means, `No claim is judged (${names}): an interval takes three trials a point; run PROFILE=default or paper.`].join('\n');
  }
  return `${[...summariseVerdicts(verdicts), '', ...claims.map(describeClaim)].join('\n')}\n\n${verdictTable(verdicts)}`;
}

/** Heading of numbers as describeNumber (cards.js) writes them. */
export const MEAN = 'mean [95 %]';

/** @param {Verdict[]} verdicts @returns {string} */
function verdictTable(verdicts) {
  const rows = verdicts.map((row) => [
    row.claim, row.era, row.workload, describeComparison(row),
    `${row.criterion}`, describeNumber(row), String(row.n), row.verdict, row.decided_by ?? '',
  ]);
  return formatTable(['claim', 'era', 'workload', 'what', 'criterion', MEAN, 'n', 'verdict', 'what would decide it'], rows);
}

/** Columns of the generators' table after that of the server's cost: heading, metric. @type {[string, string][]} */
const GENERATOR_COLUMNS = [['client CPU', 'client_cpu_s_per_1k'], ['p50', 'latency_p50_ms'], ['p99', 'latency_p99_ms']];

/** @param {Record<string, string>} row of generators.tsv @returns {string} is the server's cost the same under both? */
export function judgeAgreement({ n, low, high }) {
  if (n === '0') return 'not run';
  if (low === '-') return 'no interval';
  return Number(low) <= 1 && Number(high) >= 1 ? 'agrees' : 'differs';
}

/**
 * Compares two generators on the same points.
 * @param {Record<string, string>[]} rows of generators.tsv
 * @param {string} [usual] the generator of points that name none
 * @returns {string} a sentence, and a table with a line for each engine, workload and setting
 */
export function describeGenerators(rows, usual) {
  const interval = (/** @type {Record<string, string>} */ { mean, low, high }) =>
    formatInterval({ mean: numberOrNull(mean), low: numberOrNull(low), high: numberOrNull(high) });
  const costs = rows.filter(({ metric }) => metric === 'server_cpu_s_per_1k');
  const lines = costs.map((cost) => {
    const own = rows.filter(({ of, workload, setting }) => of === cost.of && workload === cost.workload && setting === cost.setting);
    const others = GENERATOR_COLUMNS.map(([, metric]) => own.filter((row) => row.metric === metric).map(interval)[0]);
    return [cost.workload, cost.of, cost.to_setting, cost.n, interval(cost), judgeAgreement(cost), ...others];
  });
  const words = [...new Set(costs.map(judgeAgreement))];
  const counts = words.map((word) => `${word} ${costs.filter((cost) => judgeAgreement(cost) === word).length} of ${costs.length}`);
  return [
    `${generatorOf(costs[0].setting, usual)} / ${generatorOf(costs[0].to_setting, usual)}: geometric means of the ratios within blocks, with their 95 % intervals. What a message costs the server agrees`,
    `where the interval holds 1: ${counts.join(', ')}. Latency is that of each generator's own client, from the time a message was due.`,
    formatTable(['workload', 'engine', 'setting', 'n', 'server CPU', '', ...GENERATOR_COLUMNS.map(([heading]) => heading)], lines),
  ].join('\n');
}

/** @param {Record<string, any>[]} points of points.tsv @returns the CPU used by the capture itself; empty without valid trials */
export function describeCapture(points) {
  const means = points.filter(({ metric }) => metric === 'capture_cpu_cores').map(({ mean }) => Number(mean));
  return means.length ? [`the capture itself used at most ${digits(Math.max(...means))} of a core (mean of the point where it was most)`] : [];
}

/**
 * @param {Record<string, string>[]} rows of dollars.tsv
 * @returns {string[]} the lowest and highest cost of a million messages; empty if none was answered
 */
export function describeCost(rows) {
  const sorted = rows.filter(({ what }) => what === 'million_messages').sort((a, b) => Number(a.usd) - Number(b.usd));
  if (sorted.length === 0) return [];
  const [cheapest, dearest] = [sorted[0], sorted[sorted.length - 1]];
  const name = (/** @type {Record<string, string>} */ { usd, engine }) => `$${usd} (${engine})`;
  const least = cheapest.engine === dearest.engine ? `$${cheapest.usd}` : name(cheapest);
  const range = cheapest === dearest ? name(dearest) : `${least} to ${name(dearest)}`;
  const lacks = [...new Set(sorted.flatMap((row) => row.lacks.split(',')))].filter((word) => word !== '-');
  const without = lacks.length ? ` without ${lacks.join(' and ')}` : '';
  const reckoned = sorted.some(({ egress_by }) => egress_by === 'packets') ? ', its egress as a packet a message' : '';
  return [`a million messages cost the server ${range}${without}${reckoned}, at prices of ${sorted[0].as_of} (reduced/dollars.tsv)`];
}

/** @param {string} text @param {number} [columns] of the terminal; undefined for a file @returns {string} wrapped between words */
export function wrapText(text, columns) {
  return columns ? text.split('\n').flatMap((line) => wrapWords(line, columns)).join('\n') : text;
}

/**
 * @param {string} bundle @param {string[]} figures their paths
 * @returns {string} the report: the table, the verdicts, what was left out, and the paths of figures and bundle
 */
export function describeResult(bundle, figures) {
  const { spec, plan } = openBundle(bundle);
  const reduced = join(bundle, 'reduced');
  const { verdicts, claims } = readJson(join(bundle, 'verdict.json'));
  const dropped = readTsv(join(reduced, 'dropped.tsv'));
  const flagged = describeFlagged(plan, dropped);
  const generators = readTsv(join(reduced, 'generators.tsv'));
  return [
    `\n${spec.title} (${spec.source})\n${[...describeCondition(spec, plan), ...describeYardsticks(bundle)].join('\n')}\n`,
    formatResult(reduced, spec),
    ...(flagged ? [`${MARK} ${flagged}`] : []),
    `\n${describeVerdicts(verdicts, claims)}\n`,
    ...(generators.length ? [`${describeGenerators(generators, spec.load.generator)}\n`] : []),
    ...describeCapture(readTsv(join(reduced, 'points.tsv'))),
    ...describeCost(readTsv(join(reduced, 'dollars.tsv'))),
    ...listDropped(dropped),
    ...listDisturbed(readTsv(join(reduced, 'disturbed.tsv'))),
    describeDropped(plan, dropped),
    ...(existsSync(join(bundle, 'figures')) ? [figures.filter((path) => path.endsWith('.png')).map((path) => `figure  ${path}`).join('\n')] : []),
    `bundle  ${relative(process.cwd(), bundle)}`,
  ].join('\n');
}
