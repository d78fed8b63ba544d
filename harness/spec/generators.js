/** Generators of load: programs of clients/ that follow clients/CONTRACT.md. */
import { askedOf } from './behaviours.js';
import { listParts, readPart, usualGenerator } from './engines.js';
import { UserError } from '../common/failure.js';
import { CLIENTS } from '../common/places.js';
import { parseSetting } from '../common/setting.js';

/**
 * @typedef {import('./engines.js').Installable & {start: string[], metrics?: import('./metrics.js').Definitions,
 *   reduce?: string, packages?: string[]}} Companion
 *   `start`: an argv, run in the folder without a shell, with the configuration's path appended; `metrics` it adds to a trial's, with unit
 *   and definition; `reduce`: a program in its folder that reduces its records (clients/CONTRACT.md); `packages` of Debian, for
 *   harness/cli/provide.js
 */
/**
 * @typedef {Companion & {dialects?: string[], usual?: true, behaviours: string[], arrivals: string[], takes?: string[], probes?: true,
 *   rounds?: true, derive?: string, uses?: Record<string, string>, named_by?: string}} Generator
 *   `dialects`: those it speaks itself; without them it uses the engine's client library. `arrivals`: supported kinds. `takes`: keys of the
 *   configuration that not every generator knows. `probes`: supports searches. `rounds`: goes in rounds through a workload's `sizes_b`.
 *   `derive`: a program in its folder that computes metrics from other metrics. `uses`: folders of parts whose programs it starts,
 *   by the name that a workload gives at the key `named_by`
 */

export const listGenerators = () => listParts(CLIENTS, 'generator.toml');

/** @param {string} name @returns {Generator} @throws {UserError} */
export const readGenerator = (name) => readPart(CLIENTS, name, 'generator', listGenerators);

/** @param {{generator?: string}} [load] of a manifest @returns {string} the one with the libraries: its own, if it takes any */
export function generatorOfLibraries(load) {
  const named = load?.generator ?? usualGenerator();
  return listGenerators().includes(named) && !readGenerator(named).dialects ? named : usualGenerator();
}

/** Companions run beside the load without making any: folders of clients/ with a companion.toml. */
export const listCompanions = () => listParts(CLIENTS, 'companion.toml');

/** @param {string} name @returns {Companion} for installParts @throws {UserError} if there is none of that name */
export function readCompanion(name) {
  if (!listCompanions().includes(name)) throw new UserError(`load.companion: "${name}" is not a companion; use one of ${listCompanions().join(', ')}`);
  return readPart(CLIENTS, name, 'companion', listCompanions);
}

/** @param {(generator: Generator) => unknown} can @returns {string[]} names of the generators that can */
export const listAble = (can) => listGenerators().filter((name) => can(readGenerator(name)));

/** @param {string} behaviour of a server @returns {string} a generator for its load: the default one, if it can */
export function generatorFor(behaviour) {
  const able = listAble(({ behaviours }) => behaviours.includes(askedOf(behaviour)));
  return able.includes(usualGenerator()) ? usualGenerator() : able[0] ?? usualGenerator();
}

/** @param {string} name as the user gave it @throws {UserError} if there is none of that name */
export function checkGenerator(name) {
  const all = listGenerators();
  if (!all.includes(name)) throw new UserError(`GENERATOR: "${name}" is not a generator; use one of ${all.join(', ')}`);
}

/** @param {string} setting of a point @param {string} [usual] the experiment's @returns {string} the name of the generator */
export const generatorOf = (setting, usual = usualGenerator()) => parseSetting(setting).generator ?? usual;
