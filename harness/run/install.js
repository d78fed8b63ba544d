/** Everything that runs here, installed before any of it runs: of several that start side by side, none needs to. */
import { join, relative } from 'node:path';
import { UserError } from '../common/failure.js';
import { ROOT, RUNTIMES } from '../common/places.js';
import { isSlow } from '../common/words.js';
import {
  installParts, listEngines, listLibraries, listOptionParts, readEngine, readLibrary, readTestedEngines,
} from '../spec/engines.js';
import { generatorOfLibraries, listCompanions, listGenerators, readCompanion, readGenerator } from '../spec/generators.js';
import { isClient, isServer } from '../spec/hosts.js';
import { LINK_PART } from '../spec/link.js';
import { listNeededGenerators, listPoints, resolveConditions } from '../spec/points.js';

/** @typedef {import('../spec/engines.js').Installable} Installable */
/** @typedef {import('../spec/spec.js').Spec} Spec */

/** @param {boolean} [tested] of the engines those alone that the tests check @returns {Installable[]} every part that has a folder */
const listAll = (tested = false) => [
  ...listGenerators().map(readGenerator), // first, for one takes the longest
  ...(tested ? readTestedEngines() : listEngines().map(readEngine)),
  ...listGenerators().flatMap((generator) => listLibraries(generator).map((name) => readLibrary(name, generator))),
  ...listCompanions().map(readCompanion),
  LINK_PART,
];

/** @param {Spec} spec @returns {Installable[]} what runs on its server's host */
export const listServerParts = (spec) => [
  ...Object.keys(spec.engines).map(readEngine),
  ...listPoints(spec).flatMap((point) => listOptionParts(readEngine(point.engine), resolveConditions(spec, point).options)),
];

/** @param {Spec} spec @returns {Installable[]} what runs where its load is made */
export const listClientParts = (spec) => [
  ...Object.values(spec.engines).filter(({ library }) => library)
    .map(({ library }) => readLibrary(library, generatorOfLibraries(spec.load))),
  ...listNeededGenerators(spec).map(readGenerator),
  ...(spec.load.companion ? [readCompanion(spec.load.companion)] : []),
];

/** @param {Installable} part @returns {string} its folder from the suite's root on, by which another host knows it too */
export const nameOf = ({ folder }) => relative(ROOT, folder);

/**
 * @param {Spec} spec @param {import('../spec/hosts.js').Host} host
 * @returns {string[]} what make is told there: what it needs, and which parts have a role there
 */
export function goalsOf(spec, host) {
  const parts = [...(isServer(host) ? listServerParts(spec) : []), ...(isClient(host) ? listClientParts(spec) : [])];
  return [...(spec.network?.capture ? ['needs-capture'] : []), 'install', `PARTS=${[...new Set(parts.map(nameOf))].join(' ')}`];
}

/**
 * @param {Spec} spec
 * @returns {string[]} what this machine needs for it beyond what every run does, as runtimes/needs.sh takes it: `network`, `capture`,
 *   what is to be permitted, the folders of parts, and runtimes of what has no manifest of its own
 */
export function listNeeds(spec) {
  const isLinked = listPoints(spec).some((point) => isSlow(resolveConditions(spec, point).link));
  const parts = [...listServerParts(spec), ...listClientParts(spec), ...(isLinked ? [LINK_PART] : [])];
  const folders = parts.flatMap((part) => [nameOf(part), relative(ROOT, join(RUNTIMES, part.runtime))]);
  return [
    ...(spec.network ? ['network'] : []), ...(spec.network?.capture ? ['capture', 'permit:capture'] : []), ...(isLinked ? ['permit:link'] : []),
    ...new Set(folders),
  ];
}

/**
 * Install every part, or those of some folders.
 * @param {{tested?: boolean, folders?: string[]}} [which] `tested`: of the engines those alone that the tests check; folders from the
 *   suite's root on
 * @throws {UserError}
 */
export function installAll({ tested = false, folders = [] } = {}) {
  const ofOptions = folders.length ? listEngines().map(readEngine).flatMap((engine) => listOptionParts(engine)) : [];
  const all = [...listAll(tested), ...ofOptions];
  const strange = folders.find((folder) => !all.some((part) => nameOf(part) === join(folder)));
  if (strange) throw new UserError(`PARTS: "${strange}" is no part; name folders such as ${nameOf(all[0])}`);
  return installParts(all.filter((part) => folders.length === 0 || folders.includes(nameOf(part))), console.log);
}
