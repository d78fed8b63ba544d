/**
 * Reduces the trials of a bundle, each read once from its raw captures, to tables in a folder:
 *
 *   trials.tsv     trial, block, era, engine, workload, setting, metric, value: every number of every kept trial
 *   series.tsv     CPU of each process and connections, second by second; load.tsv: the same, medians over trials
 *   threads.tsv, system.tsv   other samples, second by second, medians over trials (samples.js)
 *   processes.tsv  CPU, descriptors and memory of each server process in the window
 *   steps.tsv      of a sweep: CPU of each role in each step; further tables come from the run's own parts (own.js)
 *   dropped.tsv    trial, reason, value, bound: every trial that was left out, and why
 *   disturbed.tsv  trial, step, total_rate_hz, leaves, reason, value, bound: every step of a sweep that a rule flags, if
 *                  any; steps.tsv and the trial's percentiles leave out the whole step, or only its latencies
 *   reference.tsv, reference-steps.tsv   as trials.tsv and steps.tsv, for the engine that serves as reference; no other
 *                  table has it, except dropped.tsv and disturbed.tsv
 *   flagged.tsv, flagged-steps.tsv   as trials.tsv and steps.tsv, for trials that a rule flagged, if any
 */
import { existsSync, globSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readSpec } from '../../harness/common/bundle.js';
import { readJson, readTsv, writeTsv } from '../../harness/common/files.js';
import { AGAIN, settingsIn } from '../../harness/common/setting.js';
import { listSpans } from './disturbed-steps.js';
import { computeUsage } from '../captures/accounts.js';
import { readPercentiles } from '../captures/latency.js';
import { readTop } from '../captures/samplers.js';
import { digitsOf } from '../digits.js';
import { computeMemory } from './memory.js';
import { computeMetrics } from './observations.js';
import { loadReductions } from './own.js';
import { LOAD_COLUMNS, computeLoad, listHosts, writeSamples } from './samples.js';
import { computeSteps, computeUnanswered, listDisturbed, stepColumns } from './steps.js';

/** @typedef {Record<string, string>} Row */
/** @typedef {Record<string, unknown>} Cells */

const LABELS = ['trial', 'block', 'era', 'engine', 'workload', 'setting'];
const PROCESS_COLUMNS = ['side', 'role', 'index', 'cpu_cores', 'descriptors', 'rss_kb'];
const SERIES_COLUMNS = ['t_s', 'side', 'process', 'quantity', 'value'];
const METRIC_COLUMNS = ['metric', 'value'];
export const TRIAL_COLUMNS = [...LABELS, ...METRIC_COLUMNS];
export const DISTURBED_COLUMNS = ['trial', 'step', 'total_rate_hz', 'leaves', 'reason', 'value', 'bound'];

/** Tables that grow trial by trial. */
export class Tables {
  /** @type {Map<string, {columns: string[], rows: Cells[]}>} */
  tables = new Map([['trials', METRIC_COLUMNS], ['processes', PROCESS_COLUMNS], ['series', SERIES_COLUMNS]]
    .map(([name, columns]) => [String(name), { columns: [...LABELS, ...columns], rows: [] }]));

  /** @param {string} name @param {string[]} columns @param {Row} labels of the trial @param {Cells[]} rows */
  add(name, columns, labels, rows) {
    const { columns: known, rows: all } = this.tables.get(name) ?? { columns: LABELS, rows: [] };
    for (const row of rows) all.push({ ...labels, ...row });
    this.tables.set(name, { columns: [...new Set([...known, ...columns])], rows: all }); // another trial may have more columns
  }

  /** @param {string} folder @param {string} name @param {string} [as] its name there */
  write(folder, name, as = name) {
    const table = this.tables.get(name);
    if (table) writeTsv(join(folder, `${as}.tsv`), table.columns, table.rows);
  }
}

