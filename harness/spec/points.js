/**
 * Points: what an experiment measures. A point is an engine under a workload at a *setting* (setting.js). The setting overrides the
 * manifest's common values.
 */
import { matchesGlob } from 'node:path';
import { untilBetweenBursts } from './arrivals.js';
import { usualGenerator } from './engines.js';
import { readGenerator } from './generators.js';
import { formatSetting, parseSetting, wordOfPoint } from '../common/setting.js';
import { SETTINGS } from './settings.js';
import { lengthOf } from './sweep.js';

/** @typedef {import('./spec.js').Spec} Spec */
/** @typedef {{engine: string, workload: string, setting: string, repeats_max?: number}} Point */
/**
 * @typedef {Record<string, any> & {engine?: string[], workload?: string[], repeats_max?: number, repeats_max_in_paper?: boolean,
 *   profiles?: string[], needs_cores?: number, load_cores?: number, cores_max?: number}} Group
 *   `[[points]]` of a manifest. `repeats_max`: limits the trials of each point, in `paper` only if `repeats_max_in_paper`.
 *   `needs_cores`: the group is left out on machines with fewer, counting `load_cores` for the load. `cores_max`: left out on machines
 *   with more (room.js)
 */
/**
 * @typedef {object} Conditions the conditions of one trial
 * @property {string} generator @property {string} behaviour
 * @property {Record<string, number>} processes of each role of the server
 * @property {Record<string, string>} options of the server
 * @property {number} client_processes @property {number} client_threads per process
 * @property {import('./spec.js').Arrivals} arrivals @property {{type: string, bytes: number}} payload
 * @property {string} placement of the processes on cores (cores.js)
 * @property {string | undefined} fault @property {import('./spec.js').Search | undefined} search
 * @property {Record<string, string>} link settings of the network's two ends (infra/namespaces/hold.sh)
 * @property {boolean} [isOnLoopback] instead of the network wanted by the manifest
 * @property {boolean} [isCaptured] whether its packets are recorded although other points' are not
 * @property {number} connections @property {number} connect_rate_hz @property {number} ramp_s @property {number} settle_s
 * @property {number} hold_s @property {number} warmup_s
 */

/** Keys of a group that are not settings of its points. */
export const NOT_SETTINGS = [
  'engine', 'workload', 'repeats_max', 'repeats_max_in_paper', 'profiles', 'needs_cores', 'load_cores', 'cores_max', 'serves',
];

/** @param {Pick<Spec, 'axes' | 'points' | 'load' | 'only'> & {profile?: string}} spec without profile: all @returns {Point[]} each once */
export function listPoints({ axes, points = [{}], load, profile, only }) {
  const usual = load?.generator ?? usualGenerator();
  const generators = (axes.generator ?? [usual]).map((name) =>
    /** @type {Record<string, string>} */ (name === usual ? {} : { generator: name }));
  const held = points.filter(({ profiles }) => !profile || !profiles || profiles.includes(profile));
  const listed = held.flatMap((/** @type {Group} */ group) => {
    const { engine: engines = axes.engine, workload: workloads = axes.workload, repeats_max, repeats_max_in_paper } = group;
    const settings = crossSettings(group).flatMap((pairs) => generators.map((made) => formatSetting({ ...pairs, ...made })));
    const often = repeats_max && (profile !== 'paper' || repeats_max_in_paper) && { repeats_max };
    return engines.flatMap((engine) => workloads.flatMap((workload) =>
      settings.map((setting) => ({ engine, workload, setting, ...often }))));
  });
  return only ? listed.filter((point) => matchesGlob(wordOfPoint(point), only)) : listed;
}

/** @param {Group} group @returns {Record<string, string>[]} every combination of the values in its lists */
function crossSettings(group) {
  return settingsOf(group).reduce((/** @type {Record<string, string>[]} */ made, key) =>
    made.flatMap((pairs) => group[key].map((/** @type {unknown} */ value) => ({ ...pairs, [key]: String(value) }))), [{}]);
}

