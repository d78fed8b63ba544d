/**
 * Generated parts of the documents. `./wscale docs` fills the text between marks (Markdown comments): the output of a command, the answer
 * to the suite's question, the dictionary of metrics, or a table of engines. A test checks that every document is up to date.
 */
import { globSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { openBundle } from '../harness/common/bundle.js';
import { UserError } from '../harness/common/failure.js';
import { readText, readTsv, writeAtomically } from '../harness/common/files.js';
import { digits, formatCell, formatMarkdownTable, group } from '../harness/common/format.js';
import { ROOT, numberOfExperiment, recordOf } from '../harness/common/places.js';
import { runProgram } from '../harness/common/programs.js';
import { fillParagraph, fillParagraphs } from '../harness/common/prose.js';
import { PLAIN } from '../harness/common/setting.js';
import { tablesOf } from '../harness/common/tables.js';
import { WAKING, readCharges } from '../harness/common/yardstick.js';
import { listRuns } from '../harness/records/runs.js';
import { listRecorded } from '../harness/records/sources.js';
import { languageOf } from '../harness/spec/engines.js';
import { describeMachine } from './condition.js';
import { pictureOf, readFindings } from './findings.js';
import { describeDictionaryInMarkdown } from './numbers.js';
import { findSurvivor, metricAt, RATES_HZ } from '../analysis/points/runs.js';
import { readRanks } from './rank.js';
import { findPrediction, readPredictions, spanOfRuns, tellOtherMachines } from './runs.js';

const DOCUMENTS = ['*.md', 'docs/*.md', 'clients/*.md', 'servers/*.md', 'clients/swarm/*.md'];
const WIDTH = 120;

/** `<!-- output -->`, or `<!-- output, first N lines -->`, then a code block that begins with the command. */
const OUTPUT = /<!-- output(?:, first (\d+) lines)? -->\n```\n\$ (.+)\n[^]*?^```$/gm;
/** Commands that start nothing and print the same on every machine. */
const SAFE = /^(\.\/wscale (rank|processes|numbers|dollars|engines|compare|settings)\b|(head|tail|tar|grep) )[^;&>`$]*$/;

const ANSWER = /<!-- answer -->\n[^]*?<!-- end of answer -->/g;
const METRICS = /<!-- metrics -->\n[^]*?<!-- end of metrics -->/g;
const ENGINES = /<!-- engines of (\S+): ([^>]+) -->\n[^]*?<!-- end of engines -->/g;

/** The table is sorted by the cost at this rate. */
const SORTED_BY_HZ = 5000;

/** @typedef {Record<string, string>} Row */

/** @returns {string[]} paths below the suite's folder */
export const listDocuments = () => globSync(DOCUMENTS, { cwd: ROOT }).sort();

/** @param {string} text a document @returns {string} with its marked parts up to date */
export function renderDocument(text) {
  return text.replaceAll(OUTPUT, (_whole, count, command) => showOutput(command, Number(count ?? Infinity)))
    .replaceAll(ANSWER, () => `<!-- answer -->\n\n${describeAnswer()}\n\n<!-- end of answer -->`)
    .replaceAll(METRICS, () => `<!-- metrics -->\n\n${fillParagraphs(describeDictionaryInMarkdown(), WIDTH)}\n\n<!-- end of metrics -->`)
    .replaceAll(ENGINES, (_whole, experiment, names) =>
      `<!-- engines of ${experiment}: ${names} -->\n\n${describeEngines(experiment, names.split(' '))}\n\n<!-- end of engines -->`);
}

/** Update every document. */
export function writeDocuments() {
  for (const path of listDocuments()) {
    const text = readText(join(ROOT, path));
    const rendered = renderDocument(text);
    if (rendered === text) continue;
    writeAtomically(join(ROOT, path), rendered);
    console.log(path);
  }
}

/** @param {string} command @param {number} count lines shown @returns {string} the mark and its code block */
function showOutput(command, count) {
  if (!SAFE.test(command)) throw new UserError(`docs: "${command}" may start something, or differ between machines; quote its output, with a date`);
  const script = command.replace(/^\.\/wscale /, `'${process.execPath}' harness/main.js `);
  const { status, stdout, stderr } = runProgram(['bash', '-c', script], { cwd: ROOT });
  if (status !== 0) throw new UserError(`docs: \`${command}\` ended with ${status}: ${stderr.trim()}`);
  const lines = stdout.trimEnd().split('\n');
  const shown = lines.length > count ? [...lines.slice(0, count), '…'] : lines;
  const mark = `<!-- output${count === Infinity ? '' : `, first ${count} lines`} -->`;
  return [mark, '```', `$ ${command}`, ...shown.map((line) => line.trimEnd()), '```'].join('\n');
}