/** @param {string} bundle @param {string} out an empty folder */
export async function reduceTrials(bundle, out) {
  const spec = readSpec(bundle);
  const plan = readTsv(join(bundle, 'plan.tsv'));
  const sorted = sortOut(bundle, plan, spec);
  writeTsv(join(out, 'dropped.tsv'), ['trial', 'reason', 'value', 'bound'], sorted.dropped);
  const reductions = await loadReductions(spec);
  const [kept, flagged, reference] = [new Tables(), new Tables(), new Tables()];
  const order = [...plan].sort((a, b) => Number(a.point) - Number(b.point) || Number(a.block) - Number(b.block));
  const reduceThose = (/** @type {Tables} */ into, /** @type {Set<string>} */ trials) =>
    order.filter(({ trial }) => trials.has(trial)).flatMap((row) => reduceTrial(into, join(bundle, 'trials', row.trial), row, { reductions, form: spec.form ?? 1 }));
  const disturbed = [...reduceThose(kept, sorted.kept), ...reduceThose(reference, sorted.reference)];
  reduceThose(flagged, sorted.flagged);
  if (disturbed.length) writeTsv(join(out, 'disturbed.tsv'), DISTURBED_COLUMNS, disturbed);
  for (const name of kept.tables.keys()) kept.write(out, name);
  writeSamples(bundle, order.filter(({ trial }) => sorted.kept.has(trial)), out);
  if (sorted.flagged.size) flagged.write(out, 'trials', 'flagged');
  flagged.write(out, 'steps', 'flagged-steps');
  if (spec.reference) reference.write(out, 'trials', 'reference');
  reference.write(out, 'steps', 'reference-steps');
  writeTsv(join(out, 'load.tsv'), LOAD_COLUMNS, computeLoad(/** @type {any} */ (kept.tables.get('series')?.rows)));
}

/**
 * By looser rules than those of the run, a trial and its repeat may both stand: the first counts. A duet repeats whole pairs.
 * @param {string} bundle @param {Row[]} plan @param {any} spec
 * @returns {{kept: Set<string>, flagged: Set<string>, reference: Set<string>, dropped: Row[]}} `reference`: its trials without flags
 */
function sortOut(bundle, plan, { reference: { engine: held } = /** @type {any} */ ({}), beside }) {
  const [kept, flagged, reference] = [new Set(), new Set(), new Set()];
  /** @type {Set<string>} names of trials that stand, without the suffix of a repeat */
  const standing = new Set();
  const dropped = plan.flatMap(({ trial, engine }) => {
    const folder = join(bundle, 'trials', trial);
    const status = existsSync(join(folder, 'status')) ? readFileSync(join(folder, 'status'), 'utf8').split('\n')[0] : 'planned';
    const validity = join(folder, 'validity.tsv');
    if (status !== 'done') return [{ trial, reason: status, value: '-', bound: '-' }];
    if (!existsSync(validity) || statSync(validity).size === 0) return [{ trial, reason: 'not judged', value: '-', bound: '-' }];
    const flags = readTsv(validity).filter(({ passed, severity }) => passed === 'no' && severity === 'flag');
    if (!flags.length && !beside) {
      const first = trial.replace(AGAIN, '');
      if (standing.has(first)) return [{ trial, reason: 'first run stands', value: '-', bound: '-' }];
      standing.add(first);
    }
    if (engine !== held) (flags.length ? flagged : kept).add(trial);
    else if (flags.length === 0) reference.add(trial);
    return flags.map(({ rule, value, bound }) => ({ trial, reason: rule, value, bound }));
  });
  return { kept, flagged, reference, dropped: [...dropped, ...listAttempts(bundle)] };
}

/** @param {string} bundle @returns {Row[]} rows of dropped.tsv: attempts that failed, of trials that were then run once more (RESUME=1) */
const listAttempts = (bundle) => globSync('*.attempt-*/status', { cwd: join(bundle, 'trials') }).sort().flatMap((path) => {
  const reason = readFileSync(join(bundle, 'trials', path), 'utf8').split('\n')[0];
  return reason.startsWith('failed') ? [{ trial: dirname(path), reason, value: '-', bound: '-' }] : []; // else it was broken off
});

/**
 * @param {Tables} into @param {string} folder of a trial @param {Row} row of the plan
 * @param {{reductions: Awaited<ReturnType<typeof loadReductions>>, form: number}} given
 * @returns {Row[]} of disturbed.tsv
 */
