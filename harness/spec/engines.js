/** Engines and client libraries: what their folders say of themselves, and their installation. */
import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, globSync, mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'smol-toml';
import { UserError } from '../common/failure.js';
import { readJson, writeAtomically } from '../common/files.js';
import { readManifest } from './manifest.js';
import { CLIENTS, ROOT, RUNTIMES, SERVERS } from '../common/places.js';

/**
 * @typedef {object} Installable a folder that is installed and run
 * @property {string} folder
 * @property {string} name
 * @property {string} runtime
 * @property {string[]} [build]
 * @property {string[]} [build_inputs] files that it is built from; without the list the build knows them itself, and is always run
 */
/** @typedef {Installable & {package: string, dialect: string, binary: boolean}} Part an engine or a client library */
/**
 * @typedef {object} Role
 * @property {number} min
 * @property {number} max
 * @property {number} default
 * @property {number} descriptors_per_connection
 */
/**
 * @typedef {Part & {title: string, era: '2014' | 'today', rebuilt?: string, client?: string, behaviours: string[], start: string[],
 *   extensions?: string[], max_message_b?: number,
 *   roles: Record<string, Role>, options?: Record<string, {values: string[], default: string}>}} Engine `client` is absent where only a
 *   generator speaks its dialect
 */

/** @param {string} folder @param {string} manifest @returns {string[]} the names of the parts below it, sorted */
export function listParts(folder, manifest) {
  return readdirSync(folder).filter((name) => existsSync(join(folder, name, manifest))).sort();
}

export const listEngines = () => listParts(SERVERS, 'engine.toml');
/** @type {string | undefined} */
let usual;

/**
 * @returns {string} the generator that runs what names none, and whose folder holds the libraries that engines name as their clients
 * @throws {UserError} when none says so
 */
export function usualGenerator() {
  const isUsual = (/** @type {string} */ name) => readManifest(join(CLIENTS, name, 'generator.toml'), 'generator').usual;
  usual ??= listParts(CLIENTS, 'generator.toml').find(isUsual);
  if (usual) return usual;
  throw new UserError('clients: no generator.toml says usual = true; add it to the one that runs what names none');
}

/** @param {string} [generator] that takes libraries */
export const listLibraries = (generator = usualGenerator()) => listParts(join(CLIENTS, generator), 'client.toml');

/** @param {string} name @returns {Engine} @throws {UserError} */
export function readEngine(name) {
  return readPart(SERVERS, name, 'engine', listEngines);
}

/** @param {string} name @param {string} [generator] in whose folder it is @returns {Part} @throws {UserError} */
export function readLibrary(name, generator = usualGenerator()) {
  return readPart(join(CLIENTS, generator), name, 'client', () => listLibraries(generator));
}

/**
 * @param {string} parent @param {string} name @param {'engine' | 'client' | 'generator' | 'companion'} kind @param {() => string[]} list
 * @returns {any}
 */
export function readPart(parent, name, kind, list) {
  const folder = join(parent, name);
  const path = join(folder, `${kind}.toml`);
  if (!existsSync(path)) throw new UserError(`${relative(ROOT, path)}: no such file; use one of ${list().join(', ')}`);
  const part = readManifest(path, kind);
  const where = relative(ROOT, path);
  if (part.name !== name) throw new UserError(`${where}: name: "${part.name}" is not the folder's name; write "${name}"`);
  if (!existsSync(join(RUNTIMES, part.runtime, 'install.sh'))) {
    throw new UserError(`${where}: runtime: "${part.runtime}" has no runtimes/${part.runtime}/install.sh; use one of ${listParts(RUNTIMES, 'install.sh').join(', ')}`);
  }
  return { ...part, folder };
}

/** @param {Installable} part @returns {string} the folder that comes first in its PATH */
export function runtimePath(part) {
  return join(RUNTIMES, part.runtime, 'bin');
}

/** How a version is read of what npm did not install, by runtime. @type {Record<string, (part: Part) => string | undefined>} */
const VERSION_READERS = { go: readModuleVersion, java: readJavaVersion, python: readWheelVersion, rust: readCrateVersion };

/**
 * @param {Part} part
 * @returns {string} the version of its package as installed
 * @throws {UserError} when it is not
 */
export function readVersion(part) {
  const version = (VERSION_READERS[part.runtime] ?? readNpmVersion)(part);
  if (version) return version;
  throw new UserError(`${relative(ROOT, part.folder)}: package: "${part.package}" is not among what is installed; name one that is`);
}

/** @param {Part} part @returns {string} */
function readNpmVersion({ folder, package: name }) {
  return readJson(join(folder, 'node_modules', name, 'package.json')).version;
}

/** @param {Part} part @returns {string | undefined} from the name of its jar; of a server on the JDK alone what `java` says of itself */
function readJavaVersion(part) {
  if (part.package === 'jdk') return execFileSync(join(runtimePath(part), 'java'), ['--version'], { encoding: 'utf8' }).split(' ')[1];
  const [start, end] = [`${part.package}-`, '.jar'];
  const jar = readdirSync(join(part.folder, 'target', 'lib')).find((name) => name.startsWith(start) && /^\d/.test(name.slice(start.length)));
  return jar?.slice(start.length, -end.length);
}