/** @param {Group} group @returns {string[]} keys of its settings */
export const settingsOf = (group) => Object.keys(group).filter((key) => !NOT_SETTINGS.includes(key));

/** Whether the number of client processes is a condition. @param {Pick<Spec, 'load'>} spec @param {Pick<Point, 'setting'>} point */
export const countsClients = ({ load }, { setting }) => Boolean(load.per_client) || 'client_processes' in parseSetting(setting);

/** @param {Spec} spec @param {Pick<Point, 'engine' | 'workload' | 'setting'>} point @returns {Conditions} */
export function resolveConditions(spec, { engine, workload, setting }) {
  const given = parseSetting(setting);
  const usual = usualConditions(spec, engine, workload);
  const resolve = (/** @type {Conditions} */ made, /** @type {[string, import('./settings.js').Setting]} */ [key, entry]) =>
    (key in given && entry.resolve ? { ...made, ...entry.resolve(given[key], made) } : made);
  const made = Object.entries(SETTINGS).reduce(resolve, usual);
  const options = Object.fromEntries(Object.entries(made.options).map(([option, value]) => [option, given[option] ?? value]));
  const phases = timePhases(made, spec.load.per_client ? made.client_processes : 1);
  const settle_s = made.settle_s + untilBetweenBursts(made.arrivals, phases.ramp_s + made.settle_s);
  return { ...made, options, ...phases, settle_s };
}

/** @param {Spec} spec @param {string} engine @param {string} workload @returns {Conditions} conditions of a point without a setting */
function usualConditions({ load, cores, engines, phases, workloads }, engine, workload) {
  const { processes, options } = engines[engine];
  const { search, arrivals, hold_s = lengthOf(workloads[workload].arrivals) ?? phases.hold_s, warmup_s: own } = workloads[workload];
  const { behaviour, client_processes, client_threads = 1, payload = { type: 'text', bytes: 0 } } = load;
  const { connections, connect_rate_hz, ramp_s, settle_s } = phases;
  return {
    generator: load.generator ?? usualGenerator(), behaviour, processes, options, client_processes, client_threads,
    arrivals, payload,
    placement: cores?.placement ?? 'shared', fault: undefined, search, link: {},
    warmup_s: (typeof own === 'object' ? own[engine] : own) ?? phases.warmup_s,
    connections, connect_rate_hz, ramp_s, settle_s, hold_s,
  };
}

/** A search's own connections are opened in this share of its ramp; the rest of the ramp lets them come up. */
const OPENING_SHARE = 0.5;

/** @param {Conditions} made @param {number} factor of the load @returns {Pick<Conditions, 'connections' | 'connect_rate_hz' | 'ramp_s'>} */
function timePhases({ connections: asked, connect_rate_hz, search }, factor) {
  if (search?.connections && search.ramp_s) {
    const { connections, ramp_s } = search;
    return { connections, connect_rate_hz: connections / (OPENING_SHARE * ramp_s), ramp_s };
  }
  const ramp_s = Math.ceil(asked / connect_rate_hz);
  return { connections: Math.max(1, Math.round(asked * factor)), connect_rate_hz: connect_rate_hz * factor, ramp_s };
}

/** @param {Spec} spec @returns {boolean} whether any trial records packets */
export const hasCaptures = (spec) =>
  Boolean(spec.network?.capture) || listPoints(spec).some((point) => resolveConditions(spec, point).isCaptured);

/** @param {Spec} spec @returns {string[]} generators needed by any point, each once */
export const listNeededGenerators = (spec) => [...new Set(listPoints(spec).map((point) => resolveConditions(spec, point).generator))];

/** @param {string} generator @returns {boolean} whether it speaks dialects itself, without an engine's library */
export const isNative = (generator) => Boolean(readGenerator(generator).dialects);
