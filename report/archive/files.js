/** Lists the files of an archive, with their names in it. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { listClaimTables } from '../../harness/common/claim-tables.js';
import { ROOT } from '../../harness/common/places.js';

/** @import { Run, Source } from '../../harness/records/sources.js' */
/** @typedef {{name: string, path: string}} Entry a file of the archive, and where it is now */

/** Temporary files: partial ones, not yet renamed, and dotfiles. */
const PASSING = /\.partial(-\d+)?(\/|$)|(^|\/)\.[^/]*$/;
/** The tables as a record stores them. The archive has them unpacked instead. */
const PACKED = /^(large-tables\.tar\.[gx]z|reduced\/)/;

/** @param {string} folder @param {string} prefix @returns {Entry[]} every file below the folder */
function listBelow(folder, prefix) {
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map(({ parentPath, name }) => join(parentPath, name));
  return paths.map((path) => ({ name: `${prefix}${path.slice(folder.length + 1)}`, path })).filter(({ name }) => !PASSING.test(name));
}

/** @param {Run} run @param {string} prefix of its names: '' or its folder @returns {Entry[]} */
function listRun(run, prefix) {
  const own = listBelow(join(run.folder), prefix);
  if (!run.isRecord) return own;
  return [...own.filter(({ name }) => !PACKED.test(name.slice(prefix.length))), ...listBelow(run.reduced, `${prefix}reduced/`)];
}

/** @param {Source} source @param {Run} run @returns {string} its folder in the archive, with a slash; '' for a single run */
export const prefixOf = ({ runs }, { experiment }) => (runs.length > 1 ? `${experiment}/` : '');

/** @param {Source} source @returns {Entry[]} sorted by name */
export function listEntries(source) {
  const shared = ['LICENSE', 'CITATION.cff'].map((name) => ({ name, path: join(ROOT, name) }));
  const entries = [...shared, ...listClaimTables(), ...source.runs.flatMap((run) => listRun(run, prefixOf(source, run)))];
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}
