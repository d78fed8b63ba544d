/** The experiments of a report: what each asked and found, its figures, table and conditions, what was left out, how to repeat it. */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import Handlebars from 'handlebars';
import { Marked } from 'marked';
import { readTsv } from '../../common/files.js';
import { describeCondition, describeDropped, describeVersions } from '../condition.js';
import { UserError } from '../../common/failure.js';
import { EXPERIMENTS, figuresOf } from '../../common/places.js';
import { makeFigures } from '../figures.js';
import { hasFindings, renderFindings } from '../findings.js';
import { MARK, describeFlagged } from '../flagged.js';
import { describeProvenance } from '../provenance.js';
import { commandOf } from '../runs.js';
import { listClaimsOfFigures } from '../titles.js';
import { tabulateResult } from '../report.js';

/** @typedef {import('../runs.js').Run} Run */
/**
 * @typedef {object} Figure
 * @property {string} name @property {string} id @property {string} alt @property {string} svg @property {string} address
 * @property {string} [packed]
 * @property {string[]} metrics numbers that it draws
 * @property {string[]} claims that it shows
 */

/** What a page draws anew of each table. */
const POINT_COLUMNS = ['engine', 'workload', 'setting', 'metric', 'n', 'mean', 'low', 'high'];
const TRIAL_COLUMNS = ['engine', 'workload', 'setting', 'metric', 'block', 'value'];
const LOAD_COLUMNS = ['engine', 'workload', 'setting', 'side', 'process', 'quantity', 't_s', 'median'];

/** @param {Run} run @returns {number} such as 3 */
export const numberOf = ({ experiment }) => Number(experiment.split('-')[0]);

/** @param {Run} run @returns {Promise<Figure[]>} drawn now where they were not */
async function readFigures(run) {
  const folder = figuresOf(run.folder);
  if (!existsSync(folder)) await makeFigures(run.folder);
  const names = readdirSync(folder).filter((name) => name.endsWith('.svg')).map((name) => name.replace(/\.svg$/, '')).sort();
  const known = new Set(readTsv(join(run.reduced, 'points.tsv')).map(({ metric }) => metric));
  const claims = listClaimsOfFigures(run.experiment);
  return names.map((name) => {
    const svg = readFileSync(join(folder, `${name}.svg`), 'utf8');
    return {
      name, id: `figure-${numberOf(run)}-${name}`, alt: readTitle(svg) || name, svg, address: toAddress(svg),
      metrics: listMetrics(run.experiment, name, known), claims: claims[name] ?? [],
    };
  });
}

/** @param {string} experiment @param {string} figure @param {Set<string>} known @returns {string[]} the metrics that its script names */
function listMetrics(experiment, figure, known) {
  const path = join(EXPERIMENTS, experiment, `${figure}.gp`);
  if (!existsSync(path)) return [];
  return [...new Set(readFileSync(path, 'utf8').match(/[a-z][a-z0-9_.]*/g) ?? [])].filter((word) => known.has(word));
}

/**
 * @param {Figure[]} figures of a run @param {{claim: string, era: string, eras: string[], metrics: string[]}} verdict
 * @returns {Figure[]} those that show it: whose title rests on its claim, else that draw its number; none of another era's
 */
export function findFigures(figures, { claim, era, eras, metrics }) {
  const ofEra = figures.filter(({ name }) => !eras.some((other) => other !== era && name.endsWith(`-${other}`)));
  const named = ofEra.filter(({ claims }) => claims.includes(claim));
  return named.length ? named : ofEra.filter((figure) => figure.metrics.some((metric) => metrics.includes(metric)));
}

/** @param {string} svg @returns {string} the first of its texts that is a title: larger than the others */
const readTitle = (svg) => (/<text[^>]*font-size="12"[^>]*>([^<]+)</.exec(svg)?.[1] ?? '')
  .replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');

/** An address that is not of the web, nor of a file beside, may be a script. @param {import('marked').Token} token */
function disarm(token) {
  if ((token.type === 'link' || token.type === 'image') && !/^(https?:\/\/|[^:]*$)/.test(token.href)) token.href = '#';
}