/** @param {any} spec @returns {string} the machine of a record */
const describeMachineOf = ({ environment }) => `${describeMachine(environment)}, ${environment.cpu}, ${environment.kernel}`;

/** @returns {string} the records' answers to the suite's question: text and figure */
function describeAnswer() {
  return listRecorded().flatMap((experiment) => {
    const { answer } = readFindings(experiment);
    const picture = answer?.figure && pictureOf(experiment, answer.figure);
    if (!picture) return [];
    const record = dirname(dirname(picture));
    const link = `[Experiment ${numberOfExperiment(experiment)}](${relative(ROOT, join(record, '..', 'RESULTS.md'))})`;
    const text = `${answer.text.trim()} (${link}, on ${describeMachineOf(openBundle(record).spec)}.)`;
    return [`${fillParagraph(text, WIDTH)}\n\n![${answer.figure}](${relative(ROOT, picture)})`];
  }).join('\n\n');
}

/** From the low to the high end of an interval: a wider one says nothing. */
const WIDEST = 16;

/** @param {Row | undefined} row @param {number} [scale] units of the row per unit of the table @returns {string} */
function scaleCell(row, scale = 1) {
  if (!row) return '-';
  if (Number(row.low) > 0 && Number(row.high) / Number(row.low) > WIDEST) return 'not known';
  const [mean, low, high] = [row.mean, row.low, row.high].map((cell = '-') => (cell === '-' ? cell : String(Number(cell) / scale)));
  return formatCell({ mean, low, high });
}

/** Marks a cost that rests on one run. */
const OF_ONE_RUN = '*';

/**
 * @param {Row[]} predictions of several runs @param {import('../analysis/points/runs.js').Form} form
 * @returns {(row: Row, total_rate_hz: number) => {cost: Row, mark: string}} the prediction for a new run if there is one, else the interval
 *   of the record's own run
 */
const pickCosts = (predictions, form) => (row, total_rate_hz) => {
  const predicted = findPrediction(predictions, row.engine, metricAt(form, total_rate_hz));
  if (predicted) return { cost: predicted, mark: '' };
  const [mean, low, high] = form === 'us' ? [row.us_per_message, row.low, row.high] : [row.x_reference, row.x_low, row.x_high];
  return { cost: { mean, low, high }, mark: predictions.length && mean !== '-' ? OF_ONE_RUN : '' };
};

/** @param {string} experiment @returns {string[]} what waking a thread cost over the runs of its record; none if it was not measured */
function tellWaking(experiment) {
  const charges = listRuns(experiment).flatMap(({ folder }) => [...readCharges(folder).values()][0] ?? [])
    .filter(({ metric }) => metric === WAKING);
  if (charges.length === 0) return [];
  const [least, most] = [Math.min(...charges.map((charge) => charge.least)), Math.max(...charges.map((charge) => charge.most))];
  return [`Waking a thread cost ${digits(least)} to ${digits(most)} µs over the runs.`];
}

