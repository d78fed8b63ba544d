/** Decides whether a run may continue here and now. If anything that affects results has changed, its trials would not be comparable. */
import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { openBundle } from '../common/bundle.js';
import { listDifferences, parseHashes, tellNames } from '../common/code.js';
import { UserError } from '../common/failure.js';
import { writeJson } from '../common/files.js';
import { ROOT } from '../common/places.js';
import { ABSENT } from '../common/programs.js';

/** @typedef {Record<string, any>} Recorded spec.json, as stored or as it would be written now */
/** @typedef {{what: string, pick: (spec: Recorded) => Record<string, unknown>, next: string}} Part `next`: the user's alternative */

/** File in the bundle with the hash of each code file at the start of the run. */
export const CODE = 'code.sha256';

/** Keys of a spec that cannot affect a result, or that other parts compare. The run keeps its seed; `seed` checks one given anew. */
const NOT_OF_THE_SPEC = ['form', 'title', 'source', 'question', 'source_phases', 'seed', 'began', 'chosen', 'network', 'engines', 'generators', 'packages', 'environment'];
const INSTALLED = ['version', 'runtime', 'library_version']; // what is installed of an engine
/** The descriptor limit does not affect results if it suffices; if it does not, no run begins (fit.js). */
const NOT_OF_THE_MACHINE = ['suite', 'descriptors'];

/** @type {Part[]} */
const PARTS = [
  { what: 'spec', pick: pickSpec, next: 'put it back' },
  { what: 'network', pick: ({ network = {} }) => drop(network, ['why']), next: 'go on where it began' },
  { what: 'machine', pick: ({ environment }) => drop(environment, NOT_OF_THE_MACHINE), next: 'go on where it began' },
  { what: 'versions', pick: pickVersions, next: 'install those again' },
];

/** @param {Recorded} spec */
function pickSpec(spec) {
  const engines = Object.entries(spec.engines).map(([name, engine]) => [name, drop(engine, ['title', 'pinned_runtime', ...INSTALLED])]);
  const hosts = spec.hosts?.map(withoutAddresses);
  return { ...drop(spec, NOT_OF_THE_SPEC), engines: Object.fromEntries(engines), hosts };
}

/** Newly rented hosts have other addresses; addresses do not affect results. @param {Record<string, any>} host of a spec */
const withoutAddresses = ({ address: _own, addresses = [], ...host }) => ({ ...host, addresses: addresses.length });

/** @param {Recorded} spec */
function pickVersions({ engines, generators = {}, packages = {} }) {
  const versionsOf = (/** @type {Record<string, unknown>} */ part) => Object.fromEntries(INSTALLED.map((key) => [key, part[key]]));
  return Object.fromEntries(Object.entries({ ...engines, ...generators, ...packages }).map(([name, part]) => [name, versionsOf(part)]));
}

/** @param {Record<string, unknown>} from @param {string[]} keys */
const drop = (from, keys) => Object.fromEntries(Object.entries(from).filter(([key]) => !keys.includes(key)));

/** Facts derived by the kernel from the memory found at boot, which varies by some bytes. */
const OF_A_BOOT = ['memory_mb', 'sysctl.fs.file-max'];
const BOOT_SHARE_MAX = 0.01;

const OF_A_HOST = /^hosts\.[^.]+\./; // prefix of one host's facts, if there are several

/** @param {string} place of a leaf @param {any} then @param {any} now @returns {boolean} */
function isSame(place, then, now) {
  const path = place.replace(OF_A_HOST, '');
  if (path !== place && NOT_OF_THE_MACHINE.includes(path.split('.')[0])) return true;
  if (OF_A_BOOT.includes(path) && Math.abs(now / then - 1) <= BOOT_SHARE_MAX) return true;
  // A tool that was absent then played no part in the trials, and one absent now would play none
  if (path.startsWith('tools.') && [then, now].includes(ABSENT)) return true;
  return then === now;
}

/** @param {any} value @param {string} [path] @returns {Record<string, unknown>} leaves by path */
function flatten(value, path = '') {
  if (value === null || typeof value !== 'object') return { [path]: value };
  return Object.assign({}, ...Object.entries(value).map(([key, each]) => flatten(each, path ? `${path}.${key}` : key)));
}

/** @param {Part} part @param {Recorded} then @param {Recorded} now @returns {string[]} such as "phases.hold_s (then 5, now 6)" */
function compare({ what, pick }, then, now) {
  const [before, after] = [then, now].map((spec) => flatten(JSON.parse(JSON.stringify(pick(spec))))); // as if read from a file
  const isOfBoth = (/** @type {string} */ path) => path in before && path in after; // the spec part reports new engines
  const paths = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((path) => what !== 'versions' || isOfBoth(path));
  return paths.filter((path) => !isSame(path, before[path], after[path]))
    .map((path) => `${path} (then ${before[path] ?? 'none'}, now ${after[path] ?? 'none'})`);
}

/** @param {string} bundle @param {string} code the current hashes */
function listChangedSince(bundle, code) {
  const path = join(bundle, CODE);
  return listDifferences(parseHashes(existsSync(path) ? readFileSync(path, 'utf8') : ''), parseHashes(code));
}

/**
 * @param {string} bundle
 * @param {{spec: Recorded, code: string, seed?: number}} now spec.json and code.sha256 as they would be written; the seed, if one was given
 * @throws {UserError} with a line for each part that differs
 */
export function checkResumable(bundle, { spec: now, code, seed }) {
  const { spec: then } = openBundle(bundle);
  const { commit, changed } = then.environment.suite;
  const nextForCode = commit && changed.length === 0 ? `git checkout ${commit}` : 'put it back';
  const parts = [
    ...PARTS.map((part) => ({ ...part, differing: compare(part, then, now) })),
    { what: 'seed', next: 'go on without SEED', differing: [undefined, then.seed].includes(seed) ? [] : [`then ${then.seed}, now ${seed}`] },
    { what: 'code', next: nextForCode, differing: listChangedSince(bundle, code).map(({ name, how }) => `${name} (${how})`) },
  ];
  const problems = parts.filter(({ differing }) => differing.length).map(({ what, next, differing }) =>
    `RESUME: ${relative(ROOT, bundle)}: another ${what} than it began with: ${tellNames(differing)}; ${next}, or run without RESUME=1`);
  if (problems.length) throw new UserError(problems);
}

/**
 * Record files changed while trials ran. Such code is not the commit's, so the run cannot become a published result.
 * @param {string} bundle @param {string} code the current hashes @returns {string[]} the files
 */
export function noteChangedCode(bundle, code) {
  const changed = listChangedSince(bundle, code).map(({ name }) => name);
  if (changed.length === 0) return [];
  const { spec } = openBundle(bundle);
  const { suite } = spec.environment;
  const all = [...new Set([...suite.changed ?? [], ...changed])].sort();
  writeJson(join(bundle, 'spec.json'), { ...spec, environment: { ...spec.environment, suite: { ...suite, changed: all } } });
  return changed;
}