function reduceTrial(into, folder, row, { reductions, form }) {
  const raw = join(folder, 'raw');
  const labels = Object.fromEntries(LABELS.map((column) => [column, row[column]]));
  const addMetrics = (/** @type {Cells[]} */ metrics) => into.add('trials', METRIC_COLUMNS, labels, metrics);
  const listed = (/** @type {[string, number][]} */ metrics) => metrics.map(([metric, value]) => ({ metric, value: digitsOf(value) }));
  const read = (/** @type {string} */ name) => readTsv(join(raw, name));
  const [accounts, intervals] = [read('accounts.tsv'), read('client/intervals.tsv')];
  const isKnown = readJson(join(raw, 'client', 'summary.json')).ended_cpu_s !== null;
  const usage = computeUsage(accounts).filter(({ side }) => isKnown || side !== 'client');
  const { steps, percentiles, disturbed } = readSweep(folder, row, form);
  const asked = read('client/metrics.tsv').find(({ metric }) => metric === 'connections')?.value;
  const window = { from_s: Number(row.from_s), to_s: Number(row.to_s), asked: Number(asked ?? 0) };
  addMetrics(listed(computeMetrics(usage, intervals, percentiles, window, form)));
  addMetrics(listed(computeMemory(accounts, read('host.tsv'), intervals)));
  into.add('series', SERIES_COLUMNS, labels, listSeries(raw, intervals));
  for (const name of readdirSync(raw).filter((each) => existsSync(join(raw, each, 'metrics.tsv')))) {
    addMetrics(read(`${name}/metrics.tsv`));
  }
  if (steps.length) {
    const left_out = new Set(disturbed.filter(({ leaves }) => leaves === 'all').map(({ step }) => Number(step)));
    const rows = computeSteps(steps, accounts, intervals, percentiles, left_out, Number(row.from_s));
    into.add('steps', stepColumns(steps), labels, rows);
    addMetrics(listed(computeUnanswered(steps, intervals, percentiles, rows)));
  }
  for (const reduce of reductions) {
    const { metrics = [], tables = {} } = reduce({ raw, ...window, settings: settingsIn(row) });
    addMetrics(listed(metrics));
    for (const [name, { columns, rows }] of Object.entries(tables)) into.add(name, columns, labels, rows);
  }
  into.add('processes', PROCESS_COLUMNS, labels, listProcesses(usage));
  return disturbed;
}

/** @param {import('../captures/accounts.js').Usage[]} usage @returns {Cells[]} what each process of the server used in the window */
const listProcesses = (usage) => usage.filter(({ phase, side }) => phase === 'window' && side === 'server')
  .map((used) => ({ ...used, cpu_cores: digitsOf(used.cpu_s / used.seconds), descriptors: used.descriptors ?? '-' }));

/** @param {string} raw @param {Row[]} intervals @returns {Cells[]} CPU of each process on all hosts, and connections */
function listSeries(raw, intervals) {
  const cpu = listHosts(raw).flatMap(({ folder, on }) => readTop(folder).filter(({ side }) => side !== 'capture')
    .map(({ t_s, side, process, cpu_pct }) => ({ t_s, side, process: `${process}${on}`, quantity: 'cpu_pct', value: cpu_pct })));
  const ofClient = { side: 'client', process: 'connections', quantity: 'connected' };
  const connected = intervals.map(({ t_s, connected: value }) => ({ t_s: Number(t_s) + 1, ...ofClient, value }));
  return [...cpu, ...connected];
}

/** @typedef {{steps: Row[], percentiles: import('../captures/latency.js').Percentile[], disturbed: Row[]}} Sweep */

/**
 * @param {string} folder of a trial @param {Row} row of the plan @param {number} [form] of the bundle
 * @returns {Sweep} without steps, if the trial is no sweep
 */
export function readSweep(folder, { trial, from_s, to_s }, form) {
  const steps = readTsv(join(folder, 'raw/steps.tsv'));
  const disturbed = listDisturbed(trial, steps, readTsv(join(folder, 'validity.tsv')));
  const isDisturbed = (/** @type {{step: number}} */ { step }) => disturbed.some((row) => Number(row.step) === step);
  const spans = listSpans(steps, Number(from_s));
  const whole = steps.map((row) => ({ step: Number(row.step), from_s: Number(row.from_s), to_s: Number(row.to_s) }));
  const [window, kept] = [{ from_s: Number(from_s), to_s: Number(to_s) }, whole.filter((step) => !isDisturbed(step))];
  const percentiles = readPercentiles(join(folder, 'raw/client'), window, kept, spans.filter(isDisturbed), form);
  return { steps, percentiles, disturbed };
}
