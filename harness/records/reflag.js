/** Applies today's rules of validity to the captures of a bundle, and lists the trials with other flags than before. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readFlags } from '../common/bundle.js';
import { readTsv, writeTsv } from '../common/files.js';
import { judgeTrial } from '../../analysis/trials/validity.js';

/** @typedef {{revision: string, trial: string, before: string, after: string}} Reflagged the rules that flag it, or "none" */

/** A file of a bundle and of its record. */
export const REFLAGGED = 'reflagged.tsv';
export const REFLAGGED_COLUMNS = ['revision', 'trial', 'before', 'after'];

/** @param {string} folder of a trial @returns {string} */
const describeFlags = (folder) => readFlags(folder).join(', ') || 'none';

/**
 * @param {string} bundle with captures @param {any} spec with today's bounds
 * @param {string} revision of the code that judges
 * @returns {{changes: Reflagged[], unread: string[]}} `changes`: trials with other flags than before; `unread`: trials with captures that
 *   today's rules can't read, and why (they keep their flags)
 */
export function judgeTrialsAnew(bundle, spec, revision) {
  const judged = readTsv(join(bundle, 'plan.tsv')).filter(({ trial }) => existsSync(join(bundle, 'trials', trial, 'validity.tsv')));
  /** @type {Reflagged[]} */
  const changes = [];
  /** @type {string[]} */
  const unread = [];
  for (const { trial } of judged) {
    const folder = join(bundle, 'trials', trial);
    const before = describeFlags(folder);
    try {
      judgeTrial(folder, spec);
    } catch (error) {
      unread.push(`${trial}: ${/** @type {Error} */ (error).message}`);
    }
    const after = describeFlags(folder);
    if (after !== before) changes.push({ revision, trial, before, after });
  }
  const path = join(bundle, REFLAGGED);
  if (changes.length) writeTsv(path, REFLAGGED_COLUMNS, [...readTsv(path), ...changes]); // after earlier ones
  return { changes, unread };
}
