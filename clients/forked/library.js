import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'smol-toml';
import { FILES } from '../common/config.js';
import { EXIT, Failure } from '../common/failure.js';

/**
 * An installed client library.
 * @typedef {object} Library
 * @property {string} name
 * @property {string} version
 * @property {string} runtime a folder of runtimes/
 * @property {string} dialect
 * @property {boolean} binary whether its dialect carries binary payloads
 * @property {string} adapter path
 * @property {string} node path
 */

const LIBRARIES = import.meta.dirname;
const RUNTIMES = join(LIBRARIES, '..', '..', 'runtimes');

/**
 * Reads a client library: its client.toml, its installed version, and the path of its runtime.
 * @param {string} name a folder of clients/forked/
 * @returns {Library}
 * @throws {Failure} 64 if there is no such library, it is not built, or its runtime is not installed
 */
export function readLibrary(name) {
  const folder = join(LIBRARIES, name);
  const manifest = join(folder, 'client.toml');
  if (!/^[a-z0-9.-]+$/.test(name) || !existsSync(manifest)) {
    refuse(`library "${name}" has no client.toml`, 'name a folder of clients/forked/');
  }
  const { package: packageName, dialect, runtime, binary, build } = /** @type {any} */ (parse(readFileSync(manifest, 'utf8')));
  const installed = join(folder, 'node_modules', packageName, 'package.json');
  if (!existsSync(installed)) refuse(`library "${name}" is not built`, `run "${build.join(' ')}" in clients/forked/${name}`);
  const node = join(RUNTIMES, runtime, 'bin', 'node');
  if (!existsSync(node)) refuse(`runtime "${runtime}" is not installed`, `run runtimes/${runtime}/install.sh`);
  return { name, dialect, runtime, binary, node, adapter: join(folder, 'adapter.cjs'), version: JSON.parse(readFileSync(installed, 'utf8')).version };
}

/**
 * @param {Library} library
 * @param {import('./config.js').Config} config
 * @throws {Failure} 69 if the library cannot carry the payload, receive files, or send events
 */
export function checkSupport(library, config) {
  const carriesFiles = existsSync(join(dirname(library.adapter), 'node_modules', 'delivery'));
  if (FILES.includes(config.behaviour) && !carriesFiles) refuseBehaviour(library, 'it receives no files', 'use a library that has delivery');
  if (config.behaviour === 'pingpong' && library.dialect === 'tcp') refuseBehaviour(library, 'its dialect has no events', 'use echo or idle');
  if (config.behaviour !== 'echo' || config.payload.type !== 'binary' || library.binary) return;
  refuseBehaviour(library, 'its dialect carries no binary payload', 'set payload.type to text');
}

/** @param {Library} library @param {string} what @param {string} next @returns {never} */
function refuseBehaviour(library, what, next) {
  throw new Failure(EXIT.behaviour, [`clients/forked/${library.name}: ${what}; ${next}`]);
}

/**
 * @param {string} what
 * @param {string} next
 * @returns {never}
 */
function refuse(what, next) {
  throw new Failure(EXIT.settings, [`clients/forked: ${what}; ${next}`]);
}
