/** The numbers in what a person wrote of a record, held against its tables. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readTsv } from '../harness/common/files.js';
import { readClaims } from '../harness/common/claim-tables.js';

/** @typedef {import('../harness/records/sources.js').Run} Run */

/** A number in words: not a part of a name or of a version, and no ordinal. */
const NUMBER = /(?<![\w.,/+-])-?\d[\d,]*(?:\.\d+)?(?![\w]|[.,/+]\d|-\w)/g;
/** What is no measured number: `code`, and what stands in brackets behind a link. */
const NOT_TOLD = /`[^`]*`|\]\([^)]*\)/g;
/** Units in which a table's number may be told. */
const FACTORS = [1, 100, 1000, 1e6, 1e-3, 1e-6];

/** @param {string} text @returns {string[]} its numbers as they are written */
export const listNumbers = (text) => text.replaceAll(NOT_TOLD, ' ').match(NUMBER) ?? [];

/** @param {string} written @returns {number} significant digits; the zeros that end a whole number are none */
function digitsOf(written) {
  const digits = written.replaceAll(/^-|[,.]/g, '').replace(/^0+/, '');
  return (written.includes('.') ? digits : digits.replace(/0+$/, '')).length || 1;
}

/** @param {string} written @param {number[]} known @returns {boolean} is it one of them, rounded as it is written, in some unit? */
function isHeld(written, known) {
  const value = Number(written.replaceAll(',', ''));
  const digits = digitsOf(written);
  return known.some((number) => FACTORS.some((factor) => Number((Math.abs(number) * factor).toPrecision(digits)) === Math.abs(value)));
}

/** @param {unknown} value @returns {number[]} every number in it, in texts too */
const numbersIn = (value) => (JSON.stringify(value).match(/\d+(?:\.\d+)?(?:e[+-]?\d+)?/g) ?? []).map(Number);

/** Tables of every trial, second or step: too many numbers to be told by. */
const LONG = ['trials', 'flagged', 'load', 'series', 'threads', 'system', 'steps', 'flagged-steps', 'processes', 'loads', 'waterfall', 'residuals', 'dropped', 'seconds'];

/** @param {Run} run @returns {number[]} what may stand in a finding: of rows and small tables, of the load, and what is published */
function listKnown({ reduced, spec, verdicts }) {
  const { phases, source_phases, workloads, points, axes, engines, environment } = spec;
  const tables = readdirSync(reduced).filter((name) => name.endsWith('.tsv') && !LONG.includes(name.replace('.tsv', '')));
  const rows = tables.flatMap((name) => readTsv(join(reduced, name)));
  const cells = rows.flatMap((row) => Object.values(row).map(Number)).filter(Number.isFinite);
  return [...cells, environment.cores, ...numbersIn([verdicts, phases, source_phases, workloads, points, axes, engines, readClaims()])];
}

/** @param {Run} run @param {string} text @returns {string[]} numbers of the text that no table holds */
export function listUnheld(run, text) {
  const known = listKnown(run);
  return listNumbers(text).filter((written) => !isHeld(written, known));
}

/**
 * @param {Run} run @param {import('./findings.js').Findings} findings
 * @returns {string[]} such as "T4: 2.41 is in no table of the record"
 */
export const checkNumbers = (run, { claims, paper: _other, ...others }) =>
  Object.entries({ ...claims, ...others })
    .flatMap(([name, { text }]) => listUnheld(run, text).map((written) => `${name}: ${written} is in no table of the record`));
