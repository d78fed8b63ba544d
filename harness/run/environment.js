/** The coordinator's part of a run's environment: the suite's code, and the versions of its parts. The agent reads the host's facts. */
import { join, relative } from 'node:path';
import { formatHashes, hashFiles, listCode, locateCode, sha256 } from '../common/code.js';
import { readCommit } from '../common/commit.js';
import { UserError } from '../common/failure.js';
import { writeJson } from '../common/files.js';
import { EXPERIMENTS, ROOT, RUNTIMES, SERVERS } from '../common/places.js';
import { ABSENT, firstLine, lastWords, runProgram } from '../common/programs.js';
import { makeTemporary } from '../common/temporary.js';
import { readEngine, readLibrary, readRuntime, runtimePath } from '../spec/engines.js';
import { readCompanion, readGenerator } from '../spec/generators.js';

/** @typedef {import('../spec/engines.js').Part} Part */
/** @typedef {import('../spec/generators.js').Generator} Generator */

/** @typedef {{code_hash: string, elsewhere?: string[]} & import('../common/commit.js').Commit} Suite */

/**
 * @param {string} experiment
 * @returns {{suite: Suite, code: string}} for the runs of this experiment. `code` has one line per file, and `code_hash` is its hash.
 *   `elsewhere` names the folders that do not lie in the suite
 */
export function readSuite(experiment) {
  const roots = locateCode(experiment);
  const code = formatHashes(hashFiles(listCode(roots)));
  const places = Object.entries({ servers: SERVERS, experiments: EXPERIMENTS });
  const elsewhere = places.filter(([name, path]) => path !== join(ROOT, name)).map(([name]) => name);
  return { suite: { code_hash: sha256(code), ...readCommit(roots), ...(elsewhere.length && { elsewhere }) }, code };
}

/**
 * @typedef {{engines: string[], libraries: Record<string, string>, generator: string, generators: string[], companions: string[]}} Asked
 *   for which parts versions are read. `libraries`: by engine, '' for none; `generator`: the one whose libraries these are
 */
/** @typedef {{runtime: string, pinned_runtime?: string}} Ran What ran or built a part; `pinned_runtime`: the published one, if another */
/** @typedef {{version: string} & Ran} RunBy */
/**
 * @typedef {{engines: Record<string, RunBy>, libraries: Record<string, {library_version: string}>, generators: Record<string, RunBy>,
 *   packages: Record<string, {version: string}>}} Versions `libraries`: by engine; `packages`: Debian packages used by generators and
 *   companions, such as a browser
 */

/** @param {Asked} asked @returns {Versions} installed on this host */
export function readVersions({ engines = [], libraries = {}, generator, generators = [], companions = [] }) {
  const versionOf = (/** @type {string} */ name) => ({ version: readVersion(readEngine(name)), ...tellRuntime(readEngine(name)) });
  return {
    engines: Object.fromEntries(engines.map((name) => [name, versionOf(name)])),
    libraries: Object.fromEntries(Object.entries(libraries).map(([name, library]) =>
      [name, { library_version: library && readVersion(readLibrary(library, generator)) }])),
    generators: Object.fromEntries(generators.map(readGenerator).filter(({ dialects }) => dialects)
      .map((each) => [each.name, { version: askVersion(each), ...tellRuntime(each) }])),
    packages: readPackages([...generators.map(readGenerator), ...companions.map(readCompanion)]),
  };
}

/** @param {{packages?: string[]}[]} parts @returns {Record<string, {version: string}>} those known to dpkg */
function readPackages(parts) {
  const names = [...new Set(parts.flatMap(({ packages = [] }) => packages.map((each) => each.split(':')[0])))];
  const known = names.map((name) => ({ name, version: firstLine(['dpkg-query', '--show', '--showformat=${Version}', name]) }));
  return Object.fromEntries(known.filter(({ version }) => version && version !== ABSENT).map(({ name, version }) => [name, { version }]));
}

/** @param {Pick<Part, 'folder' | 'runtime' | 'package'>} part @returns {string} version of its package, as installed @throws {UserError} */
export function readVersion({ folder, runtime, package: name }) {
  const { stdout } = runProgram([...readRuntime(runtime).package_version, folder, name], { cwd: join(RUNTIMES, runtime) });
  if (stdout.trim()) return stdout.trim();
  throw new UserError(`${relative(ROOT, folder)}: package: "${name}" is not among what is installed; name one that is`);
}

/**
 * Starts no server. A native engine has no runtime; runtime.toml names the compiler instead.
 * @param {Pick<import('../spec/engines.js').Engine, 'folder' | 'runtime'>} engine
 * @returns {string} the runtime's own version string, such as "v0.10.28" (Node) or "Bun 1.4.5"
 */
export function askRuntime(engine) {
  const { version, version_prefix = '' } = readRuntime(engine.runtime);
  const env = { ...process.env, PATH: `${runtimePath(engine)}:${process.env.PATH}` };
  return version_prefix + firstLine(version, { cwd: engine.folder, env });
}

/** @param {Pick<import('../spec/engines.js').Engine, 'folder' | 'runtime'>} part @returns {Ran} */
function tellRuntime(part) {
  const { pinned } = readRuntime(part.runtime);
  const runtime = askRuntime(part);
  return pinned === undefined || isOfVersion(runtime, pinned) ? { runtime } : { runtime, pinned_runtime: pinned };
}

/** @param {string} told such as "go version go1.26.8 linux/amd64" @param {string} pinned such as "go1.26"; "go1.2" does not match */
export const isOfVersion = (told, pinned) => `${told} `.split(pinned).slice(1).some((rest) => /^\D/.test(rest));

/** A valid load that never begins, because no one says `go`. */
const NO_LOAD = {
  url: 'ws://127.0.0.1:9', behaviour: 'idle', processes: 1, connections: 1, connect_rate_hz: 1, warmup_s: 0, ramp_s: 1, settle_s: 0,
  hold_s: 1, arrivals: { kind: 'closed', outstanding: 1 }, payload: { type: 'text', bytes: 1 }, seed: 1, late_ms: 1, drain_s: 0,
};
const SAYS_WITHIN_MS = 10_000; // for a generator to say `ready`, and to end at the end of its standard input

/** @param {Generator} generator that speaks its dialects itself @returns {string} the version in its `ready` line @throws {UserError} */
function askVersion(generator) {
  const folder = makeTemporary('ask');
  const path = join(folder, 'client.json');
  writeJson(path, { ...NO_LOAD, dialect: generator.dialects?.[0], out: folder });
  const env = { ...process.env, PATH: `${runtimePath(generator)}:${process.env.PATH}` };
  const asked = runProgram([...generator.start, path], { cwd: generator.folder, env, timeout: SAYS_WITHIN_MS });
  const version = /^ready .*"version":"([^"]+)"/m.exec(asked.stdout)?.[1];
  if (version) return version;
  throw new UserError(`${relative(ROOT, generator.folder)}: \`${generator.start.join(' ')}\` was never ready, and said: ${lastWords(asked)}; see clients/CONTRACT.md`);
}
