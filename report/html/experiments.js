/** The experiments of a report: question, findings, figures, table, conditions, trials left out, and the command to repeat it. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import Handlebars from 'handlebars';
import { Marked } from 'marked';
import { findMetric } from '../../harness/spec/metrics.js';
import { readTsv } from '../../harness/common/files.js';
import { describeCondition, describeDropped, describeVersions } from '../condition.js';
import { describeYardsticks } from '../../harness/common/yardstick.js';
import { figuresOf, numberOfExperiment } from '../../harness/common/places.js';
import { makeFigures } from '../figures.js';
import { readFindings } from '../findings.js';
import { MARK, describeFlagged } from '../flagged.js';
import { describeProvenance } from '../../harness/records/provenance.js';
import { commandOf } from '../../harness/records/sources.js';
import { listMetrics, readEntries } from '../figures/entries.js';
import { tabulateResult } from '../summary.js';

/** @typedef {import('../../harness/records/sources.js').Run} Run */
/**
 * @typedef {{name: string, id: string, alt: string, svg: string, address: string, metrics: string[], claims: string[]}} Figure `metrics`
 *   that it draws, `claims` that it shows
 */

/** Columns of each table for the page's interactive figures. */
const POINT_COLUMNS = ['engine', 'workload', 'setting', 'metric', 'n', 'mean', 'low', 'high'];
const TRIAL_COLUMNS = ['engine', 'workload', 'setting', 'metric', 'block', 'value'];
const LOAD_COLUMNS = ['engine', 'workload', 'setting', 'side', 'process', 'quantity', 't_s', 'median'];

/** @param {Run} run @returns {boolean} is it the run at the source's own size and duration, beside another of its experiment? */
const isPaper = ({ isRecord, spec }) => isRecord && spec.profile === 'paper';

/** @param {Run} run @returns {string} for the ids of its parts, such as "3" or "3-paper" */
const keyOf = (run) => `${numberOfExperiment(run.experiment)}${isPaper(run) ? '-paper' : ''}`;

/** @param {Run} run @returns {Promise<Figure[]>} of a record those that are kept; of a run drawn first if missing */
async function readFigures(run) {
  const folder = figuresOf(run.folder);
  if (!run.isRecord && !existsSync(folder)) await makeFigures(run.folder);
  const names = globSync('*.svg', { cwd: folder }).map((name) => name.replace(/\.svg$/, '')).sort();
  const entries = readEntries(run.experiment);
  return names.map((name) => {
    const svg = readFileSync(join(folder, `${name}.svg`), 'utf8');
    return {
      name, id: `figure-${keyOf(run)}-${name}`, alt: readTitle(svg) || name, svg, address: toAddress(svg),
      metrics: listMetrics(entries[name]), claims: entries[name]?.claims ?? [],
    };
  });
}

/** @param {Run} run @returns {{title: string, text: string}[]} figures that are tables without a picture */
function readListed(run) {
  const folder = figuresOf(run.folder);
  const names = globSync('*.txt', { cwd: folder }).sort().filter((name) => !existsSync(join(folder, name.replace(/txt$/, 'svg'))));
  return names.map((name) => readFileSync(join(folder, name), 'utf8')).map((text) => ({ title: text.split('\n')[0], text }));
}

/**
 * @param {Figure[]} figures of a run @param {{claim: string, era: string, eras: string[], metrics: string[]}} verdict
 * @returns {Figure[]} those that name its claim, or else those that draw its metrics; none of another era
 */
export function findFigures(figures, { claim, era, eras, metrics }) {
  const ofEra = figures.filter(({ name }) => !eras.some((other) => other !== era && name.endsWith(`-${other}`)));
  const named = ofEra.filter(({ claims }) => claims.includes(claim));
  return named.length ? named : ofEra.filter((figure) => figure.metrics.some((metric) => metrics.includes(metric)));
}

/** @param {string} svg @returns {string} */
const readTitle = (svg) => (/<title>([^<]*)<\/title>/.exec(svg)?.[1] ?? '')
  .replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');

/** Removes an address unless it is relative or http(s): it may be a script. @param {import('marked').Token} token */
function disarm(token) {
  if ((token.type === 'link' || token.type === 'image') && !/^(https?:\/\/|[^:]*$)/.test(token.href)) token.href = '#';
}

/** @param {Run} run @returns {string} HTML of its findings; '' unless it is a record, since another run may differ */
function findingsOf(run) {
  const { experiment, isRecord, claims } = run;
  if (!isRecord) return '';
  const { claims: found, also, paper } = readFindings(experiment);
  const known = [...new Set(claims.filter(({ isOfPaper }) => !isOfPaper).map(({ claim }) => claim))].filter((claim) => claim in found);
  const other = isPaper(run) ? paper : also;
  const parts = [...known.map((claim) => `**${claim}.** ${found[claim].text.trim()}`), ...(other ? [other.text.trim()] : [])];
  const renderer = { html: (/** @type {{text: string}} */ { text }) => Handlebars.escapeExpression(text) };
  return new Marked({ async: false, renderer, walkTokens: disarm }).parse(parts.join('\n\n')).toString();
}

