/** Differences between the conditions of two runs of an experiment: versions, machine, profile and manifest. */
import { isDeepStrictEqual } from 'node:util';
import { hasOldNumbers } from '../../harness/common/bundle.js';
import { tellNames } from '../../harness/common/code.js';

/** Keys of a spec that differ in every run, or are reported separately. */
const IGNORED = ['form', 'seed', 'began', 'experiment', 'title', 'source', 'question', 'source_phases', 'engines', 'generators', 'packages', 'environment'];
/** Keys of an engine for what is installed; the others come from the manifest. */
const INSTALLED = ['version', 'library_version'];
/** Keys for the runtime or compiler, which many engines share, and for its version in the records. */
const RUNTIME = ['runtime', 'pinned_runtime'];

/**
 * @param {any} a spec of a bundle @param {any} b
 * @returns {string[]} a line for each kind of difference, such as "manifest: profile (A quick, B paper)"
 */
export function describeDifferences(a, b) {
  /** @type {[string, (spec: any) => Record<string, unknown>][]} */
  const kinds = [['versions', pickVersions], ['machine', pickMachine], ['manifest', pickManifest]];
  const runtimes = describeRuntimes(a, b);
  const others = kinds.map(([kind, pickOf]) => {
    const differing = listDiffering(flatten(pickOf(a)), flatten(pickOf(b)));
    return differing.length ? `${kind}: ${tellNames(differing)}` : '';
  });
  const [ofA, ofB] = [a, b].map((spec) => (hasOldNumbers(spec) ? 'up to form 3' : 'from form 4'));
  const made = ofA === ofB ? '' : `numbers: made otherwise (A ${ofA}, B ${ofB}): means, rates, and the first step of a sweep`;
  return [made, runtimes, ...others].filter(Boolean);
}

/**
 * @param {any} a @param {any} b
 * @returns {string} runtimes and compilers that differ, each once with all that it ran or built; '' if none does
 */
function describeRuntimes(a, b) {
  const [before, after] = [a, b].map((spec) => ({ ...spec.engines, ...spec.generators }));
  const shared = Object.keys(before).filter((name) => name in after && before[name].runtime !== after[name].runtime);
  const groups = Object.groupBy(shared, (name) => `A ${tell(before[name].runtime)}, B ${tell(after[name].runtime)}`);
  const said = Object.entries(groups).map(([both, names = []]) => `${names.join(', ')} (${both})`);
  return said.length ? `runtimes: ${said.join('; ')}` : '';
}

/** @param {any} spec */
function pickVersions({ engines, generators = {}, packages = {}, environment: { suite } = /** @type {any} */ ({}) }) {
  const installed = mapEntries(engines, (engine) => keep(engine, (key) => INSTALLED.includes(key)));
  return { ...installed, ...mapEntries(generators, withoutRuntime), ...packages, suite };
}

/** @param {Record<string, unknown>} generator */
const withoutRuntime = (generator) => keep(generator, (key) => !RUNTIME.includes(key));

/** @param {any} spec */
const pickMachine = ({ environment = {} }) => keep(environment, (key) => key !== 'suite');

/** @param {any} spec */
function pickManifest({ profile, engines, ...spec }) {
  const asked = mapEntries(engines, (engine) => keep(engine, (key) => ![...INSTALLED, ...RUNTIME].includes(key)));
  return { profile, ...keep(spec, (key) => !IGNORED.includes(key)), engines: asked };
}

/** @param {Record<string, unknown>} from @param {(key: string) => boolean} isKept */
const keep = (from, isKept) => Object.fromEntries(Object.entries(from).filter(([key]) => isKept(key)));

/** @param {Record<string, any>} from @param {(value: any) => unknown} change */
const mapEntries = (from, change) => Object.fromEntries(Object.entries(from).map(([key, value]) => [key, change(value)]));

/** @param {unknown} value @param {string} [path] @returns {Record<string, unknown>} each leaf by its path; a list is a leaf */
function flatten(value, path = '') {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return { [path]: value };
  return Object.assign({}, ...Object.entries(value).map(([key, each]) => flatten(each, path ? `${path}.${key}` : key)));
}

/** @param {Record<string, unknown>} a @param {Record<string, unknown>} b @returns {string[]} */
function listDiffering(a, b) {
  const paths = [...new Set([...Object.keys(a), ...Object.keys(b)])].filter((path) => !isDeepStrictEqual(a[path], b[path]));
  return paths.map((path) => `${path}${isShort(a[path]) && isShort(b[path]) ? ` (A ${tell(a[path])}, B ${tell(b[path])})` : ''}`);
}

/** @param {unknown} value */
const isShort = (value) => value === null || typeof value !== 'object';

/** @param {unknown} value */
const tell = (value) => (value === undefined ? 'without' : String(value));