/** Its points have a setting each. */
const FANOUT = 'fanout';
/** Columns after the costs: workload, metric, heading, unit. @type {[string, string, string, number][]} */
const COLUMNS = [
  ['idle', 'memory_b_per_idle_connection', 'memory, kB', 1000],
  ['sweep', 'latency_p99_ms_at_50', 'p99, ms', 1],
  [FANOUT, 'server_cpu_s_per_1k', 'delivery, µs', 0.001],
];

/** @param {string} experiment with sweeps @param {string[]} names of engines @returns {string} a table of costs, the cheapest first */
function describeEngines(experiment, names) {
  const record = recordOf(experiment);
  const { spec } = openBundle(record);
  const tables = tablesOf(record);
  const points = readTsv(join(tables, 'points.tsv'));
  const ranks = new Map(RATES_HZ.map((rate) => [rate, readRanks(tables, spec, { total_rate_hz: rate })]));
  const costOf = (/** @type {string} */ engine, /** @type {number} */ rate) => ranks.get(rate)?.find((row) => row.engine === engine);
  const unknown = names.filter((name) => !costOf(name, SORTED_BY_HZ));
  if (unknown.length) throw new UserError(`docs: ${unknown.join(', ')}: not in the record of ${experiment}`);
  const pointOf = (/** @type {string} */ name, /** @type {string} */ load, /** @type {string} */ metric) =>
    points.filter((row) => row.engine === name && row.metric === metric)
      .find((row) => row.workload === load && (row.setting === PLAIN || load === FANOUT));
  const predictions = readPredictions(experiment);
  const survivor = findSurvivor(predictions);
  const form = survivor?.form ?? 'us';
  const pick = pickCosts(survivor ? predictions : [], form);
  const shownOf = (/** @type {string} */ name, /** @type {number} */ rate) => pick(costOf(name, rate) ?? { engine: name, us_per_message: '-', x_reference: '-' }, rate);
  const sorted = names.toSorted((a, b) => Number(shownOf(a, SORTED_BY_HZ).cost.mean) - Number(shownOf(b, SORTED_BY_HZ).cost.mean));
  const trials = COLUMNS.flatMap(([load, metric]) => sorted.flatMap((name) => pointOf(name, load, metric)?.n ?? [])).map(Number);
  const rows = sorted.map((name) => {
    const costs = RATES_HZ.map((rate) => shownOf(name, rate)).map(({ cost, mark }) => `${scaleCell(cost)}${mark}`);
    return [name, languageOf(name), ...costs, ...COLUMNS.map(([load, metric, , unit]) => scaleCell(pointOf(name, load, metric), unit))];
  });
  const head = ['engine', 'language', ...RATES_HZ.map((rate) => `${group(rate)}/s: CPU, ${form === 'us' ? 'µs' : 'x TCP'}`), ...COLUMNS.map(([, , heading]) => heading)];
  const marked = rows.some((cells) => cells.some((cell) => cell.endsWith(OF_ONE_RUN))) ? ` (${OF_ONE_RUN}: of one run)` : '';
  const counts = names.flatMap((name) => RATES_HZ.map((rate) => Number(findPrediction(predictions, name, metricAt(form, rate))?.runs)))
    .filter(Boolean);
  const runs = [...new Set([Math.min(...counts), Math.max(...counts)])].join(' to ');
  const ofRuns = survivor ? `CPU: mean of ${runs} runs ${spanOfRuns(experiment)} (\`records/${experiment}/runs/pooled.tsv\`), and in brackets where 95 % of new runs on this machine lie${marked}. ` : '';
  const others = survivor ? tellOtherMachines(experiment, names, form) : [];
  const told = [`On ${describeMachineOf(spec)}. ${ofRuns}${survivor ? 'Other columns' : 'In brackets'}: 95 % intervals over ${Math.min(...trials)} trials or more.`, ...tellWaking(experiment), ...others];
  return [formatMarkdownTable(head, rows), fillParagraph(told.join(' '), WIDTH)].join('\n\n');
}
