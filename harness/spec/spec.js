/** The spec stage: checks experiment.toml as a whole, fills in defaults, and selects one profile. */
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
/**
 * @typedef {{repeats: number, warmup_s: number, connections: number, connect_rate_hz: number, settle_s: number, hold_s: number,
 *   ramp_s: number}} Phases
 */
/** @typedef {{kind: string, max_ms?: number, period_ms?: number, rate_hz_per_connection?: number, outstanding?: number}} Arrivals */
/**
 * @typedef {{arrivals: Arrivals, search?: Search, reconnect?: {delay_ms: number, jitter_ms: number}, hold_s?: number,
 *   warmup_s?: Record<string, number> | number, sizes_b?: number[]}} Workload `reconnect`: how clients reconnect after the server dropped
 *   them; `hold_s` and `warmup_s` override the profile's, the latter for all engines or by engine; `sizes_b`: sizes of the echoes of a
 *   round. Other keys are taken by one generator (its workload.schema.json) and passed on by the harness
 */
/**
 * @typedef {{connections?: number, ramp_s?: number, probe_s: number, resolution: number, p99_ms_max: number, generator_cpu_max: number,
 *   measured_share?: number, step_share_max?: number}} Search for the highest rate with p99 under its bound and no loss (search.js);
 *   `connections` and `ramp_s` override the point's
 */
/** @typedef {'all' | 'any'} Rows Which of a claim's rows must hold: all, or one of several variants */
/**
 * @typedef {{era: string, of: string, to?: string, at?: string, to_at?: string, metric?: string, to_metric?: string, variant?: string,
 *   published?: number}} Comparison `variant`: its rows must hold together; one variant suffices (rows = "any")
 */
/**
 * @typedef {{connections?: number, period_ms?: number, connect_rate_hz?: number, hold_s?: number, generator?: string,
 *   client_processes?: number, processes?: string}} SourceLoad The source's load, as far as profile `paper` does not say it
 */
/**
 * @typedef {{id: string, metric?: string, above?: number, below?: number, between?: [number, number], reaches?: number,
 *   holds?: [number, number], workload?: string[], rows?: Rows, any_link?: boolean, any_load?: boolean,
 *   in_use?: [number, number], published?: number, computed?: string, decides?: boolean, reduced?: string,
 *   reduced_in_paper?: boolean, source?: SourceLoad, profiles?: Profile[], compare: Comparison[]}} Claim
 *   `holds`: a number the interval must contain, and its largest half-width; `any_link`: the source names no link, so with several hosts
 *   the claim is judged on their network (spread.js); `any_load`: the source names no load; `in_use`: cores the server must use in the
 *   judged trials; `published`: the source's number for the judged quantity, whose size is reported beside the verdict; `computed`: from
 *   what and by which law it is computed, if it was not run in full; `decides`: false if that is too far from the full case; `reduced`:
 *   in words, how profiles other than `paper` reduce the source's load, and `paper` too if `reduced_in_paper`; `source`: that load in
 *   numbers; `profiles`: those that judge the claim, by default all
 */
/**
 * @typedef {object} EngineSpec an engine as run in this experiment
 * @property {string} title @property {'2014' | 'today'} era
 * @property {string} [rebuilt] what in it is not a package of its time
 * @property {string} dialect
 * @property {string} library a folder of the generator's, "" if none speaks its dialect
 * @property {Record<string, number>} processes of each role
 * @property {Record<string, string>} options
 */
/**
 * @typedef {object} Spec
 * @property {string} experiment @property {string} title @property {string} source @property {string} question @property {Profile} profile
 * @property {number} seed
 * @property {{engine: string[], workload: string[], generator?: string[]}} axes `generator` is absent if there is only the default one
 * @property {string[][]} [beside] engines compared with the first of their list (a duet): their trials are neighbours, and are repeated
 *   together
 * @property {import('./points.js').Group[]} [points] combinations of the axes, with settings; by default all
 * @property {string} [only] a pattern (glob): only points with such names are measured
 * @property {Record<string, import('./own-settings.js').OwnSetting>} [settings] of this experiment only
 * @property {import('./points.js').Group[]} [beyond] groups needing more cores than the server's host has, as do their claims
 * @property {{behaviour: string, client_processes: number, client_threads?: number, late_ms: number, drain_s: number,
 *   payload?: {type: string, bytes: number}, generator?: string, companion?: string, per_client?: boolean,
 *   record_connections?: boolean}} load
 * @property {{placement: string}} [cores] without it, processes share the machine
 * @property {import('../common/protocol.js').Resolved} [network] between server and client; without it, loopback
 * @property {import('./hosts.js').Seen[]} [hosts] the server's first, if there are several; by default the coordinator's own
 * @property {Record<string, Workload>} workloads @property {Phases} phases
 * @property {Phases} source_phases phases of profile `paper`, to report how far this one is reduced
 * @property {Record<string, number>} validity @property {Claim[]} claims
 * @property {import('./choice.js').Choice} [chosen] overrides given by the user: how to run it again
 * @property {import('./reference.js').Reference} [reference] measured in each block beside the engines
 * @property {Precision} [precision] until which blocks are added; by default only the phases' `repeats` are run
 * @property {Record<string, EngineSpec>} engines
 */

