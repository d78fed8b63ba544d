/**
 * The raw captures of one block of a record. They are in the tree, so that anyone can recompute the numbers of its trials
 * (check/verify-captures.js). An archive of a run has the captures of all blocks.
 */
import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { pack, unpack } from '../common/archive.js';
import { readTsv, writeTsv } from '../common/files.js';

const CAPTURES = 'captures.tar.xz';

/** @typedef {Record<string, string>} Row */

/** @param {string} record @returns {boolean} old records have none */
export const hasCaptures = (record) => existsSync(join(record, CAPTURES));

/** @param {Row[]} plan @returns {Row[]} of its first block, with repeated trials */
const rowsOfBlock = (plan) => plan.filter(({ block }) => block === plan[0].block);

/** @param {string} bundle @param {string} record */
export const packCaptures = (bundle, record) =>
  pack(join(record, CAPTURES), bundle, rowsOfBlock(readTsv(join(bundle, 'plan.tsv'))).map(({ trial }) => `trials/${trial}`).sort());

/** @param {string} record @param {string} folder becomes a bundle of this block @returns {string[]} its trials */
export function unpackCaptures(record, folder) {
  unpack(join(record, CAPTURES), folder);
  for (const name of ['spec.json', 'comparisons.tsv']) cpSync(join(record, name), join(folder, name));
  const plan = rowsOfBlock(readTsv(join(record, 'plan.tsv')));
  writeTsv(join(folder, 'plan.tsv'), Object.keys(plan[0]).filter((name) => !name.includes('.')), plan);
  return plan.map(({ trial }) => trial);
}
