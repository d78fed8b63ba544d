/** `make archive`: packs a run or a published record into one self-describing zip. The same files give the same bytes. */
import { createWriteStream, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import { listClaimTables } from '../../harness/common/claim-tables.js';
import { HASHES, formatHashes, hashFile, listFiles, sha256 } from '../../harness/common/code.js';
import { makeFolder } from '../../harness/common/files.js';
import { ROOT } from '../../harness/common/places.js';
import { isPacked } from '../../harness/common/tables.js';
import { placeFor, readSource } from '../../harness/records/sources.js';
import { METADATA, describeCrate, listWithoutCaptures, prefixOf } from './crate.js';

/** @import { Run, Source } from '../../harness/records/sources.js' */
/** @typedef {{name: string, path: string}} Entry a file of the archive, and where it is now */

/** A fixed date and mode keep the bytes the same. 1980-01-01 is the first date that zip can represent. */
const SAME_BYTES = { mtime: new Date(1980, 0, 1), mode: 0o100644, forceDosTimestamp: true };

/** Temporary files: partial ones, not yet renamed, and dotfiles. */
const PASSING = /\.partial(-\d+)?(\/|$)|(^|\/)\.[^/]*$/;
/** The tables as a record stores them. The archive has them unpacked instead. */
const PACKED = /^(large-tables\.tar\.[gx]z|reduced\/)/;

/** @param {string} from a bundle, or `record` @returns {Promise<string>} the archive's path */
export async function writeArchive(from) {
  const source = readSource(from);
  const path = placeFor('archives', `${source.name}.zip`);
  makeFolder(dirname(path));
  const partial = `${path}.partial-${process.pid}`;
  try {
    await writeZip(source, partial);
    renameSync(partial, path);
  } finally {
    rmSync(partial, { force: true });
  }
  console.log(`${relative(process.cwd(), path)} (${(statSync(path).size / 1e6).toFixed(1)} MB)`);
  const without = listWithoutCaptures(source).length;
  if (without) console.log(describeLack(without));
  return path;
}

/** @param {number} count of results without captures @returns {string} what can't be checked, and what to do */
const describeLack = (count) =>
  `note: without captures: ${count === 1 ? 'a result' : `${count} results`} of record ${count === 1 ? 'has' : 'have'} those of one block at most `
  + '(./wscale verify records/…/default), so the archive is verified from the numbers of single trials; for one with all captures give a run: FROM=results/…';

/** @param {string} folder @param {string} prefix @returns {Entry[]} every file below the folder */
const listBelow = (folder, prefix) => listFiles(folder).map((name) => ({ name: prefix + name, path: join(folder, name) }))
  .filter(({ name }) => !PASSING.test(name));

/** @param {Run} run @param {string} prefix of its names: '' or its folder @returns {Entry[]} */
function listRun({ folder, reduced }, prefix) {
  const own = listBelow(folder, prefix);
  if (!isPacked(folder)) return own;
  return [...own.filter(({ name }) => !PACKED.test(name.slice(prefix.length))), ...listBelow(reduced, `${prefix}reduced/`)];
}

/** @param {Source} source @returns {Entry[]} sorted by name */
function listEntries(source) {
  const shared = ['LICENSE', 'CITATION.cff'].map((name) => ({ name, path: join(ROOT, name) }));
  const entries = [...shared, ...listClaimTables(), ...source.runs.flatMap((run) => listRun(run, prefixOf(source, run)))];
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** @param {Source} source @param {string} path */
async function writeZip(source, path) {
  const entries = listEntries(source);
  const files = [];
  for (const entry of entries) files.push({ name: entry.name, sha256: await hashFile(entry.path), size_b: statSync(entry.path).size });
  const metadata = `${JSON.stringify(describeCrate(source, files), null, 1)}\n`;
  const hashes = formatHashes(new Map([{ name: METADATA, sha256: sha256(metadata) }, ...files].map((file) => [file.name, file.sha256])));
  const zip = new ZipFile();
  zip.addBuffer(Buffer.from(metadata), METADATA, SAME_BYTES);
  zip.addBuffer(Buffer.from(hashes), HASHES, SAME_BYTES);
  for (const { name, path: file } of entries) zip.addFile(file, name, SAME_BYTES);
  zip.end();
  await pipeline(zip.outputStream, createWriteStream(path));
}
