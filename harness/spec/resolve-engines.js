/** Reads the engines of a manifest, and resolves their processes and options. */
import { UserError } from '../common/failure.js';
import { readEngine, readLibrary } from './engines.js';
import { generatorOfLibraries } from './generators.js';

/** @typedef {import('./engines.js').Engine} Engine */
/** @typedef {import('./spec.js').EngineSpec} EngineSpec */

/** @param {any} manifest @param {string[]} problems to add to; the behaviour is not checked, as the reference's points name theirs */
export function resolveReference({ reference, load: { generator } }, problems) {
  if (!reference) return undefined;
  return resolveEngines({ axes: { engine: [reference.engine] }, load: { generator } }, problems, 'reference.engine');
}

/**
 * @param {any} manifest @param {string[]} problems @param {string} [where] where engines are named
 * @returns {{specs: Record<string, EngineSpec>, read: Record<string, Engine>}}
 */
export function resolveEngines(manifest, problems, where = 'axes.engine') {
  /** @type {Record<string, EngineSpec>} */
  const specs = {};
  /** @type {Record<string, Engine>} */
  const read = {};
  for (const name of manifest.axes.engine) {
    try {
      const engine = (read[name] = readEngine(name));
      const wanted = manifest.libraries?.[name] ?? engine.client;
      const library = wanted && readLibrary(wanted, generatorOfLibraries(manifest.load));
      if (library && library.dialect !== engine.dialect) {
        problems.push(`libraries.${name}: "${library.name}" speaks ${library.dialect}, the engine ${engine.dialect}; use a library of that dialect, such as "${engine.client}"`);
      }
      specs[name] = resolveEngine(engine, library?.name ?? '', manifest, problems);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      problems.push(...error.problems.map((problem) => `${where}: ${problem}`));
    }
  }
  return { specs, read };
}

/** @param {Engine} engine @param {string} library @param {any} manifest @param {string[]} problems @returns {EngineSpec} */
function resolveEngine(engine, library, manifest, problems) {
  const { name, title, era, rebuilt, dialect } = engine;
  const { behaviour, payload } = manifest.load;
  if (behaviour && !engine.behaviours.includes(behaviour)) problems.push(`load.behaviour: ${name} has no "${behaviour}"; use one of ${engine.behaviours.join(', ')}`);
  if (payload?.type === 'binary' && !engine.binary) problems.push(`load.payload.type: ${name} carries no "binary" messages; use "text"`);
  const processes = resolveProcesses(engine, manifest.processes?.[name] ?? {}, problems);
  const options = resolveOptions(engine, manifest.options?.[name] ?? {}, problems);
  return { title, era, ...(rebuilt && { rebuilt }), dialect, library, processes, options };
}

/** @param {Engine} engine @param {Record<string, number>} given @param {string[]} problems */
function resolveProcesses(engine, given, problems) {
  for (const [role, count] of Object.entries(given)) {
    const { min, max } = engine.roles[role] ?? {};
    if (max === undefined) {
      problems.push(`processes.${engine.name}: unknown role "${role}"; use one of ${Object.keys(engine.roles).join(', ')}`);
    } else if (count < min || count > max) {
      problems.push(`processes.${engine.name}.${role}: ${count} is impossible; use ${min} to ${max}`);
    }
  }
  return Object.fromEntries(Object.entries(engine.roles).map(([role, limits]) => [role, given[role] ?? limits.default]));
}

/** @param {Engine} engine @param {Record<string, string>} given @param {string[]} problems */
function resolveOptions({ name, options = {} }, given, problems) {
  for (const [option, value] of Object.entries(given)) {
    const values = options[option]?.values;
    if (!values) {
      problems.push(`options.${name}: unknown option "${option}"; use one of ${Object.keys(options).join(', ') || 'none'}`);
    } else if (!values.includes(value)) {
      problems.push(`options.${name}.${option}: "${value}" is not known; use one of ${values.join(', ')}`);
    }
  }
  return Object.fromEntries(Object.entries(options).map(([option, known]) => [option, given[option] ?? known.default]));
}