/** @param {Run} run @returns {string} HTML of its findings; '' where its tables do not hold what they ask for */
function findingsOf({ experiment, folder }) {
  if (!hasFindings(experiment)) return '';
  try {
    const renderer = { html: (/** @type {{text: string}} */ { text }) => Handlebars.escapeExpression(text) };
    return new Marked({ async: false, renderer, walkTokens: disarm }).parse(renderFindings(experiment, folder)).toString();
  } catch (error) {
    if (error instanceof UserError) return ''; // another profile has other points
    throw error;
  }
}

/**
 * Rows as lists of cells, each word once: a table of a thousand rows names few engines and metrics.
 * @param {Record<string, string>[]} rows @param {string[]} columns
 */
export function squeeze(rows, columns) {
  /** @type {Map<string, number>} */
  const words = new Map();
  const place = (/** @type {string} */ cell) => words.get(cell) ?? (words.set(cell, words.size), words.size - 1);
  return { columns, rows: rows.map((row) => columns.map((column) => place(row[column]))), words: [...words.keys()] };
}

/** @param {string} text @returns {string} compressed, in letters: the page unpacks it */
export const packText = (text) => gzipSync(text, { level: 9 }).toString('base64');

/**
 * @param {string} svg
 * @returns {string} as the address of an image, between double quotes; what an address and an attribute give a meaning is escaped
 */
export function toAddress(svg) {
  const short = svg.replace(/^<\?xml[^>]*\?>\s*/, '').replace(/<title>[^<]*<\/title>\s*<desc>[^<]*<\/desc>/, '').replaceAll(/>\s+</g, '><').replaceAll(/\s+/g, ' ');
  return `data:image/svg+xml;charset=utf-8,${short.replaceAll('%', '%25').replaceAll('#', '%23').replaceAll('&', '%26').replaceAll('"', "'")}`;
}

/** @param {Run} run @returns {string} the tables that the page's figures are drawn of */
function packTablesOf({ reduced, verdicts }) {
  const read = (/** @type {string} */ name, /** @type {string[]} */ columns) => squeeze(readTsv(join(reduced, `${name}.tsv`)), columns);
  const judged = [...new Set(verdicts.map(({ metric }) => metric))];
  return packText(JSON.stringify({
    points: read('points', POINT_COLUMNS), flagged: read('flagged-points', POINT_COLUMNS), trials: read('trials', TRIAL_COLUMNS),
    load: read('load', LOAD_COLUMNS), judged,
  }));
}

/** @param {Run} run @returns {string[]} where it comes from */
function originOf({ isRecord, folder, spec: { environment: { suite }, began } }) {
  if (isRecord) return describeProvenance(folder);
  const differs = suite?.changed?.length ? `, from which ${suite.changed.length} files of its code differed` : '';
  return [`Run on ${began?.slice(0, 10)} from commit ${suite?.commit?.slice(0, 12) ?? 'unknown'}${differs}`];
}

/** @param {Run} run @returns {Record<string, string>[]} the steps of sweeps that left their trials, as rows of dropped.tsv */
const disturbedOf = ({ reduced }) =>
  readTsv(join(reduced, 'disturbed.tsv')).map((row) => ({ ...row, trial: `${row.leaves === 'all' ? '' : 'latencies of '}step ${row.step} of ${row.trial}` }));

/** @param {Run} run @returns {Promise<any>} */
export async function describeExperiment(run) {
  const { spec, plan, dropped } = run;
  return {
    number: numberOf(run), title: spec.title, question: spec.question, source: spec.source, profile: spec.profile,
    findings: findingsOf(run), figures: await readFigures(run), data: packTablesOf(run),
    table: tabulateResult(run.reduced, spec), mark: MARK, flagged: describeFlagged(plan, dropped),
    conditions: describeCondition(spec, plan), versions: describeVersions(spec), origin: originOf(run),
    counted: describeDropped(plan, dropped),
    dropped: [...dropped, ...disturbedOf(run)].map(({ trial, reason, value, bound }) => ({ trial, reason, value: value === '-' ? '' : value, bound: bound === '-' ? '' : bound })),
    command: commandOf(run),
  };
}
