/** The claims that experiments judge: of the sources, and what an experiment brings along in a claims.tsv of its own. */
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { readTsv } from './files.js';
import { CLAIMS, EXPERIMENTS } from './places.js';

/** @returns {{name: string, path: string}[]} the tables that are there, by their names in experiments/ */
export function listClaimTables() {
  const own = globSync('*/claims.tsv', { cwd: EXPERIMENTS }).sort();
  return [{ name: 'claims.tsv', path: CLAIMS }, ...own.map((name) => ({ name, path: join(EXPERIMENTS, name) }))];
}

/** @returns {Record<string, string>[]} claim (its id), source, section, words, published, criterion; in the order of the tables */
export const readClaims = () => listClaimTables().flatMap(({ path }) => readTsv(path));
