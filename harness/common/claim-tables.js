/** The claims that experiments judge: those of the sources (claims.tsv, made from claims.md), and of an experiment's own claims.tsv. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from './failure.js';
import { parseTsv } from './files.js';
import { CLAIMS, EXPERIMENTS } from './places.js';

export const CLAIM_COLUMNS = ['claim', 'source', 'section', 'words', 'published', 'criterion'];
const ID = /^[A-Z]{1,4}[0-9]{1,4}[a-z]?$/;
/** One line, not empty. */
const TEXT = /^(?=.*\S)[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+$/u;

/** @returns {{name: string, path: string}[]} the tables, by their names in experiments/ */
export function listClaimTables() {
  const own = globSync('*/claims.tsv', { cwd: EXPERIMENTS }).sort();
  return [{ name: 'claims.tsv', path: CLAIMS }, ...own.map((name) => ({ name, path: join(EXPERIMENTS, name) }))];
}

/**
 * @returns {Record<string, string>[]} claim (its id), source, section, words, published, criterion; in the order of the tables
 * @throws {UserError} with every problem of all of them
 */
export function readClaims() {
  const tables = listClaimTables().filter(({ path }) => existsSync(path)).map(({ name, path }) => ({ name, text: readFileSync(path, 'utf8') }));
  const problems = tables.flatMap(({ name, text }) => checkTable(text).map((problem) => `experiments/${name}:${problem}`));
  const rows = tables.flatMap(({ text }) => parseTsv(text));
  const ids = rows.map(({ claim }) => claim);
  const twice = [...new Set(ids.filter((id, at) => ids.indexOf(id) < at))];
  problems.push(...twice.map((id) => `experiments/*/claims.tsv: ${JSON.stringify(id)} is the id of two claims; give one of them another`));
  if (problems.length) throw new UserError(problems);
  return rows;
}

/** @param {string} text of a table @returns {string[]} its problems, each after the number of its line */
function checkTable(text) {
  const [header, ...lines] = text.replace(/\n$/, '').split('\n');
  if (header !== CLAIM_COLUMNS.join('\t')) return [`1: ${JSON.stringify(header)} is not its header; write ${CLAIM_COLUMNS.join(', ')}, with a tab between them`];
  return lines.flatMap((line, index) => checkLine(line.split('\t')).map((problem) => `${index + 2}: ${problem}`));
}

/** @param {string[]} cells @returns {string[]} */
function checkLine(cells) {
  if (cells.length !== CLAIM_COLUMNS.length) return [`has ${cells.length} cells between tabs, not ${CLAIM_COLUMNS.length}; write ${CLAIM_COLUMNS.join(', ')}`];
  return cells.flatMap((cell, at) => {
    if (at === 0) return ID.test(cell) ? [] : [`claim: ${JSON.stringify(cell)} is not an id (A to Z, then digits, such as "T1"); correct it`];
    return TEXT.test(cell) ? [] : [`${CLAIM_COLUMNS[at]}: ${JSON.stringify(cell)} is not a text of one line; write one`];
  });
}
