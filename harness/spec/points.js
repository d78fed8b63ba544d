/**
 * Points: what an experiment measures. A point is an engine under a workload at a *setting* (setting.js); what the setting
 * names stands in the place of what the manifest says for all.
 */
import { DEFAULT_GENERATOR, readGenerator } from './generators.js';
import { formatSetting, parseSetting } from './setting.js';
import { lengthOf, staircaseOf } from './sweep.js';

/** @typedef {import('./spec.js').Spec} Spec */
/** @typedef {{engine: string, workload: string, setting: string, repeats_max?: number}} Point */
/**
 * @typedef {Record<string, any> & {engine?: string[], workload?: string[], repeats_max?: number, profiles?: string[],
 *   needs_cores?: number}} Group
 *   `[[points]]` of a manifest; `repeats_max`: at most so many trials of each, except in `paper`; `needs_cores`: left out where the
 *   machine has fewer
 */
/**
 * @typedef {object} Conditions what one trial runs with
 * @property {string} generator
 * @property {string} behaviour
 * @property {Record<string, number>} processes of each role of the server
 * @property {Record<string, string>} options of the server
 * @property {number} client_processes
 * @property {number | undefined} client_addresses of loopback, from which clients connect in turn
 * @property {import('./spec.js').Arrivals} arrivals
 * @property {{type: string, bytes: number}} payload
 * @property {string} placement of the processes on cores (cores.js)
 * @property {string | undefined} fault
 * @property {number} poll_period_ms of clients that poll for updates
 * @property {string} headers that their requests carry, a file of clients/updates/headers
 * @property {import('./spec.js').Search | undefined} search
 * @property {Record<string, string>} link settings of the network's two ends (infra/namespaces/hold.sh)
 * @property {number} connections
 * @property {number} connect_rate_hz
 * @property {number} ramp_s
 * @property {number} settle_s
 * @property {number} hold_s
 * @property {number} warmup_s
 */

/** What a group says of itself rather than of its points. */
const NOT_SETTINGS = ['engine', 'workload', 'repeats_max', 'profiles', 'needs_cores'];
/** Settings that are no engine's options. */
export const SETTINGS = ['connections', 'connect_rate_hz', 'processes', 'period_ms', 'payload_b', 'client_processes', 'client_addresses', 'behaviour', 'cores', 'fault', 'generator', 'timestamps', 'rtt_us', 'rate_mbit', 'poll_period_ms', 'headers'];

/**
 * @param {Pick<Spec, 'axes' | 'points' | 'load'> & {profile?: string}} spec
 * @returns {Point[]} each once, in the order of the manifest; those of all profiles where none is named
 */
export function listPoints({ axes, points = [{}], load, profile }) {
  const usual = load?.generator ?? DEFAULT_GENERATOR;
  const generators = (axes.generator ?? [usual]).map((name) =>
    /** @type {Record<string, string>} */ (name === usual ? {} : { generator: name }));
  const held = points.filter(({ profiles }) => !profile || !profiles || profiles.includes(profile));
  return held.flatMap((/** @type {Group} */ group) => {
    const { engine: engines = axes.engine, workload: workloads = axes.workload, repeats_max } = group;
    const settings = crossSettings(group).flatMap((pairs) => generators.map((made) => formatSetting({ ...pairs, ...made })));
    const often = repeats_max && profile !== 'paper' && { repeats_max };
    return engines.flatMap((engine) => workloads.flatMap((workload) =>
      settings.map((setting) => ({ engine, workload, setting, ...often }))));
  });
}

/** Where no setting says otherwise. */
const POLL_PERIOD_MS = 1000;

/** @param {Group} group @returns {Record<string, string>[]} every combination of what its lists hold */
function crossSettings(group) {
  return settingsOf(group).reduce((/** @type {Record<string, string>[]} */ made, key) =>
    made.flatMap((pairs) => group[key].map((/** @type {unknown} */ value) => ({ ...pairs, [key]: String(value) }))), [{}]);
}

/** @param {Group} group @returns {string[]} the settings that it lists */
export const settingsOf = (group) => Object.keys(group).filter((key) => !NOT_SETTINGS.includes(key));

/**
 * @param {Spec} spec
 * @param {Pick<Point, 'engine' | 'workload' | 'setting'>} point
 * @returns {Conditions}
 */
