/** Finds the reduced tables of a bundle, in its folder `reduced/`. To save space, a record has the large ones in an archive beside it. */
import { cpSync, existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pack, unpack } from './archive.js';
import { makeTemporary, removeTemporary } from './temporary.js';

const FOLDER = 'reduced';
const ARCHIVE = 'large-tables.tar.xz';
/** Larger tables are of single trials, processes or seconds: no one reads through them. As text they are 30 times as large. */
const LARGE_B = 16 * 1024;

/** @type {Map<string, string>} by bundle where its archive was unpacked */
const unpacked = new Map();

/** @param {string} bundle @returns {boolean} are its large tables in an archive? */
export const isPacked = (bundle) => existsSync(join(bundle, ARCHIVE));

/**
 * @param {string} bundle
 * @returns {string} the folder of all its tables, only for reading. If some are in an archive, all are put into a temporary
 *   folder, once, and removed when this process ends
 */
export function tablesOf(bundle) {
  if (!isPacked(bundle)) return join(bundle, FOLDER);
  const elsewhere = unpacked.get(resolve(bundle)) ?? makeTemporary('tables');
  if (!unpacked.has(resolve(bundle))) {
    unpacked.set(resolve(bundle), elsewhere);
    unpack(join(bundle, ARCHIVE), elsewhere);
    cpSync(join(bundle, FOLDER), join(elsewhere, FOLDER), { recursive: true });
  }
  return join(elsewhere, FOLDER);
}

/** Unpack all tables into the folder of a bundle, for writing. @param {string} bundle */
export function unpackTables(bundle) {
  if (!isPacked(bundle)) return;
  const all = tablesOf(bundle);
  cpSync(all, join(bundle, FOLDER), { recursive: true, force: false });
  rmSync(join(bundle, ARCHIVE));
  removeTemporary(dirname(all));
  unpacked.delete(resolve(bundle));
}

/** Put the large tables of a bundle into its archive. @param {string} bundle */
export function packTables(bundle) {
  unpackTables(bundle);
  const folder = join(bundle, FOLDER);
  const large = existsSync(folder) ? readdirSync(folder).filter((name) => statSync(join(folder, name)).size > LARGE_B) : [];
  if (large.length === 0) return;
  pack(join(bundle, ARCHIVE), bundle, large.sort().map((name) => `${FOLDER}/${name}`));
  for (const name of large) rmSync(join(folder, name));
}
