/** The spec stage: experiment.toml checked as a whole, defaults filled in, one profile chosen. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { readEngine, readLibrary } from './engines.js';
import { UserError } from './failure.js';
import { readTsv } from './files.js';
import { DEFAULT_GENERATOR, checkGenerator, readGenerator } from './generators.js';
import { inspectManifest } from './manifest.js';
import { METRICS, isMetric } from './metrics.js';
import { CLAIMS, EXPERIMENTS, ROOT } from './places.js';

/** @typedef {'quick' | 'default' | 'paper'} Profile */
/** @typedef {import('./engines.js').Engine} Engine */
/**
 * @typedef {{repeats: number, warmup_s: number, connections: number, connect_rate_hz: number, settle_s: number, hold_s: number,
 *   ramp_s: number}} Phases
 */
/** @typedef {{kind: string, max_ms?: number, period_ms?: number, rate_hz?: number, outstanding?: number}} Arrivals */
/** @typedef {{era: string, of: string, to?: string, metric?: string}} Comparison */
/** @typedef {{id: string, metric?: string, above?: number, below?: number, compare: Comparison[]}} Claim */
/**
 * @typedef {object} EngineSpec an engine as this experiment runs it
 * @property {string} title
 * @property {'2014' | 'today'} era
 * @property {string} dialect
 * @property {string} library of clients/forked
 * @property {Record<string, number>} processes of each role
 * @property {Record<string, string>} options
 */
/**
 * @typedef {object} Spec
 * @property {string} experiment
 * @property {string} title
 * @property {string} source
 * @property {string} question
 * @property {Profile} profile
 * @property {number} seed
 * @property {{engine: string[], workload: string[], generator?: string[]}} axes `generator` is absent where there is only the default one
 * @property {{behaviour: string, client_processes: number, late_ms: number, drain_s: number, payload?: {type: string, bytes: number}}} load
 * @property {Record<string, {arrivals: Arrivals}>} workloads
 * @property {Phases} phases
 * @property {Phases} source_phases those of the profile `paper`, to say how far this one is compressed
 * @property {Record<string, number>} validity
 * @property {Claim[]} claims
 * @property {Record<string, EngineSpec>} engines
 */

/** @returns {string[]} the folders of experiments/, sorted */
export function listExperiments() {
  const isExperiment = (/** @type {string} */ name) => existsSync(join(EXPERIMENTS, name, 'experiment.toml'));
  return readdirSync(EXPERIMENTS).filter(isExperiment).sort();
}

/**
 * @param {string} wanted a folder's name or its number
 * @returns {string} the folder's name
 * @throws {UserError}
 */
export function findExperiment(wanted) {
  const all = listExperiments();
  const found = all.find((name) => name === wanted || Number(name.split('-')[0]) === Number(wanted));
  if (found) return found;
  throw new UserError(`experiments: there is no experiment "${wanted}"; use one of ${all.join(', ')}`);
}

/**
 * @param {string} experiment its folder's name
 * @param {Profile} profile
 * @param {number} seed
 * @param {string} [generator] every point is run with it too, beside the default one
 * @returns {Spec}
 * @throws {UserError} with every problem found
 */
export function makeSpec(experiment, profile, seed, generator = DEFAULT_GENERATOR) {
  checkGenerator(generator);
  const path = join(EXPERIMENTS, experiment, 'experiment.toml');
  const { value: manifest, problems, places } = inspectManifest(path, 'experiment');
  const where = relative(ROOT, path);
  /** @type {string[]} */
  const found = [];
  const spec = resolveSpec({ experiment, manifest, profile, seed, generator, wrong: places, problems: found });
  const all = [...new Set([...problems, ...found.map((problem) => `${where}: ${problem}`)])];
  if (all.length) throw new UserError(all);
  return spec;
}

/**
 * @param {object} given
 * @param {string} given.experiment
 * @param {any} given.manifest which may not be as the schema has it
 * @param {Profile} given.profile
 * @param {number} given.seed
 * @param {string} given.generator
 * @param {string[]} given.wrong places that the schema has complained of: what needs one of them is not looked at
 * @param {string[]} given.problems to add to
 * @returns {Spec} whole when there is no problem
 */