export function resolveConditions(spec, { engine: name, workload, setting }) {
  const { load, cores, engines } = spec;
  const given = parseSetting(setting);
  const engine = engines[name];
  const clients = Number(given.client_processes ?? load.client_processes);
  const { search, arrivals, hold_s = sweepLength(spec.workloads[workload]), warmup_s: own } = spec.workloads[workload];
  return {
    generator: given.generator ?? load.generator ?? DEFAULT_GENERATOR,
    behaviour: given.behaviour ?? load.behaviour,
    processes: given.processes ? parseMix(engine.processes, given.processes) : engine.processes,
    options: Object.fromEntries(Object.entries(engine.options).map(([option, value]) => [option, given[option] ?? value])),
    client_processes: clients,
    client_addresses: given.client_addresses ? Number(given.client_addresses) : undefined,
    arrivals: given.period_ms ? atPeriod(arrivals, Number(given.period_ms)) : arrivals,
    payload: given.payload_b ? { type: load.payload?.type ?? 'text', bytes: Number(given.payload_b) } : load.payload ?? { type: 'text', bytes: 0 },
    placement: given.cores ?? cores?.placement ?? 'shared', fault: given.fault, search,
    poll_period_ms: Number(given.poll_period_ms ?? POLL_PERIOD_MS), headers: given.headers ?? 'chromium',
    link: linkOf(given),
    warmup_s: (typeof own === 'object' ? own[name] : own) ?? spec.phases.warmup_s,
    ...timePhases({ ...spec.phases, ...(hold_s && { hold_s }), ...numbersOf(given, ['connections', 'connect_rate_hz']) }, search, load.per_client ? clients : 1),
  };
}

/** @param {Record<string, string>} given @returns {Record<string, string>} */
function linkOf({ rtt_us, rate_mbit, timestamps }) {
  return { ...(rtt_us && { rtt_us }), ...(rate_mbit && { rate_mbit }), ...(timestamps && { tcp_timestamps: timestamps === 'on' ? '1' : '0' }) };
}

/** @param {import('./spec.js').Workload} workload @returns {number | undefined} s: a sweep is as long as its steps */
function sweepLength({ arrivals }) {
  const staircase = staircaseOf(arrivals);
  return staircase && lengthOf(staircase);
}

/**
 * @param {Record<string, number>} roles in the order of engine.toml
 * @param {string} mix such as "2+2+1"
 * @returns {Record<string, number>}
 */
export function parseMix(roles, mix) {
  const counts = mix.split('+').map(Number);
  return Object.fromEntries(Object.keys(roles).map((role, index) => [role, counts[index]]));
}

/**
 * The same kind of arrivals at another mean interval: the listing draws from 0 to twice its mean (A.1 of the thesis).
 * @param {import('./spec.js').Arrivals} arrivals @param {number} period_ms
 */
function atPeriod(arrivals, period_ms) {
  if (arrivals.kind === 'uniform-interval') return { ...arrivals, max_ms: 2 * period_ms };
  return arrivals.kind === 'poisson' ? { ...arrivals, rate_hz: 1000 / period_ms } : { ...arrivals, period_ms };
}

/** The connections of a search are opened in this share of its ramp, and have the rest to come up. */
const OPENING_SHARE = 0.5;

/** @param {Record<string, string>} given @param {string[]} keys @returns {Record<string, number>} those that are given */
const numbersOf = (given, keys) => Object.fromEntries(keys.filter((key) => key in given).map((key) => [key, Number(given[key])]));

/** @param {Spec['phases']} phases @param {import('./spec.js').Search | undefined} search @param {number} factor of the load */
function timePhases({ connections: asked, connect_rate_hz, settle_s, hold_s }, search, factor) {
  if (search) {
    const { connections, ramp_s } = search;
    return { connections, connect_rate_hz: connections / (OPENING_SHARE * ramp_s), ramp_s, settle_s, hold_s };
  }
  const ramp_s = Math.ceil(asked / connect_rate_hz);
  return { connections: Math.max(1, Math.round(asked * factor)), connect_rate_hz: connect_rate_hz * factor, ramp_s, settle_s, hold_s };
}

/** @param {Spec} spec @returns {string[]} generators that some point needs, each once */
export function listNeededGenerators(spec) {
  return [...new Set(listPoints(spec).map((point) => resolveConditions(spec, point).generator))];
}

/** @param {string} generator @returns {boolean} does it speak dialects itself, rather than by an engine's library? */
export const isNative = (generator) => Boolean(readGenerator(generator).dialects);
