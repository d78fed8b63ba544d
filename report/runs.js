/** Several runs of a record: multiples of the reference with a prediction for a new run, and the CPU time of the latest run. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { absoluteOf } from '../analysis/points/multiples.js';
import { nameOfPoint } from '../analysis/points/points.js';
import { PREDICTION_COLUMNS, SURVIVAL_COLUMNS, describeSurvival, predictRuns } from '../analysis/points/runs.js';
import { FEWEST_RUNS } from '../analysis/statistics/prediction.js';
import { writeTsv } from '../harness/common/files.js';
import { digits, formatInterval, inMarkdown, numberOrNull } from '../harness/common/format.js';
import { PLAIN } from '../harness/common/setting.js';
import { describeYardsticks } from '../harness/common/yardstick.js';
import { listRuns, runsOf } from '../harness/records/runs.js';

/** @typedef {Record<string, string>} Row */

/** Default of `shown` in the manifest's `[reference]`. */
const SHOWN = ['server_cpu_x_reference'];

/** @param {Record<string, string | number>[]} rows @returns {Row[]} */
const asText = (rows) => rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, String(value)])));

/** Write predictions.tsv and survives.tsv of an experiment whose record has several runs. @param {string} experiment */
export function writeRuns(experiment) {
  if (!existsSync(runsOf(experiment))) return;
  const points = listRuns(experiment).map((run) => run.points);
  writeTsv(join(runsOf(experiment), 'predictions.tsv'), PREDICTION_COLUMNS, predictRuns(points));
  writeTsv(join(runsOf(experiment), 'survives.tsv'), SURVIVAL_COLUMNS, describeSurvival(points));
}

/** @param {string} metric of a multiple @returns {string} its load, in words */
function wordsOf(metric) {
  const [, share, load, rate] = /_at_(?:(\d+)|load_(\d+)|([\d.]+)_hz)$/.exec(metric) ?? [];
  if (load) return `at ${load} % of a core`;
  if (share) return `at ${share} % of saturation`;
  return rate ? `at ${Number(rate).toLocaleString('en')} a second` : 'of the whole load';
}

/** @param {Row} row of points.tsv, of a cost in CPU time @returns {string} in µs a message */
function formatUs({ metric, mean, low, high }) {
  const usOf = (/** @type {string} */ value) => {
    const number = numberOrNull(value);
    if (number === null) return null;
    if (metric.startsWith('messages_per_cpu_s')) return 1e6 / number;
    return metric.endsWith('_per_1k') ? 1000 * number : number;
  };
  const ends = [usOf(low), usOf(high)].sort((a, b) => Number(a) - Number(b));
  return `${formatInterval({ mean: Number(usOf(mean)), low: ends[0], high: ends[1] })} us`;
}

/** @param {string} began @returns {string} */
const tellHour = (began) => began.slice(0, 16).replace('T', ' ');

/** @param {string} sd of a logarithm @returns {string} */
const percent = (sd) => (sd === '-' ? '-' : `${digits(100 * Number(sd))} %`);

/**
 * @param {Row} row of predictions.tsv @param {{row: Row, began: string} | undefined} hour the latest CPU time @param {string} load
 * @returns {string} a line of the table
 */
function tellPrediction({ engine, within_sd, between_sd, mean, low, high, runs }, hour, load) {
  const interval = low === '-' ? `${digits(Number(mean))} (${runs} runs: no prediction)` : formatInterval({ mean: Number(mean), low: Number(low), high: Number(high) });
  const own = hour ? `${formatUs(hour.row)} (${tellHour(hour.began)})` : '-';
  return `| ${inMarkdown(engine)} | ${inMarkdown(load)} | ${interval} | ${percent(within_sd)}, ${percent(between_sd)} | ${own} |`;
}

/**
 * @param {Row[]} survival of survives.tsv @param {string} metric a multiple
 * @returns {string[]} how much CPU time and the multiple vary between runs
 */
function tellSurvival(survival, metric) {
  const [time, multiple] = [absoluteOf(metric), metric].map((name) => survival.find((row) => row.metric === name));
  if (!time || !multiple) return [];
  const held = Number(multiple.held_out) ? `; of ${multiple.held_out} held-out means ${time.covered} and ${multiple.covered} lie within what the other runs predict` : '';
  return [`- Between runs, ${wordsOf(metric)}: CPU time varies by ${percent(time.between_sd)}, the multiple by ${percent(multiple.between_sd)}${held}.`];
}

/** @param {string} experiment @param {any} spec of its record @returns {string[]} Markdown; empty if the record has one run */
export function describeRuns(experiment, spec) {
  const runs = existsSync(runsOf(experiment)) ? listRuns(experiment) : [];
  if (runs.length < 2) return [];
  const all = runs.map(({ points }) => points);
  const shown = /** @type {string[]} */ (spec.reference?.shown ?? SHOWN);
  const predicted = asText(predictRuns(all)).filter(({ metric }) => shown.includes(metric));
  const survival = asText(describeSurvival(all));
  const latest = new Map(runs.flatMap(({ points, began }) => points.map((row) => [`${nameOfPoint(row)}\t${row.metric}`, { row, began }])));
  const held = spec.engines[spec.reference?.engine]?.title ?? 'the reference';
  const loadOf = (/** @type {Row} */ { workload, setting, metric }) =>
    [...(shown === SHOWN ? [workload] : []), ...(setting === PLAIN ? [] : [setting]), wordsOf(metric)].join(', ');
  return [
    `## Over ${runs.length} runs`, '',
    `From ${tellHour(runs[0].began)} to ${tellHour(runs[runs.length - 1].began)} UTC: a message's CPU time over that of ${held} in the same block,`,
    `with a 95 % prediction for a new run, from ${FEWEST_RUNS} runs or more. CPU time is that of one hour.`, '',
    ...shown.flatMap((metric) => tellSurvival(survival, metric)),
    ...runs.flatMap(({ began, folder }) => describeYardsticks(folder).map((line) => `- ${tellHour(began)}: ${inMarkdown(line)}.`)), '',
    '| engine | load | multiple | sd within, between runs | this hour\'s CPU time |', '| --- | --- | --- | --- | --- |',
    ...predicted.map((row) => tellPrediction(row, latest.get(`${nameOfPoint(row)}\t${absoluteOf(row.metric)}`), loadOf(row))), '',
  ];
}
