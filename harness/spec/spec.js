/** The spec stage: experiment.toml checked as a whole, defaults filled in, one profile chosen. */
import { existsSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { choose, listEveryEngine } from './choice.js';
import { usualGenerator } from './engines.js';
import { UserError } from '../common/failure.js';
import { nearestWord } from '../common/nearest-word.js';
import { checkGenerator } from './generators.js';
import { inspectManifest } from './manifest.js';
import { listClaims } from './cross-claims.js';
import { checkOwnSettings } from './own-settings.js';
import { listPoints } from './points.js';
import { resolveEngines, resolveReference } from './resolve-engines.js';
import { resolveThreads, splitByCores } from './room.js';
import {
  checkClaims, checkCompared, checkDialects, checkEachPoint, checkLoad, checkNames, checkPoints, checkPrecision, checkReference,
  checkRounds, checkSearches, checkSweeps,
} from './spec-checks.js';
import { EXPERIMENTS, ROOT } from '../common/places.js';

/** @typedef {'quick' | 'default' | 'paper'} Profile */
/** @typedef {import('./engines.js').Engine} Engine */
/**
 * @typedef {{repeats: number, warmup_s: number, connections: number, connect_rate_hz: number, settle_s: number, hold_s: number,
 *   ramp_s: number}} Phases
 */
/** @typedef {{kind: string, max_ms?: number, period_ms?: number, rate_hz_per_connection?: number, outstanding?: number}} Arrivals */
/**
 * @typedef {{arrivals: Arrivals, search?: Search, reconnect?: {delay_ms: number, jitter_ms: number}, hold_s?: number,
 *   warmup_s?: Record<string, number> | number, sizes_b?: number[]}} Workload `reconnect`: how clients whose connection the server dropped
 *   come back; `hold_s` and `warmup_s` in the place of the profile's, the latter one number or by engine; `sizes_b`:
 *   of the echoes of a round. What else there is one generator takes (its workload.schema.json), and the harness passes on
 */
/**
 * @typedef {{connections?: number, ramp_s?: number, probe_s: number, resolution: number, p99_ms_max: number, generator_cpu_max: number,
 *   measured_share?: number, step_share_max?: number}} Search for the highest rate at which p99 stays under its bound and nothing is
 *   lost (search.js); `connections` and `ramp_s` in the place of the point's own
 */
/** @typedef {'all' | 'any'} Rows which of a claim's rows must hold: every one, or one of several variants */
/**
 * @typedef {{era: string, of: string, to?: string, at?: string, to_at?: string, metric?: string, to_metric?: string, variant?: string,
 *   published?: number}} Comparison `variant`: rows of one must hold together, and one variant is enough (rows = "any")
 */
/**
 * @typedef {{connections?: number, period_ms?: number, connect_rate_hz?: number, hold_s?: number, generator?: string,
 *   client_processes?: number, processes?: string}} SourceLoad what the source ran, where the profile `paper` does not say it
 */
/**
 * @typedef {{id: string, metric?: string, above?: number, below?: number, between?: [number, number], reaches?: number,
 *   holds?: [number, number], workload?: string[], rows?: Rows, any_link?: boolean, any_load?: boolean,
 *   in_use?: [number, number], published?: number, computed?: string, decides?: boolean, reduced?: string,
 *   source?: SourceLoad, profiles?: Profile[], compare: Comparison[]}} Claim
 *   `holds`: a number that the interval holds, and the most that it may be wide to each side; `any_link`: its source names
 *   no link, so that over hosts it is judged on theirs (spread.js); `any_load`: it names no load; `in_use`: cores that the
 *   server is to use in what is judged; `published`: the source's number for what is judged, whose size is told beside the
 *   verdict; `computed`: from what, and by which law, where it was not run whole; `decides`: false where that is too far from
 *   the whole; `reduced`: what of the source's load is less in all profiles but `paper`, in words; `source`: what its load
 *   was, in numbers; `profiles`: those that judge it, without it all
 */
/**
 * @typedef {object} EngineSpec an engine as this experiment runs it
 * @property {string} title @property {'2014' | 'today'} era
 * @property {string} [rebuilt] what of it is no package of its time
 * @property {string} dialect
 * @property {string} library a folder of the generator's, "" where none speaks its dialect
 * @property {Record<string, number>} processes of each role
 * @property {Record<string, string>} options
 */
/**
 * @typedef {object} Spec
 * @property {string} experiment @property {string} title @property {string} source @property {string} question @property {Profile} profile
 * @property {number} seed
 * @property {{engine: string[], workload: string[], generator?: string[]}} axes `generator` is absent where there is only the usual one
 * @property {string[][]} [beside] engines that are compared with the first of their list (a duet): their trials are neighbours, and
 *   repeated together
 * @property {import('./points.js').Group[]} [points] which of the axes are combined, and at which settings; all of them when absent
 * @property {Record<string, import('./own-settings.js').OwnSetting>} [settings] that it has to itself
 * @property {import('./points.js').Group[]} [beyond] groups that the server's host has too few cores for: their claims need more
 * @property {{behaviour: string, client_processes: number, client_threads?: number, late_ms: number, drain_s: number,
 *   payload?: {type: string, bytes: number}, generator?: string, companion?: string, per_client?: boolean,
 *   record_connections?: boolean}} load
 * @property {{placement: string}} [cores] without it, processes share the machine
 * @property {import('../common/protocol.js').Resolved} [network] between server and client; without it, loopback
 * @property {import('./hosts.js').Seen[]} [hosts] the server's first, where there are several; without them, the coordinator's own
 * @property {Record<string, Workload>} workloads @property {Phases} phases
 * @property {Phases} source_phases those of the profile `paper`, to say how far this one is compressed
 * @property {Record<string, number>} validity @property {Claim[]} claims
 * @property {import('./choice.js').Choice} [chosen] what a person named in the place of what the manifest says: how to run it again
 * @property {import('./reference.js').Reference} [reference] what each block measures beside its engines
 * @property {Precision} [precision] until which blocks are added; without it the phases' `repeats` are all
 * @property {Record<string, EngineSpec>} engines
 */

/**
 * @typedef {{ratio_half_width: number, looks: number[], budget_min: number, level: number}} Precision `[precision]`: blocks are
 *   added until half the width of an interval is no wider than that share of its middle, at `looks` after so many blocks, the first the
 *   profile's `repeats`, and while all trials take no longer than `budget_min`, by estimate; `level` of the claims' intervals
 */

/** Several looks give chance several occasions: all of them together err in 5 % of cases at most (Bonferroni). */
const LOOKS_ERROR = 0.05;

/** @param {Omit<Precision, 'level'>} asked @returns {Precision} */
export const withLevel = (asked) => ({ ...asked, level: 1 - LOOKS_ERROR / asked.looks.length });

const CORES_USUAL = 2; // of the host that a manifest is looked at for, where no one says of which

/** @returns {string[]} the folders of experiments/, sorted */
export function listExperiments() {
  const isExperiment = (/** @type {string} */ name) => existsSync(join(EXPERIMENTS, name, 'experiment.toml'));
  return readdirSync(EXPERIMENTS).filter(isExperiment).sort();
}

/** @param {string} wanted a folder's name or its number @returns {string} the folder's name @throws {UserError} */
export function findExperiment(wanted) {
  const all = listExperiments();
  const isWanted = (/** @type {string} */ name) => /^\d+$/.test(wanted) && /^\d+-/.test(name) && parseInt(name) === Number(wanted);
  const found = all.includes(wanted) ? [wanted] : all.filter(isWanted);
  if (found.length === 1) return found[0];
  if (found.length > 1) throw new UserError(`experiments: ${found.join(' and ')} have the number ${wanted}; rename one of them, or give its whole name`);
  const near = nearestExperiment(wanted, all);
  throw new UserError(`experiments: there is no experiment "${wanted}"; ${near ? `did you mean ${near}? Use` : 'use'} one of ${all.join(', ')}`);
}

/** @param {string} wanted @param {string[]} all @returns {string | undefined} meant by a like number or name, or a part of the name */
function nearestExperiment(wanted, all) {
  const given = wanted.toLowerCase();
  const named = all.filter((name) => given && name.includes(given));
  if (named.length === 1) return named[0];
  const far = (/** @type {string} */ name) => Math.abs(parseInt(name) - parseInt(given));
  const numbered = all.filter((name) => /^\d+-/.test(name)).sort((a, b) => far(a) - far(b)); // of two as like a number, the nearer
  const words = new Map([...numbered, ...all].flatMap((name) => [[String(parseInt(name)), name], [name, name], [name.replace(/^\d+-/, ''), name]]));
  return words.get(nearestWord(given, [...words.keys()]) ?? '');
}

/**
 * @param {string} experiment its folder's name @param {Profile} profile @param {number} seed
 * @param {string} [generator] every point is run with it too, beside the experiment's own
 * @param {import('./choice.js').Choice & Partial<import('./room.js').Room>} [choice] what stands in the place of what the manifest says;
 * `cores` of the server's host, for which points are chosen
 * @returns {Spec} @throws {UserError} with every problem found
 */
export function makeSpec(experiment, profile, seed, generator, { cores = CORES_USUAL, isSpread, ...choice } = {}) {
  if (generator) checkGenerator(generator);
  const path = join(EXPERIMENTS, experiment, 'experiment.toml');
  const { value, problems, places } = inspectManifest(path, 'experiment');
  const manifest = listEveryEngine(value);
  const where = relative(ROOT, path);
  /** @type {string[]} */
  const found = [];
  const room = { cores, isSpread };
  const spec = resolveSpec({ experiment, manifest, profile, seed, generator, choice, room, wrong: places, problems: found });
  const all = [...new Set([...problems, ...found.map((problem) => `${where}: ${problem}`), ...inspectFigures(experiment)])];
  if (all.length) throw new UserError(all);
  return spec;
}

/** @param {string} experiment @returns {string[]} what is wrong with what it draws: told before a run, not after it */
function inspectFigures(experiment) {
  const path = join(EXPERIMENTS, experiment, 'figures.toml');
  return existsSync(path) ? inspectManifest(path, 'figures').problems : [];
}

/**
 * @param {object} given @param {string} given.experiment @param {any} given.manifest which may not be as the schema has it
 * @param {Profile} given.profile @param {number} given.seed @param {string} [given.generator] @param {import('./room.js').Room} given.room
 * @param {import('./choice.js').Choice} given.choice
 * @param {string[]} given.wrong places that the schema has complained of: what needs one of them is not looked at
 * @param {string[]} given.problems to add to @returns {Spec} whole when there is no problem
 */
function resolveSpec({ experiment, manifest, profile, seed, generator, choice, room, wrong, problems }) {
  const isSound = (/** @type {string[]} */ ...needed) => !needed.some((place) => wrong.some((bad) => overlaps(place, bad)));
  const profilePlace = `profiles.${profile}`;
  if (isSound('profiles') && !(profile in manifest.profiles)) {
    throw new UserError(`PROFILE: "${profile}" is not a profile; use one of ${Object.keys(manifest.profiles).join(', ')}`);
  }
  const tables = pick(manifest, ['processes', 'options', 'libraries'].filter((table) => isSound(table)));
  const engines = isSound('axes.engine', 'load.behaviour', 'load.payload')
    ? resolveEngines({ axes: manifest.axes, load: manifest.load, ...tables }, problems) : { specs: {}, read: {} };
  const reference = isSound('axes.engine', 'reference') && resolveReference(manifest, problems);
  const phasesOf = (/** @type {Profile} */ name) => timePhases(isSound(`profiles.${name}`) ? manifest.profiles[name] : {});
  /** @type {Spec} */
  const spec = {
    ...pick(manifest, ['title', 'source', 'question', 'axes', 'beside', 'points', 'settings', 'load', 'cores', 'workloads', 'validity']),
    ...(isSound('load', 'cores') && { load: resolveThreads(manifest, room) }),
    claims: isSound('claims') ? listClaims(manifest.claims, profile) : manifest.claims,
    experiment, profile, seed, phases: phasesOf(profile), source_phases: phasesOf('paper'),
    engines: { ...engines.specs, ...(reference && reference.specs) }, ...(reference && { reference: manifest.reference }),
  };
  const usual = (isSound('load') && manifest.load.generator) || usualGenerator();
  if (generator && generator !== usual && isSound('axes')) spec.axes = { ...spec.axes, generator: [usual, generator] };
  if (isSound('axes')) [usual, generator].filter(Boolean).forEach((name) => checkDialects({ ...spec, engines: engines.specs }, name, problems));
  if (isSound('load', profilePlace)) checkLoad(spec, problems);
  if (isSound('axes', 'workloads', 'processes', 'options', 'libraries')) checkNames(manifest, problems);
  if (isSound('points', 'settings')) checkOwnSettings(spec, problems);
  if (reference && isSound('reference', 'axes', 'workloads', 'load')) checkReference(spec, reference.read, problems);
  const arePointsSound = isSound('axes', 'points', 'settings', 'workloads') && checkPoints(spec, engines.read, problems);
  if (arePointsSound && isSound('load', 'cores', profilePlace) && problems.length === 0) {
    if (manifest.network) spec.network = manifest.network;
    if (manifest.precision && profile === 'default' && isSound('precision')) {
      spec.precision = withLevel(manifest.precision);
      checkPrecision(spec, problems);
    }
    checkEachPoint(spec, engines.read, problems);
    checkSearches(spec, problems);
    checkSweeps(spec, problems);
    checkRounds(spec, problems);
  }
  if (isSound('axes.engine', 'claims')) checkClaims(spec, problems);
  if (arePointsSound && isSound('claims', 'load')) checkCompared(spec, problems);
  if (problems.length || wrong.length) return spec;
  return keepUsed(choose({ ...spec, ...splitByCores(spec.points, room) }, manifest.profiles[profile].engines, choice, spec.points));
}

/** @param {Spec} spec @returns {Spec} without the engines and workloads that this profile does not run: they need not be installed */
export function keepUsed(spec) {
  const points = listPoints(spec);
  const engine = spec.axes.engine.filter((name) => points.some((point) => point.engine === name));
  const workload = spec.axes.workload.filter((name) => points.some((point) => point.workload === name));
  const groups = spec.points?.map((group) => keepNamed(group, { engine, workload }));
  const measured = [...engine, ...(spec.reference ? [spec.reference.engine] : [])];
  return { ...spec, axes: { ...spec.axes, engine, workload }, points: groups, engines: pick(spec.engines, measured) };
}

/** @param {import('./points.js').Group} group @param {Record<string, string[]>} used @returns {import('./points.js').Group} */
function keepNamed(group, used) {
  const named = Object.keys(used).filter((axis) => axis in group);
  const kept = named.map((axis) => [axis, group[axis].filter((/** @type {string} */ name) => used[axis].includes(name))]);
  return { ...group, ...Object.fromEntries(kept) };
}

/** @param {string} a @param {string} b @returns {boolean} is one place within the other? */
const overlaps = (a, b) => `${a}.`.startsWith(`${b}.`) || `${b}.`.startsWith(`${a}.`);

/** @param {any} from @param {string[]} keys @returns {any} */
const pick = (from, keys) => Object.fromEntries(keys.map((key) => [key, from[key]]));

/** @param {Omit<Phases, 'ramp_s'> & {engines?: string[]}} profile @returns {Phases} with the time that the ramp takes */
const timePhases = ({ engines: _, ...profile }) => ({ ...profile, ramp_s: Math.ceil(profile.connections / profile.connect_rate_hz) });
