/** Engines and client libraries, as declared in their folders. */
import { existsSync, readdirSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { UserError } from '../common/failure.js';
import { nearestWord } from '../common/nearest-word.js';
import { inspectManifest, readManifest } from './manifest.js';
import { CLIENTS, ROOT, RUNTIMES, SERVERS } from '../common/places.js';

/**
 * @typedef {object} Installable a folder to install and run
 * @property {string} folder @property {string} name @property {string} runtime @property {string[]} [build]
 * @property {string[]} [build_inputs] files it is built from; without the list the build always runs, and finds out itself
 */
/** @typedef {Installable & {package: string, dialect: string, binary: boolean}} Part an engine or a client library */
/**
 * @typedef {object} Role
 * @property {number} min @property {number} max @property {number} default @property {number} descriptors_per_connection
 */
/**
 * @typedef {{values: string[], default: string, parts?: Record<string, Omit<Installable, 'name'>>}} Option of an engine; `parts`: needed by
 *   a value beside the engine, with folders relative to the engine's, installed only if the value is in use
 */
/**
 * @typedef {Part & {title: string, era: '2014' | 'today', idiom?: string, rebuilt?: string, client?: string, behaviours: string[],
 *   start: string[], extensions?: string[], min_message_b?: number, max_message_b?: number,
 *   limits?: {message_b: number, unsent_b: number}, ci?: boolean,
 *   roles: Record<string, Role>, options?: Record<string, Option>}} Engine `client` is absent if only a generator speaks its dialect
 */

/** Carries frames between network namespaces if the kernel lacks netem; built like an engine. @type {Installable} */
export const LINK_PART = {
  name: 'link', folder: join(ROOT, 'infra', 'link'), runtime: 'rust', build: ['cargo', 'build', '--release', '--locked'],
};

/** @param {string} folder @param {string} manifest @returns {string[]} names of the parts in it, sorted */
export const listParts = (folder, manifest) => readdirSync(folder).filter((name) => existsSync(join(folder, name, manifest))).sort();

export const listRuntimes = () => listParts(RUNTIMES, 'runtime.toml');
export const listEngines = () => listParts(SERVERS, 'engine.toml');
/** @type {string | undefined} */
let usual;

/** @returns {string} the default generator, whose folder holds the engines' client libraries @throws {UserError} */
export function usualGenerator() {
  const isUsual = (/** @type {string} */ name) => readManifest(join(CLIENTS, name, 'generator.toml'), 'generator').usual;
  usual ??= listParts(CLIENTS, 'generator.toml').find(isUsual);
  if (usual) return usual;
  throw new UserError('clients: no generator.toml says usual = true; add it to the one that runs what names none');
}

/** @param {string} [generator] one that takes libraries */
export const listLibraries = (generator = usualGenerator()) => listParts(join(CLIENTS, generator), 'client.toml');

/** @param {string} name @returns {Engine} @throws {UserError} */
export const readEngine = (name) => readPart(SERVERS, name, 'engine', listEngines);

/** @param {string} engine @returns {string} its language; "-" for an engine not in this checkout */
export const languageOf = (engine) => (listEngines().includes(engine) ? readRuntime(readEngine(engine).runtime).language : '-');

/** @returns {Engine[]} engines checked by the tests; `make check-servers` checks the others */
export const readTestedEngines = () => listEngines().map(readEngine).filter(({ ci }) => ci !== false);

/** @param {Engine} engine @param {Record<string, string>} [chosen] option values, or all @returns {Installable[]} parts they need */
export function listOptionParts({ folder, options = {} }, chosen) {
  const partsOf = (/** @type {[string, Option]} */ [option, { parts: known = {} }]) =>
    (chosen ? known[chosen[option]] ?? [] : Object.values(known));
  const parts = Object.entries(options).flatMap(partsOf);
  return parts.map((part) => ({ ...part, name: basename(part.folder), folder: join(folder, part.folder) }));
}

/** @param {string} name @param {string} [generator] the folder it is in @returns {Part} @throws {UserError} */
export const readLibrary = (name, generator = usualGenerator()) =>
  readPart(join(CLIENTS, generator), name, 'client', () => listLibraries(generator));

/** @param {string} parent @param {string} name @param {import('./manifest.js').SchemaName} kind @param {() => string[]} list */
export function readPart(parent, name, kind, list) {
  const folder = join(parent, name);
  const path = join(folder, `${kind}.toml`);
  if (!existsSync(path)) {
    const near = nearestWord(name, list());
    throw new UserError(`${relative(ROOT, path)}: no such file; ${near ? `did you mean "${near}"? ` : ''}use one of ${list().join(', ')}`);
  }
  const { value: part, problems, places } = inspectManifest(path, kind);
  const found = checkPart(part, name, places).map((problem) => `${relative(ROOT, path)}: ${problem}`);
  if (problems.length + found.length) throw new UserError([...problems, ...found]);
  return { ...part, folder };
}

/** @param {any} part @param {string} name of its folder @param {string[]} wrong places found by its schema @returns {string[]} problems */
function checkPart(part, name, wrong) {
  const isSound = (/** @type {string} */ place) => !wrong.some((each) => each.startsWith(place));
  const runtimes = isSound('runtime') ? [['runtime', part.runtime]] : [];
  const parts = isSound('options') ? listOptionPlaces(part) : [];
  const isUnknown = (/** @type {string[]} */ [, runtime]) => !existsSync(join(RUNTIMES, runtime, 'runtime.toml'));
  return [
    ...(isSound('name') && part.name !== name ? [`name: "${part.name}" is not the folder's name; write "${name}"`] : []),
    ...parts.filter(({ value, values }) => !values.includes(value)).map(({ place, value, values }) => `${place}: "${value}" is no value of the option; use one of ${values.join(', ')}`),
    ...[...runtimes, ...parts.map(({ place, runtime }) => [`${place}.runtime`, runtime])].filter(isUnknown)
      .map(([place, runtime]) => `${place}: "${runtime}" has no runtimes/${runtime}/runtime.toml; use one of ${listRuntimes().join(', ')}`),
  ];
}

/**
 * @param {Pick<Engine, 'options'>} engine
 * @returns {{place: string, value: string, values: string[], runtime: string}[]} parts of its options
 */
const listOptionPlaces = ({ options = {} }) => Object.entries(options).flatMap(([option, { values, parts = {} }]) =>
  Object.entries(parts).map(([value, { runtime }]) => ({ place: `options.${option}.parts.${value}`, value, values, runtime })));

/** @param {Pick<Installable, 'runtime'>} part @returns {string} first folder of its PATH */
export const runtimePath = (part) => join(RUNTIMES, part.runtime, 'bin');

/**
 * @typedef {object} Runtime runs or built a part: runtimes/<name>/runtime.toml
 * @property {string} language in lists of engines
 * @property {string[]} version an argv, run with bin/ first in PATH; its first line of output is the version
 * @property {string} [version_prefix] put before that line
 * @property {string} [pinned] for a runtime from the system: the version of the published results, as it prints it
 * @property {string[]} package_version an argv in its folder that prints a package's version; a part's folder and package are appended
 * @property {string} [comment] start of a comment line, by default `//`
 * @property {string[]} build_path runtimes whose bin/ come first in PATH during a build
 */

/** @param {string} name @returns {Runtime} @throws {UserError} if there is none of that name */
export const readRuntime = (name) => readManifest(join(RUNTIMES, name, 'runtime.toml'), 'runtime');
