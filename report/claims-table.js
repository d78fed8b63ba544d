/** experiments/claims.tsv of experiments/claims.md: the tables of claims, each below the heading of its source. */
import { readFileSync } from 'node:fs';
import { marked } from 'marked';
import { writeTsv } from '../harness/common/files.js';
import { CLAIM_COLUMNS } from '../harness/common/claim-tables.js';
import { CLAIMS } from '../harness/common/places.js';

/** @typedef {Record<string, string>} Row */

/** @param {any} table a token of Markdown @returns {Row[]} its cells as they are written, by the head of their columns */
const rowsOf = ({ header, rows }) =>
  rows.map((/** @type {any[]} */ cells) => Object.fromEntries(cells.map(({ text }, index) => [header[index].text, text])));

/**
 * @param {string} markdown
 * @returns {Row[]} of claims.tsv; a claim that stands in no section of its source has "-"
 */
export function listClaims(markdown) {
  const tables = marked.lexer(markdown).filter(({ type }) => type === 'table').flatMap(rowsOf);
  const sources = new Map(tables.filter(({ letter }) => letter).map(({ letter, source }) => [letter, source]));
  return tables.filter(({ id }) => id).map(({ id, section = '-', claim, published, criterion }) => (
    { claim: id, source: String(sources.get(id[0])), section, words: claim, published, criterion }));
}

/** Write claims.tsv anew. */
export const writeClaims = () => writeTsv(CLAIMS, CLAIM_COLUMNS, listClaims(readFileSync(CLAIMS.replace(/tsv$/, 'md'), 'utf8')));
