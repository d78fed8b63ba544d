/**
 * Reductions by parts of a run: its companion and its generators. A part names modules of its own folder in
 * generator.toml or companion.toml (clients/CONTRACT.md, Reduction): `reduce` reads one trial's captures, `derive` adds
 * to the numbers of all trials.
 *
 * @typedef {{raw: string, from_s: number, to_s: number, settings: Record<string, string>}} Given the folder of a trial's captures,
 *   its window, and its settings
 * @typedef {{metrics?: [metric: string, value: number][], tables?: Record<string, {columns: string[], rows:
 *   Record<string, unknown>[]}>}} Reduced
 */
import { join } from 'node:path';
import { listCompanions, listGenerators, readCompanion, readGenerator } from '../../harness/spec/generators.js';
import { listNeededGenerators } from '../../harness/spec/points.js';

/** @param {any} spec @param {'reduce' | 'derive'} key @returns {string[]} paths; none for a part that no longer exists */
export function listModules(spec, key) {
  const needed = listNeededGenerators(spec);
  const parts = [
    ...listCompanions().filter((name) => name === spec.load.companion).map(readCompanion),
    ...listGenerators().filter((name) => needed.includes(name)).map(readGenerator),
  ];
  return parts.flatMap((part) => (key in part ? [join(part.folder, String(Reflect.get(part, key)))] : []));
}

/** @param {any} spec @returns {Promise<((given: Given) => Reduced)[]>} */
export const loadReductions = (spec) => Promise.all(listModules(spec, 'reduce').map(async (path) => (await import(path)).reduce));

/**
 * @param {any} spec @returns {Promise<((trials: Record<string, string>[], plan: Record<string, string>[]) => Record<string, string>[])[]>}
 */
export const loadDerivations = (spec) => Promise.all(listModules(spec, 'derive').map(async (path) => (await import(path)).derive));
