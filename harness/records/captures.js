/**
 * The raw captures of one block of a result of record: what was read off the machine in each of its trials is in the tree, so that anyone
 * can compute its numbers anew (check/verify-captures.js). What `archive` writes of a run has all blocks.
 */
import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { pack, unpack } from '../common/archive.js';
import { readTsv, writeTsv } from '../common/files.js';

const CAPTURES = 'captures.tar.xz';

/** @typedef {Record<string, string>} Row */

/** @param {string} record @returns {boolean} older ones have none */
export const hasCaptures = (record) => existsSync(join(record, CAPTURES));

/** @param {Row[]} plan @returns {Row[]} of its first block, trials that were run again with it */
const rowsOfBlock = (plan) => plan.filter(({ block }) => block === plan[0].block);

/** @param {string} bundle @param {string} record */
export const packCaptures = (bundle, record) =>
  pack(join(record, CAPTURES), bundle, rowsOfBlock(readTsv(join(bundle, 'plan.tsv'))).map(({ trial }) => `trials/${trial}`).sort());

/** @param {string} record @param {string} folder that becomes a bundle of the block alone @returns {string[]} its trials */
export function unpackCaptures(record, folder) {
  unpack(join(record, CAPTURES), folder);
  for (const name of ['spec.json', 'comparisons.tsv']) cpSync(join(record, name), join(folder, name));
  const plan = rowsOfBlock(readTsv(join(record, 'plan.tsv')));
  writeTsv(join(folder, 'plan.tsv'), Object.keys(plan[0]).filter((name) => !name.includes('.')), plan);
  return plan.map(({ trial }) => trial);
}