function resolveSpec({ experiment, manifest, profile, seed, generator, wrong, problems }) {
  const isSound = (/** @type {string[]} */ ...needed) => !needed.some((place) => wrong.some((bad) => overlaps(place, bad)));
  const profilePlace = `profiles.${profile}`;
  if (isSound('profiles') && !(profile in manifest.profiles)) {
    throw new UserError(`PROFILE: "${profile}" is not a profile; use one of ${Object.keys(manifest.profiles).join(', ')}`);
  }
  const tables = pick(manifest, ['processes', 'options', 'libraries'].filter((table) => isSound(table)));
  const engines = isSound('axes.engine', 'load.behaviour', 'load.payload')
    ? resolveEngines({ axes: manifest.axes, load: manifest.load, ...tables }, problems) : { specs: {}, read: {} };
  const phasesOf = (/** @type {Profile} */ name) => timePhases(isSound(`profiles.${name}`) ? manifest.profiles[name] : {});
  /** @type {Spec} */
  const spec = {
    ...pick(manifest, ['title', 'source', 'question', 'axes', 'load', 'workloads', 'validity', 'claims']),
    experiment, profile, seed, phases: phasesOf(profile), source_phases: phasesOf('paper'), engines: engines.specs,
  };
  if (generator !== DEFAULT_GENERATOR && isSound('axes')) {
    spec.axes = { ...spec.axes, generator: [DEFAULT_GENERATOR, generator] };
    checkDialects(spec, generator, problems);
  }
  if (isSound('load', profilePlace)) checkLoad(spec, problems);
  if (isSound('axes', 'workloads', 'processes', 'options', 'libraries')) checkNames(manifest, problems);
  if (isSound('axes.engine', 'claims')) checkClaims(spec, problems);
  if (isSound('axes.engine', 'load.client_processes', 'load.behaviour', profilePlace)) checkDescriptors(spec, engines.read, problems);
  return spec;
}

/** @param {string} a @param {string} b @returns {boolean} is one place within the other? */
const overlaps = (a, b) => `${a}.`.startsWith(`${b}.`) || `${b}.`.startsWith(`${a}.`);

/** @param {any} from @param {string[]} keys @returns {any} */
const pick = (from, keys) => Object.fromEntries(keys.map((key) => [key, from[key]]));

/** @param {Spec} spec @param {string} generator @param {string[]} problems */
function checkDialects({ engines }, generator, problems) {
  const { dialects = [] } = readGenerator(generator);
  for (const [name, { dialect }] of Object.entries(engines)) {
    if (dialects.includes(dialect)) continue;
    problems.push(`axes.engine: ${name} speaks ${dialect}, ${generator} does not (it speaks ${dialects.join(', ')}); run without GENERATOR=${generator}`);
  }
}

/** A day: longer ones are slips of the pen. */
const RAMP_S_MAX = 86400;

/** @param {Spec} spec @param {string[]} problems */
function checkLoad({ load, phases, profile }, problems) {
  if (load.behaviour === 'echo' && !load.payload) {
    problems.push('load.payload: is missing, and "echo" needs one; add payload = { type = "text", bytes = 20 }');
  }
  if (load.client_processes > phases.connections) {
    problems.push(`load.client_processes: ${load.client_processes} are more than the ${phases.connections} connections of profile ${profile}; use fewer`);
  }
  if (phases.ramp_s > RAMP_S_MAX) {
    problems.push(`profiles.${profile}.connect_rate_hz: ${phases.connect_rate_hz} takes ${phases.ramp_s} s to open ${phases.connections} connections; raise it`);
  }
}

/** @param {Omit<Phases, 'ramp_s'>} profile @returns {Phases} with the time that the ramp takes */
function timePhases(profile) {
  return { ...profile, ramp_s: Math.ceil(profile.connections / profile.connect_rate_hz) };
}

/**
 * @param {any} manifest @param {string[]} problems
 * @returns {{specs: Record<string, EngineSpec>, read: Record<string, Engine>}}
 */
function resolveEngines(manifest, problems) {
  /** @type {Record<string, EngineSpec>} */
  const specs = {};
  /** @type {Record<string, Engine>} */
  const read = {};
  for (const name of manifest.axes.engine) {
    try {
      const engine = (read[name] = readEngine(name));
      const library = readLibrary(manifest.libraries?.[name] ?? engine.client);
      if (library.dialect !== engine.dialect) {
        problems.push(`libraries.${name}: "${library.name}" speaks ${library.dialect}, the engine ${engine.dialect}; use a library of that dialect, such as "${engine.client}"`);
      }
      specs[name] = resolveEngine(engine, library.name, manifest, problems);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      problems.push(...error.problems.map((problem) => `axes.engine: ${problem}`));
    }
  }
  return { specs, read };
}