/** @param {Part} part @returns {string | undefined} from the lock of the workspace beside it, the only one that its build takes */
function readCrateVersion({ folder, package: name }) {
  const lock = /** @type {any} */ (parse(readFileSync(join(folder, '..', 'Cargo.lock'), 'utf8')));
  return lock.package.find((/** @type {{name: string}} */ crate) => crate.name === name)?.version;
}

/** @param {Part} part @returns {string | undefined} from its own go.mod, whose versions are the only ones that its build takes */
function readModuleVersion({ folder, package: name }) {
  const lines = readFileSync(join(folder, 'go.mod'), 'utf8').split('\n').map((line) => line.trim().replace(/^require /, '').split(' '));
  return lines.find(([module]) => module === name)?.[1];
}

/** @param {Part} part @returns {string | undefined} from what pip writes beside a package in the virtual environment */
function readWheelVersion({ folder, package: name }) {
  const [start, end] = [`${name.replaceAll('-', '_')}-`, '.dist-info'];
  const installed = globSync('venv/lib/python3.*/site-packages/*.dist-info', { cwd: folder }).map((path) => basename(path));
  return installed.find((each) => each.startsWith(start) && /^\d/.test(each.slice(start.length)))?.slice(start.length, -end.length);
}

/** Installations at a time: they wait for the registry, for the disk and for another's lock as often as they compute. */
const SIDE_BY_SIDE = 4;

/**
 * Install what parts lack: their runtimes, then their own dependencies, side by side. Quick when nothing changed.
 * @param {Installable[]} parts some may be there twice
 * @param {(text: string) => void} tell
 * @param {AbortSignal} [signal] ends those that are running, and starts no other
 * @throws {UserError} with the path of the log, when none runs any more
 */
export async function installParts(parts, tell, signal) {
  const runtimes = new Map(parts.map((part) => [part.runtime, part]));
  for (const part of runtimes.values()) await execute([join(RUNTIMES, part.runtime, 'install.sh')], part, tell, signal); // some share one
  const waiting = [...new Map(parts.map((part) => [part.folder, part])).values()];
  const installNext = async () => {
    for (let part = waiting.shift(); part; part = waiting.shift()) await build(part, tell, signal);
  };
  const ends = await Promise.allSettled(Array.from({ length: SIDE_BY_SIDE }, installNext));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}

/**
 * Whoever starts parts side by side installs them before: two installations of one folder would meet in it.
 * @param {Installable} part
 * @param {(text: string) => void} tell
 * @param {AbortSignal} [signal]
 */
async function build(part, tell, signal) {
  if (!part.build) return;
  const stamp = join(part.folder, '.installed');
  const wanted = fingerprint(part);
  const isInstalled = existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted;
  if (isInstalled && part.build_inputs) return;
  if (!isInstalled) tell(`installing ${relative(ROOT, part.folder)}: ${part.build.join(' ')}`);
  rmSync(stamp, { force: true });
  await execute(part.build, part, tell, signal);
  writeAtomically(stamp, wanted);
}

/** @param {Installable} part @returns {string} */
function fingerprint(part) {
  const hash = createHash('sha256').update(JSON.stringify([part.runtime, part.build]));
  for (const input of part.build_inputs ?? []) hash.update(readFileSync(join(part.folder, input)));
  return `${hash.digest('hex')}\n`;
}

/** Builds run with the current Node's npm: that of 2014 could not reach a registry any more. */
const INSTALL_PATH = [join(RUNTIMES, 'node-24', 'bin'), process.env.PATH].join(':');
/** For builds alone: the install.sh of these looks for a compiler in PATH, and is not to find the link that it made. */
const BUILD_PATH = [...['node-24', 'go', 'java', 'python', 'rust'].map((runtime) => join(RUNTIMES, runtime, 'bin')), process.env.PATH].join(':');

const runFile = promisify(execFile);

/** @param {string[]} argv @param {Installable} part @param {(text: string) => void} tell @param {AbortSignal} [signal] */
async function execute(argv, part, tell, signal) {
  try {
    const running = runFile('setpriv', ['--pdeathsig', 'KILL', '--', ...argv], { // an installation dies with us
      cwd: part.folder,
      env: { ...process.env, PATH: argv === part.build ? BUILD_PATH : INSTALL_PATH },
      maxBuffer: 64 << 20,
      signal,
    });
    running.child.stdin?.end(); // no one answers
    const { stdout } = await running;
    if (argv !== part.build) stdout.split('\n').filter(Boolean).forEach(tell);
  } catch (error) {
    signal?.throwIfAborted();
    const { stdout = '', stderr = '' } = /** @type {{stdout?: string, stderr?: string}} */ (error);
    mkdirSync(join(ROOT, 'results'), { recursive: true });
    const log = join(ROOT, 'results', 'install.log');
    appendFileSync(log, `$ ${argv.join(' ')} (in ${relative(ROOT, part.folder)})\n${stdout}${stderr}\n`);
    throw new UserError(`${relative(ROOT, part.folder)}: \`${argv.join(' ')}\` failed; read ${relative(ROOT, log)}`);
  }
}
