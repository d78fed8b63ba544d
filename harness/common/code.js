/**
 * Code is every file that can affect a number of a run. Installed files, texts for readers, and whatever only draws or prints
 * existing tables (plots, report, an experiment's figures) are not code.
 */
import { createHash } from 'node:crypto';
import { createReadStream, readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { CLIENTS, EXPERIMENTS, ROOT, RUNTIMES, SERVERS } from './places.js';

const READ_OR_DRAWN = /\.md$|^experiments\/.*\/(figures\.(toml|js)|findings\.toml)$/;
const INSTALLED = /(^|\/)(node_modules|target|venv|__pycache__|\.[^/]*)(\/|$)|^runtimes\/[^/]+\/bin(\/|$)/;

/** @param {string} name of a file in the suite's folder, or of a folder there @returns {boolean} */
export const isCode = (name) => ![READ_OR_DRAWN, INSTALLED].some((pattern) => pattern.test(name));

/** @param {string} experiment @returns {Record<string, string>} paths of the code of its runs, by name; tests have folders of their own */
export const locateCode = (experiment) => ({
  ...Object.fromEntries(['analysis', 'harness', 'infra', 'package.json', 'package-lock.json'].map((name) => [name, join(ROOT, name)])),
  clients: CLIENTS, runtimes: RUNTIMES, servers: SERVERS, [`experiments/${experiment}`]: join(EXPERIMENTS, experiment),
});

/** @param {Record<string, string>} roots @returns {Map<string, string>} the path of each file of code, sorted by name */
export function listCode(roots) {
  const files = Object.entries(roots).flatMap(([name, path]) => walk(name, path));
  return new Map(files.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Links are followed: a duet's engines are links. @param {string} name @param {string} path @returns {[string, string][]} */
function walk(name, path) {
  const found = isCode(name) ? statSync(path, { throwIfNoEntry: false }) : undefined;
  if (found?.isFile()) return [[name, path]];
  if (!found?.isDirectory()) return [];
  return readdirSync(path).flatMap((entry) => walk(`${name}/${entry}`, join(path, entry)));
}

/** @param {string} folder @returns {string[]} the names of all files below it, sorted */
export const listFiles = (folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => statSync(join(folder, name)).isFile()).sort();

/** @param {string | Buffer} content @returns {string} */
export const sha256 = (content) => createHash('sha256').update(content).digest('hex');

/** @param {string} path @returns {Promise<string>} read in pieces: packets may be gigabytes */
export async function hashFile(path) {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(path)) hash.update(piece);
  return hash.digest('hex');
}

/** @param {Map<string, string>} files path by name @returns {Map<string, string>} hash by name */
export const hashFiles = (files) => new Map([...files].map(([name, path]) => [name, sha256(readFileSync(path))]));

/** The file of an archive with the hashes of all others. */
export const HASHES = 'sha256sums.txt';

/** @param {Map<string, string>} hashes by name @returns {string} in the format of sha256sum(1), for its -c */
export const formatHashes = (hashes) => [...hashes].map(([name, hash]) => `${hash}  ${name}\n`).join('');

/** @param {string} text as formatHashes writes it @returns {Map<string, string>} hash by name */
export function parseHashes(text) {
  const lines = text.split('\n').filter(Boolean).map((line) => line.split('  '));
  return new Map(lines.map(([hash, ...name]) => [name.join('  '), hash]));
}

/**
 * @param {Map<string, string>} before hash by name @param {Map<string, string>} after
 * @returns {{name: string, how: 'changed' | 'new' | 'gone'}[]} files that differ, by name
 */
export function listDifferences(before, after) {
  const names = [...new Set([...before.keys(), ...after.keys()])].sort();
  return names.filter((name) => before.get(name) !== after.get(name))
    .map((name) => ({ name, how: before.has(name) ? after.has(name) ? 'changed' : 'gone' : 'new' }));
}

/** Names listed in a message; the rest are counted. */
const NAMED_MAX = 6;

/** @param {string[]} names @returns {string} such as "a, b, and 3 more" */
export function tellNames(names) {
  const more = names.length - NAMED_MAX;
  return more > 0 ? `${names.slice(0, NAMED_MAX).join(', ')}, and ${more} more` : names.join(', ');
}
