/** Several runs of a record: multiples of the reference with a prediction for a new run, and the CPU time of the latest run. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { median } from 'd3-array';
import { absoluteOf } from '../analysis/points/multiples.js';
import { nameOfPoint } from '../analysis/points/points.js';
import { POOLED_COLUMNS, RATES_HZ, SURVIVAL_COLUMNS, addFitted, describeSurvival, fillErrors, findSurvivor, metricAt, predictRuns } from '../analysis/points/runs.js';
import { FEWEST_RUNS } from '../analysis/statistics/prediction.js';
import { openBundle } from '../harness/common/bundle.js';
import { asText, readTsv, writeTsv } from '../harness/common/files.js';
import { digits, formatInterval, formatMarkdownTable, group, inMarkdown, numberOrNull } from '../harness/common/format.js';
import { PLAIN } from '../harness/common/setting.js';
import { describeWaking } from '../harness/common/yardstick.js';
import { listMachines } from '../harness/records/machines.js';
import { recordOf } from '../harness/common/places.js';
import { isLike, listRuns, readTables, runsOf } from '../harness/records/runs.js';

/** @typedef {Record<string, string>} Row */

/** Default of `shown` in the manifest's `[reference]`. */
const SHOWN = ['server_cpu_x_reference'];
const POOLED = 'pooled.tsv';

/** @param {string} experiment that has a record @returns {Row[][]} the points of each of its runs */
function readPoints(experiment) {
  const runs = listRuns(experiment).map(readTables);
  return fillErrors(runs).map((points, index) => addFitted({ points, surface: runs[index].surface }));
}

/** Write pooled.tsv and survives.tsv of an experiment whose record has several runs. @param {string} experiment */
export function writeRuns(experiment) {
  if (!existsSync(runsOf(experiment))) return;
  const points = readPoints(experiment);
  writeTsv(join(runsOf(experiment), POOLED), POOLED_COLUMNS, predictRuns(points));
  writeTsv(join(runsOf(experiment), 'survives.tsv'), SURVIVAL_COLUMNS, describeSurvival(points));
}

/** @param {string} experiment @returns {Row[]} pooled.tsv of its record; empty if it has one run */
export const readPredictions = (experiment) => readTsv(join(runsOf(experiment), POOLED));

/**
 * @param {Row[]} predictions of pooled.tsv @param {string} engine @param {string} metric of metricAt, which is of the record's usual load
 * @returns {Row | undefined} what its runs predict for a new run; undefined if they are too few
 */
export const findPrediction = (predictions, engine, metric) =>
  predictions.find((row) => row.engine === engine && row.setting === PLAIN && row.metric === metric && row.low !== '-');

/** @param {string} experiment @returns {string} when its runs began: "from 2026-11-28 05:55 to 2026-11-28 11:10 UTC" */
export function spanOfRuns(experiment) {
  const runs = listRuns(experiment);
  return `from ${tellHour(runs[0].began)} to ${tellHour(runs[runs.length - 1].began)} UTC`;
}

/** @param {string} experiment @returns {string} how far a new run may be from its record; "" if too few runs tell */
export function describeNewRun(experiment) {
  const predictions = readPredictions(experiment);
  const survivor = findSurvivor(predictions);
  if (!survivor) return '';
  const factors = predictions.filter(({ metric, low }) => low !== '-' && RATES_HZ.some((rate) => metric === metricAt('us', rate)))
    .map(({ mean, high }) => Number(high) / Number(mean));
  return `Another run may differ: ${survivor.runs} runs ${spanOfRuns(experiment)} predict CPU time to within a factor of ${digits(Number(median(factors)))} (95 %, the median engine) at the record's usual load.`;
}

/**
 * @param {string} experiment @param {string[]} engines @param {import('../analysis/points/runs.js').Form} form
 * @returns {string[]} per other machine under the record's conditions, how many of the engines' costs at README's loads, measured or
 *   fitted, lie where a new run on the record's machine is predicted
 */
export function tellOtherMachines(experiment, engines, form) {
  const predictions = readPredictions(experiment).filter(({ metric }) => RATES_HZ.some((rate) => metric === metricAt(form, rate)));
  const { spec: recorded } = openBundle(recordOf(experiment));
  return listMachines(experiment).filter(({ spec }) => isLike(spec, recorded)).flatMap(({ folder, spec: { began }, machine }) => {
    const held = addFitted(readTables({ began, folder })).flatMap(({ engine, setting, metric, mean }) => {
      const predicted = engines.includes(engine) && setting === PLAIN ? findPrediction(predictions, engine, metric) : undefined;
      return predicted ? [Number(predicted.low) <= Number(mean) && Number(mean) <= Number(predicted.high)] : [];
    });
    return held.length ? [`On ${machine}, in an hour of ${began.slice(0, 10)}, ${held.filter(Boolean).length} of ${held.length} means lay in these brackets.`] : [];
  });
}

/** @param {string} metric of a multiple @returns {string} its load, in words */
function wordsOf(metric) {
  const [, share, load, rate] = /_at_(?:(\d+)|load_(\d+)|([\d.]+)_hz)$/.exec(metric) ?? [];
  if (load) return `at ${load} % of a core`;
  if (share) return `at ${share} % of saturation`;
  return rate ? `at ${group(rate)} a second` : 'of the whole load';
}

