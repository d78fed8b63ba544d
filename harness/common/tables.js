/**
 * Where the reduced tables of a bundle are: in its folder `reduced/`; in a result of record, to weigh little, the large ones in an
 * archive beside it.
 */
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { pack, unpack } from './archive.js';

const FOLDER = 'reduced';
const ARCHIVE = 'large-tables.tar.xz';
/** A larger table is of single trials, processes or seconds, which no one reads through; as text it is thirty times the size. */
const LARGE_B = 16 * 1024;

/** @type {Map<string, string>} by bundle where its archive was unpacked */
const unpacked = new Map();
process.once('exit', () => unpacked.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

/** @param {string} bundle @returns {boolean} are its large tables in an archive? */
export const isPacked = (bundle) => existsSync(join(bundle, ARCHIVE));

/**
 * @param {string} bundle
 * @returns {string} the folder of all its tables, to be read: where some are in an archive they are put together elsewhere, once, and
 *   gone when this process ends
 */
export function tablesOf(bundle) {
  if (!isPacked(bundle)) return join(bundle, FOLDER);
  const elsewhere = unpacked.get(resolve(bundle)) ?? mkdtempSync(join(tmpdir(), 'wscale-tables-'));
  if (!unpacked.has(resolve(bundle))) {
    unpacked.set(resolve(bundle), elsewhere);
    unpack(join(bundle, ARCHIVE), elsewhere);
    cpSync(join(bundle, FOLDER), join(elsewhere, FOLDER), { recursive: true });
  }
  return join(elsewhere, FOLDER);
}

/** Make all tables of a bundle files of its folder, to be written. @param {string} bundle */
export function unpackTables(bundle) {
  if (!isPacked(bundle)) return;
  const all = tablesOf(bundle);
  cpSync(all, join(bundle, FOLDER), { recursive: true, force: false });
  rmSync(join(bundle, ARCHIVE));
  rmSync(dirname(all), { recursive: true });
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
