/** Generates experiments/claims.tsv from the tables of claims in experiments/claims.md. Each table is below its source's heading. */
import { readFileSync } from 'node:fs';
import { marked } from 'marked';
import { writeTsv } from '../harness/common/files.js';
import { CLAIM_COLUMNS } from '../harness/common/claim-tables.js';
import { CLAIMS } from '../harness/common/places.js';

/** @typedef {Record<string, string>} Row */

/** @param {any} table a token of Markdown @returns {Row[]} its cells as written, keyed by column */
const rowsOf = ({ header, rows }) =>
  rows.map((/** @type {any[]} */ cells) => Object.fromEntries(cells.map(({ text }, index) => [header[index].text, text])));

/** @param {string} markdown @returns {Row[]} rows of claims.tsv; `section` is "-" if the source has none for the claim */
export function listClaims(markdown) {
  const tables = marked.lexer(markdown).filter(({ type }) => type === 'table').flatMap(rowsOf);
  const sources = new Map(tables.filter(({ letter }) => letter).map(({ letter, source }) => [letter, source]));
  return tables.filter(({ id }) => id).map(({ id, section = '-', claim, published, criterion }) => (
    { claim: id, source: String(sources.get(id[0])), section, words: claim, published, criterion }));
}

/** Rewrite claims.tsv. */
export const writeClaims = () => writeTsv(CLAIMS, CLAIM_COLUMNS, listClaims(readFileSync(CLAIMS.replace(/tsv$/, 'md'), 'utf8')));