/** @param {Row} row of points.tsv, of a cost in CPU time @returns {string} in µs a message */
function formatUs({ metric, mean, low, high }) {
  const usOf = (/** @type {string} */ value) => {
    const number = numberOrNull(value);
    if (number === null) return null;
    if (metric.startsWith('messages_per_cpu_s')) return 1e6 / number;
    return metric.endsWith('_per_1k') ? 1000 * number : number;
  };
  if (low === '-') return digits(usOf(mean));
  const ends = [usOf(low), usOf(high)].sort((a, b) => Number(a) - Number(b));
  return formatInterval({ mean: Number(usOf(mean)), low: ends[0], high: ends[1] });
}

/** @param {string} began @returns {string} */
const tellHour = (began) => began.slice(0, 16).replace('T', ' ');

/** @param {string} sd of a logarithm @returns {string} */
const percent = (sd) => (sd === '-' ? '-' : `${digits(100 * Number(sd))} %`);

/** @param {Row | undefined} prediction @param {Row | undefined} latest CPU time of the latest run @returns {string[]} cells of a load */
function cellsOf(prediction, latest) {
  if (!prediction) return ['-', '-', '-'];
  const [mean, low, high] = [prediction.mean, prediction.low, prediction.high].map(numberOrNull);
  const interval = low === null ? `${digits(mean)} (${prediction.runs} runs)` : formatInterval({ mean, low, high });
  return [interval, `${percent(prediction.within_sd)}, ${percent(prediction.between_sd)}`, latest ? formatUs(latest) : '-'];
}

/** @param {Row[]} survival of survives.tsv @param {string} metric a multiple @returns how much CPU time and it vary between runs */
function tellSurvival(survival, metric) {
  const [time, multiple] = [absoluteOf(metric), metric].map((name) => survival.find((row) => row.metric === name));
  if (!time || !multiple) return [];
  const held = Number(multiple.held_out) ? `; of ${multiple.held_out} held-out means ${time.covered} and ${multiple.covered} lie within what the other runs predict` : '';
  return [`- The means of runs ${wordsOf(metric)} vary by ${percent(time.sd)} as CPU time and by ${percent(multiple.sd)} as a multiple${held}.`];
}

/** @param {Row[]} predictions @returns {string[]} which of the two forms varies less, over README's loads */
function tellSurvivor(predictions) {
  const survivor = findSurvivor(predictions);
  if (!survivor) return [];
  const { sd, form } = survivor;
  return [`- Over the loads of README's table they vary by ${percent(String(sd.us))} as CPU time and by ${percent(String(sd.x_reference))} as a multiple: README shows the ${form === 'us' ? 'CPU time' : 'multiple'}.`];
}

/** @param {string} experiment @param {any} spec of its record @returns {string[]} Markdown; empty if the record has one run */
export function describeRuns(experiment, spec) {
  const runs = existsSync(runsOf(experiment)) ? listRuns(experiment) : [];
  if (runs.length < 2) return [];
  const all = readPoints(experiment);
  const shown = /** @type {string[]} */ (spec.reference?.shown ?? SHOWN);
  const predictions = asText(predictRuns(all));
  const survival = asText(describeSurvival(all));
  const nameOf = (/** @type {Row} */ row, /** @type {string} */ metric) => `${nameOfPoint(row)}\t${metric}`;
  const [predicted, latest] = [predictions, all[all.length - 1]].map((rows) => new Map(rows.map((row) => [nameOf(row, row.metric), row])));
  const held = spec.engines[spec.reference?.engine]?.title ?? 'the reference';
  const told = predictions.filter(({ metric }) => shown.includes(metric));
  const some = told.filter(({ low }) => low !== '-');
  const points = [...new Map((some.length ? some : told).map((row) => [nameOfPoint(row), row])).values()];
  const lineOf = (/** @type {Row} */ row) => [
    inMarkdown([row.engine, ...(shown === SHOWN ? [row.workload] : []), ...(row.setting === PLAIN ? [] : [row.setting])].join(', ')),
    ...shown.flatMap((metric) => cellsOf(predicted.get(nameOf(row, metric)), latest.get(nameOf(row, absoluteOf(metric))))),
  ];
  return [
    `## Over ${runs.length} runs`, '',
    `CPU of a message over that of ${held} in the same block, and in brackets where 95 % of new runs lie by the runs' means (from ${FEWEST_RUNS} on); its standard deviation within runs (of a run's mean, from the trials of all runs) and between them; CPU in the latest run.${some.length && some.length < told.length ? ' Points with fewer runs: runs/pooled.tsv.' : ''}`, '',
    ...runs.flatMap(({ began, folder }) => describeWaking(folder).map((line) => `- ${tellHour(began)}: ${inMarkdown(line)}.`)), ...shown.flatMap((metric) => tellSurvival(survival, metric)), ...tellSurvivor(predictions), '',
    formatMarkdownTable(['engine', ...shown.flatMap((metric) => [`multiple ${wordsOf(metric)}`, 'sd within, between runs', 'CPU in the latest, µs'])], points.map(lineOf)), '',
  ];
}