/** @param {Engine} engine @param {string} library @param {any} manifest @param {string[]} problems @returns {EngineSpec} */
function resolveEngine(engine, library, manifest, problems) {
  const { name, title, era, dialect } = engine;
  const { behaviour, payload } = manifest.load;
  if (!engine.behaviours.includes(behaviour)) {
    problems.push(`load.behaviour: ${name} has no "${behaviour}"; use one of ${engine.behaviours.join(', ')}`);
  }
  if (payload?.type === 'binary' && !engine.binary) {
    problems.push(`load.payload.type: ${name} carries no "binary" messages; use "text"`);
  }
  const processes = resolveProcesses(engine, manifest.processes?.[name] ?? {}, problems);
  const options = resolveOptions(engine, manifest.options?.[name] ?? {}, problems);
  return { title, era, dialect, library, processes, options };
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

/** Tables keyed by engine or workload name what the axes name. @param {any} manifest @param {string[]} problems */
function checkNames({ axes, workloads, processes = {}, options = {}, libraries = {} }, problems) {
  for (const name of axes.workload) {
    if (!workloads[name]) problems.push(`axes.workload: "${name}" has no [workloads.${name}]; use one of ${Object.keys(workloads).join(', ')}`);
  }
  for (const [table, value] of Object.entries({ processes, options, libraries })) {
    for (const name of Object.keys(value)) {
      if (!axes.engine.includes(name)) problems.push(`${table}.${name}: not an engine of this experiment; use one of ${axes.engine.join(', ')}`);
    }
  }
}

/** @param {Spec} spec @param {string[]} problems */
function checkClaims({ claims, engines, axes }, problems) {
  const known = readTsv(CLAIMS).map((row) => row.claim);
  claims.forEach((claim, index) => {
    const where = `claims.${index} (${claim.id})`;
    if (!known.includes(claim.id)) problems.push(`${where}: "${claim.id}" is not in experiments/claims.tsv; use an id that is`);
    if ((claim.above === undefined) === (claim.below === undefined)) {
      problems.push(`${where}: needs either "above" or "below", not both or none; give one`);
    }
    for (const { era, of, to, metric = claim.metric } of claim.compare) {
      if (!metric || !isMetric(metric)) {
        problems.push(`${where}: metric "${metric}" is not measured; use one of ${METRICS.join(', ')}`);
      }
      for (const name of [of, to].filter((engine) => engine !== undefined)) {
        if (!axes.engine.includes(name)) problems.push(`${where}: "${name}" is not an engine of this experiment; add it to axes.engine`);
        else if (engines[name] && engines[name].era !== era) problems.push(`${where}: "${name}" is of era ${engines[name].era}, not ${era}; correct the era`);
      }
    }
  });
}

/** Node, libraries and listeners of an idle process hold some thirty; a hundred leaves room. */
const DESCRIPTORS_OF_ITS_OWN = 100;

/** @param {Spec} spec @param {Record<string, Engine>} read @param {string[]} problems */
function checkDescriptors({ engines, load, phases }, read, problems) {
  const limit = readDescriptorLimit();
  /** @param {string} who @param {number} processes @param {number} each */
  const check = (who, processes, each) => {
    const needed = Math.ceil((phases.connections / processes) * each) + DESCRIPTORS_OF_ITS_OWN;
    if (processes === 0 || needed <= limit) return;
    problems.push(`${who}: ${phases.connections} connections over ${processes} process(es) need ${needed} descriptors each, the limit is ${limit}; raise it with \`ulimit -n\` or use more processes`);
  };
  check('load.client_processes', load.client_processes, 1);
  for (const [name, { processes }] of Object.entries(engines)) {
    for (const [role, count] of Object.entries(processes)) {
      check(`processes.${name}.${role}`, count, read[name].roles[role].descriptors_per_connection);
    }
  }
}

/** @returns {number} the soft limit of this process, which what it starts inherits */
export function readDescriptorLimit() {
  const text = execFileSync('sh', ['-c', 'ulimit -n'], { encoding: 'utf8' }).trim();
  return text === 'unlimited' ? Infinity : Number(text);
}