/**
 * @typedef {{ratio_half_width: number, looks: number[], budget_min: number, level: number}} Precision `[precision]`: blocks are added until
 *   the half-width of each interval is at most this share of its middle. `looks`: numbers of blocks at which to decide, starting with the
 *   profile's `repeats`. `budget_min`: limit for the estimated duration of all trials. `level`: of the claims' intervals
 */

/** Each look is another chance of an error: over all looks, at most 5 % of cases may be wrong (Bonferroni). */
const LOOKS_ERROR = 0.05;

/** @param {Omit<Precision, 'level'>} asked @returns {Precision} */
export const withLevel = (asked) => ({ ...asked, level: 1 - LOOKS_ERROR / asked.looks.length });

const CORES_USUAL = 2; // cores assumed for the server's host, if not given

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

/** @param {string} wanted @param {string[]} all @returns {string | undefined} a close number or name, or the only one that contains it */
function nearestExperiment(wanted, all) {
  const given = wanted.toLowerCase();
  const named = all.filter((name) => given && name.includes(given));
  if (named.length === 1) return named[0];
  const far = (/** @type {string} */ name) => Math.abs(parseInt(name) - parseInt(given));
  const numbered = all.filter((name) => /^\d+-/.test(name)).sort((a, b) => far(a) - far(b)); // the closer of two similar numbers first
  const words = new Map([...numbered, ...all].flatMap((name) => [[String(parseInt(name)), name], [name, name], [name.replace(/^\d+-/, ''), name]]));
  return words.get(nearestWord(given, [...words.keys()]) ?? '');
}

/**
 * @param {string} experiment its folder's name @param {Profile} profile @param {number} seed
 * @param {string} [generator] runs every point in addition to the experiment's own
 * @param {import('./choice.js').Choice & Partial<import('./room.js').Room>} [choice] overrides of the manifest; `cores` of the server's
 * host, for which points are selected
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

/** @param {string} experiment @returns {string[]} problems of its figures, to report before a run */
function inspectFigures(experiment) {
  const path = join(EXPERIMENTS, experiment, 'figures.toml');
  return existsSync(path) ? inspectManifest(path, 'figures').problems : [];
}

/**
 * @param {object} given @param {string} given.experiment @param {any} given.manifest possibly invalid
 * @param {Profile} given.profile @param {number} given.seed @param {string} [given.generator] @param {import('./room.js').Room} given.room
 * @param {import('./choice.js').Choice} given.choice
 * @param {string[]} given.wrong places with errors by the schema: checks that need them are skipped
 * @param {string[]} given.problems to add to @returns {Spec} complete if there are no problems
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
  const reference = isSound('axes.engine', 'reference', 'load') && resolveReference(manifest, problems);
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

/** @param {Spec} spec @returns {Spec} without engines and workloads unused in this profile, which need not be installed */
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

/** @param {string} a @param {string} b @returns {boolean} whether one place contains the other */
const overlaps = (a, b) => `${a}.`.startsWith(`${b}.`) || `${b}.`.startsWith(`${a}.`);

/** @param {any} from @param {string[]} keys @returns {any} */
const pick = (from, keys) => Object.fromEntries(keys.map((key) => [key, from[key]]));

/** @param {Omit<Phases, 'ramp_s'> & {engines?: string[]}} profile @returns {Phases} with the duration of the ramp */
const timePhases = ({ engines: _, ...profile }) => ({ ...profile, ramp_s: Math.ceil(profile.connections / profile.connect_rate_hz) });
