/** Reads what `wscale archive` wrote: one zip of one or more runs, with a hash of each file. */
import { createWriteStream, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import * as yauzl from 'yauzl';
import { HASHES, hashFile, listDifferences, listFiles, parseHashes } from '../common/code.js';
import { UserError } from '../common/failure.js';

export const GIVE_ARCHIVE = 'give what `./wscale archive` wrote, such as results/archives/….zip';

/** @param {string} path @throws {UserError} if it is missing, or no zip */
export async function checkZip(path) {
  if (!existsSync(path)) throw new UserError(`${path}: does not exist; ${GIVE_ARCHIVE}`);
  await yauzl.openPromise(path).then((zip) => zip.close(), () => {
    throw new UserError(`${path}: is not a zip file, or is cut off; ${GIVE_ARCHIVE}`);
  });
}

/** @param {string} path of a zip @param {string} folder an existing one @throws {UserError} if it is torn, or no archive of the suite */
export async function unzip(path, folder) {
  try {
    const zip = await yauzl.openPromise(path);
    for await (const entry of zip.eachEntry()) { // yauzl refuses names that lead out of the folder
      if (entry.fileName.endsWith('/')) continue;
      const target = join(folder, entry.fileName);
      mkdirSync(dirname(target), { recursive: true });
      await pipeline(await zip.openReadStreamPromise(entry), createWriteStream(target));
    }
  } catch (error) {
    throw new UserError(`${path}: can't be unzipped: ${/** @type {Error} */ (error).message}; get it anew`);
  }
  if (!existsSync(join(folder, HASHES))) throw new UserError(`${path}: holds no ${HASHES}; ${GIVE_ARCHIVE}`);
}

/** @param {string} folder an archive, unzipped @returns {string[]} the folders of its runs */
export const listArchived = (folder) => listFiles(folder).filter((name) => /^([^/]+\/)?spec\.json$/.test(name)).map(dirname).sort();

/** @param {string} folder an archive, unzipped @returns {Promise<{listed: number, wrong: string[]}>} `wrong`: not as their hashes say */
export async function findWrongFiles(folder) {
  const listed = parseHashes(readFileSync(join(folder, HASHES), 'utf8'));
  const present = new Map();
  for (const name of listFiles(folder)) if (name !== HASHES) present.set(name, await hashFile(join(folder, name)));
  return { listed: listed.size, wrong: listDifferences(listed, present).map(({ name, how }) => `${name} ${how}`) };
}