/**
 * Stores each distinct word once: a table of a thousand rows names few engines and metrics.
 * @param {Record<string, string>[]} rows @param {string[]} names of columns to keep
 */
export function squeeze(rows, names) {
  /** @type {Map<string, number>} */
  const words = new Map();
  const place = (/** @type {string} */ cell) => words.get(cell) ?? (words.set(cell, words.size), words.size - 1);
  const columns = names.map((name) => rows.map((row) => place(row[name]))); // by column, which packs smaller than by row
  return { names, columns, words: [...words.keys()] };
}

/** @param {string} text @returns {string} gzip in base64; the page unpacks it */
export const packText = (text) => gzipSync(text, { level: 9 }).toString('base64');

/** @param {string} svg @returns {string} a data URL for a double-quoted attribute, escaped for both */
export function toAddress(svg) {
  const short = svg.replace(/^<\?xml[^>]*\?>\s*/, '').replace(/<title>[^<]*<\/title>\s*<desc>[^<]*<\/desc>/, '').replaceAll(/>\s+</g, '><').replaceAll(/\s+/g, ' ');
  return `data:image/svg+xml;charset=utf-8,${short.replaceAll('%', '%25').replaceAll('#', '%23').replaceAll('&', '%26').replaceAll('"', "'")}`;
}

/** @param {string[]} words @returns {Record<string, string>} unit and definition of those that are metrics */
const defineMetrics = (words) => Object.fromEntries(words.flatMap((word) => {
  const metric = findMetric(word);
  return metric ? [[word, `${word} (${metric.unit}): ${metric.definition}`]] : [];
}));

/** @param {Run} run @returns {string} the tables of the page's interactive figures */
function packTablesOf({ reduced, verdicts }) {
  const read = (/** @type {string} */ name, /** @type {string[]} */ columns) => squeeze(readTsv(join(reduced, `${name}.tsv`)), columns);
  const judged = [...new Set(verdicts.map(({ metric }) => metric))];
  const [points, flagged] = ['points', 'flagged-points'].map((name) => read(name, POINT_COLUMNS));
  return packText(JSON.stringify({
    points, flagged, definitions: defineMetrics([...points.words, ...flagged.words]), trials: read('trials', TRIAL_COLUMNS),
    load: read('load', LOAD_COLUMNS), judged,
  }));
}

/** @param {Run} run @returns {string[]} where it comes from */
function originOf({ isRecord, folder, spec: { environment: { suite }, began } }) {
  if (isRecord) return describeProvenance(folder);
  const differs = suite?.changed?.length ? `, from which ${suite.changed.length} files of its code differed` : '';
  return [`Run on ${began?.slice(0, 10)} from commit ${suite?.commit?.slice(0, 12) ?? 'unknown'}${differs}`];
}

/** @param {Run} run @returns {Record<string, string>[]} steps left out of their sweeps, as rows of dropped.tsv */
const disturbedOf = ({ reduced }) => readTsv(join(reduced, 'disturbed.tsv')).map((row) =>
  ({ ...row, trial: `${row.leaves === 'all' ? '' : 'latencies of '}step ${row.step} of ${row.trial}` }));

/** @param {Run} run @returns {Run['claims']} those that only the run of `paper` judges, as its own */
function judgedByPaper({ claims }) {
  const own = new Set(claims.filter(({ isOfPaper }) => !isOfPaper).map(({ claim }) => claim));
  return claims.filter(({ claim }) => !own.has(claim)).map(({ isOfPaper: _, ...claim }) => claim);
}

/** @param {Run} run @returns {Promise<any>} with the run of `paper` beside it, if there is one */
export async function describeExperiment(run) {
  const { spec, plan, dropped } = run;
  const left = [...dropped, ...disturbedOf(run)];
  return {
    number: numberOfExperiment(run.experiment), key: keyOf(run), isPaper: isPaper(run), profile: spec.profile,
    title: spec.title, question: spec.question, source: spec.source, findings: findingsOf(run),
    figures: await readFigures(run), listed: readListed(run), data: packTablesOf(run),
    table: tabulateResult(run.reduced, spec), mark: MARK, flagged: describeFlagged(plan, dropped),
    conditions: [...describeCondition(spec, plan), ...describeYardsticks(run.folder)],
    versions: describeVersions(spec), origin: originOf(run),
    counted: describeDropped(plan, dropped),
    dropped: left.map(({ trial, reason, value, bound }) => ({ trial, reason, value: value === '-' ? '' : value, bound: bound === '-' ? '' : bound })),
    command: commandOf(run), paper: run.paper && await describeExperiment({ ...run.paper, claims: judgedByPaper(run) }),
  };
}
