/** Checks each number in the text of a finding against the data of its card and the sources it names. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readClaims } from '../harness/common/claim-tables.js';
import { readTsv } from '../harness/common/files.js';
import { listSentences } from './findings.js';
import { figuresOf, recordOf } from '../harness/common/places.js';
import { tablesOf } from '../harness/common/tables.js';

/** @typedef {import('../harness/records/sources.js').Run} Run */

/** A number in prose: not part of a name or version, and no ordinal. */
const NUMBER = /(?<![\w.,/+-])-?\d+(?:,\d{3})*(?:\.\d+)?(?![\w]|[.,/+]\d|-\w)/g;
/** Text without measured numbers: `code` and link targets. */
const NOT_TOLD = /`[^`]*`|\]\([^)]*\)/g;
/** What a number of a table may be multiplied by, before a unit in the text. Tables have shares, bytes, and times in s, ms or µs. */
const FACTORS = /** @type {Record<string, number[]>} */ ({
  '%': [1, 100], thousand: [1e-3], million: [1e-6],
  s: [1, 1e-3, 1e-6], ms: [1, 1e-3, 1e3], µs: [1, 1e3, 1e6], us: [1, 1e3, 1e6],
  B: [1], bytes: [1], kB: [1, 1e-3], KiB: [1], MB: [1, 1e-3, 1e-6], GB: [1e-3, 1e-9],
});
const QUANTITY = new RegExp(`${NUMBER.source}(?:\\]?\\s(${Object.keys(FACTORS).join('|')})(?!\\w))?`, 'g');

/** @param {string} text @returns {string[]} its numbers as written */
export const listNumbers = (text) => text.replaceAll(NOT_TOLD, ' ').match(NUMBER) ?? [];

/**
 * A number without a unit may have the nearest one before or after it in its sentence, as in "12 to 14 µs".
 * @param {string} text @returns {{written: string, factors: number[]}[]}
 */
const listQuantities = (text) => listSentences(text.replaceAll(NOT_TOLD, ' ')).flatMap((sentence) => {
  const found = [...sentence.matchAll(QUANTITY)].map(([words, unit]) => ({ written: listNumbers(words)[0], unit }));
  const factorsOf = (/** @type {string | undefined} */ unit) => (unit ? FACTORS[unit] : []);
  return found.map(({ written, unit }, at) => {
    const before = found.slice(0, at).findLast((each) => each.unit)?.unit;
    const after = found.slice(at).find((each) => each.unit)?.unit;
    return { written, factors: unit ? FACTORS[unit] : [1, ...factorsOf(before), ...factorsOf(after)] };
  });
});

/** @param {string} written @returns {number} significant digits, without the trailing zeros of a whole number */
function digitsOf(written) {
  const digits = written.replaceAll(/^-|[,.]/g, '').replace(/^0+/, '');
  return (written.includes('.') ? digits : digits.replace(/0+$/, '')).length || 1;
}

/**
 * @param {string} written @param {number[]} known @param {number[]} factors of units
 * @returns {boolean} does it equal one of them, rounded to as many digits?
 */
function isHeld(written, known, factors) {
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

/** Columns that no text tells. */
const OF_INTERVALS = ['error', 'degrees'];

/**
 * @param {string} reduced @param {string} source a metric of points.tsv, or a table; words after it choose rows: "surface payload_b=128"
 */
function readSource(reduced, source) {
  const [name, ...chosen] = source.split(' ');
  const pairs = chosen.map((word) => word.split('='));
  const path = join(reduced, `${name}.tsv`);
  const all = existsSync(path) ? readTsv(path) : readTsv(join(reduced, 'points.tsv')).filter(({ metric }) => metric === name);
  const rows = all.filter((row) => pairs.every(([column, value]) => row[column] === value));
  const columns = Object.keys(rows[0] ?? {}).filter((column) => !OF_INTERVALS.includes(column));
  return rows.flatMap((row) => columns.map((column) => Number(row[column]))).filter(Number.isFinite);
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
  const rows = ofName(verdicts).map((row) => Object.entries(row).filter(([column]) => !OF_INTERVALS.includes(column)));
  const measured = [...numbersIn(rows), ...readFigure(experiment, figure), ...named];
  const words = ofName(/** @type {any} */ (readClaims()));
  const told = numbersIn([phases, source_phases, workloads, points, environment.cores, words]);
  const unheld = listQuantities(text).filter(({ written, factors }) =>
    !isHeld(written, measured, factors) && !isHeld(written, told, factors.filter((factor) => factor === 1 || factor === 1e-3)));
  return unheld.map(({ written }) => written);
}

/** @param {Run} run @param {import('./findings.js').Findings} findings @returns such as "T4: 2.41 is in no row of the claim, ..." */
export const checkNumbers = (run, { claims, words: _words, ...others }) =>
  Object.entries({ ...claims, ...others }).flatMap(([name, finding]) =>
    listUnheld(run, name, finding).map((written) => `${name}: ${written} is in no row of the claim, not in its figure, nor where "from" says`));
