/** Checks each number in the text of a finding against the data of its card and the sources it names. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readClaims } from '../harness/common/claim-tables.js';
import { readTsv } from '../harness/common/files.js';
import { figuresOf, recordOf } from '../harness/common/places.js';
import { tablesOf } from '../harness/common/tables.js';

/** @typedef {import('../harness/records/sources.js').Run} Run */

/** A number in prose: not part of a name or version, and no ordinal. */
const NUMBER = /(?<![\w.,/+-])-?\d+(?:,\d{3})*(?:\.\d+)?(?![\w]|[.,/+]\d|-\w)/g;
/** Text without measured numbers: `code` and link targets. */
const NOT_TOLD = /`[^`]*`|\]\([^)]*\)/g;
/** Unit conversions allowed between a table and the text. */
const FACTORS = [1, 100, 1000, 1e6, 1e-3, 1e-6];

/** @param {string} text @returns {string[]} its numbers as written */
export const listNumbers = (text) => text.replaceAll(NOT_TOLD, ' ').match(NUMBER) ?? [];

/** @param {string} written @returns {number} significant digits, without the trailing zeros of a whole number */
function digitsOf(written) {
  const digits = written.replaceAll(/^-|[,.]/g, '').replace(/^0+/, '');
  return (written.includes('.') ? digits : digits.replace(/0+$/, '')).length || 1;
}

/**
 * @param {string} written @param {number[]} known @param {number[]} [factors] of units
 * @returns {boolean} does it equal one of them, rounded to as many digits?
 */
function isHeld(written, known, factors = FACTORS) {
  const value = Math.abs(Number(written.replaceAll(',', '')));
  const digits = digitsOf(written);
  return known.some((number) => factors.some((factor) => Number((Math.abs(number) * factor).toPrecision(digits)) === value));
}

/** @param {unknown} value @returns {number[]} every number in it, also in strings */
const numbersIn = (value) => (JSON.stringify(value).replaceAll(/(?<=\d),(?=\d{3})/g, '').match(/\d+(?:\.\d+)?(?:e[+-]?\d+)?/g) ?? []).map(Number);

/** @param {string} experiment @param {string} [figure] @returns {number[]} the numbers in the figure's text version */
function readFigure(experiment, figure) {
  const profiles = /** @type {const} */ (['default', 'paper']);
  const paths = figure ? profiles.map((profile) => join(figuresOf(recordOf(experiment, profile)), `${figure}.txt`)) : [];
  return paths.filter((path) => existsSync(path)).flatMap((path) => numbersIn(readFileSync(path, 'utf8')));
}

/** @param {string} reduced @param {string} source a metric of points.tsv, or a table @returns {number[]} */
function readSource(reduced, source) {
  const path = join(reduced, `${source}.tsv`);
  const rows = existsSync(path) ? readTsv(path) : readTsv(join(reduced, 'points.tsv')).filter(({ metric }) => metric === source);
  return rows.flatMap((row) => Object.values(row).map(Number)).filter(Number.isFinite);
}

/**
 * @param {Run} run @param {string} name of a claim, or another key such as "also" @param {import('./findings.js').Finding} finding
 * @returns {string[]} numbers of its text without a source: neither the rows of its claim, nor its figure, nor a table or metric it
 *   names, nor the run's conditions, nor the claim's own words
 */
export function listUnheld({ experiment, reduced, spec, verdicts }, name, { text, figure, from = [] }) {
  const { phases, source_phases, workloads, points, environment } = spec;
  const isClaim = readClaims().some(({ claim }) => claim === name);
  const ofName = (/** @type {{claim: string}[]} */ all) => all.filter(({ claim }) => !isClaim || claim === name);
  const paper = recordOf(experiment, 'paper');
  const folders = [reduced, ...(existsSync(paper) ? [tablesOf(paper)] : [])];
  const named = from.flatMap((source) => folders.flatMap((folder) => readSource(folder, source)));
  const measured = [...numbersIn(ofName(verdicts)), ...readFigure(experiment, figure), ...named];
  const words = ofName(/** @type {any} */ (readClaims()));
  const told = numbersIn([phases, source_phases, workloads, points, environment.cores, words]);
  return listNumbers(text).filter((written) => !isHeld(written, measured) && !isHeld(written, told, [1, 1e-3]));
}

/**
 * @param {Run} run @param {import('./findings.js').Findings} findings
 * @returns {string[]} such as "T4: 2.41 is in no row of the claim, ..."
 */
export const checkNumbers = (run, { claims, words: _words, ...others }) =>
  Object.entries({ ...claims, ...others }).flatMap(([name, finding]) =>
    listUnheld(run, name, finding).map((written) => `${name}: ${written} is in no row of the claim, not in its figure, nor where "from" says`));
