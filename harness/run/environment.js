/** What of a run is the coordinator's to tell: its code, and the versions of its parts. The host's facts are the agent's. */
import { formatHashes, hashFiles, listCode, locateCode, sha256 } from '../common/code.js';
import { readCommit } from '../common/commit.js';
import { readEngine, readLibrary, readRuntime, readVersion, runtimePath } from '../spec/engines.js';
import { askVersion, readGenerator } from '../spec/generators.js';
import { firstLine } from '../common/first-line.js';

/** @typedef {{code_hash: string} & import('../common/commit.js').Commit} Suite */

/**
 * @param {string} experiment
 * @returns {{suite: Suite, code: string}} of its runs; `code` has a line a file, and `code_hash` is its hash
 */
export function readSuite(experiment) {
  const roots = locateCode(experiment);
  const code = formatHashes(hashFiles(listCode(roots)));
  return { suite: { code_hash: sha256(code), ...readCommit(roots) }, code };
}

/**
 * @typedef {object} Asked whose versions, as installed
 * @property {string[]} engines
 * @property {Record<string, string>} libraries of engines, '' where none is
 * @property {string} generator whose libraries they are
 * @property {string[]} generators
 */
/**
 * @typedef {object} Versions
 * @property {Record<string, {version: string, runtime: string}>} engines
 * @property {Record<string, {library_version: string}>} libraries by engine
 * @property {Record<string, {version: string}>} generators
 */

/** @param {Asked} asked @returns {Versions} of what is installed here */
export function readVersions({ engines, libraries, generator, generators }) {
  const versionOf = (/** @type {string} */ name) => ({ version: readVersion(readEngine(name)), runtime: askRuntime(readEngine(name)) });
  return {
    engines: Object.fromEntries(engines.map((name) => [name, versionOf(name)])),
    libraries: Object.fromEntries(Object.entries(libraries).map(([name, library]) =>
      [name, { library_version: library && readVersion(readLibrary(library, generator)) }])),
    generators: readGenerators(generators),
  };
}

/**
 * No server is started to be asked: what is native has no runtime, and what built it stands in its place (runtime.toml).
 * @param {Pick<import('../spec/engines.js').Engine, 'folder' | 'runtime'>} engine
 * @returns {string} what its runtime says of itself, such as "v0.10.28" (Node) or "Bun 1.4.5"
 */
export function askRuntime(engine) {
  const { version, version_prefix = '' } = readRuntime(engine.runtime);
  const env = { ...process.env, PATH: `${runtimePath(engine)}:${process.env.PATH}` };
  return version_prefix + firstLine(version, { cwd: engine.folder, env });
}

/**
 * The versions of the generators, by what each says when it is ready; client libraries have theirs beside their engines.
 * @param {string[]} names
 * @returns {Record<string, {version: string}>}
 */
export function readGenerators(names) {
  const native = names.map(readGenerator).filter(({ dialects }) => dialects);
  return Object.fromEntries(native.map((generator) => [generator.name, { version: askVersion(generator) }]));
}
