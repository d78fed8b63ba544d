/**
 * Which points a run measures, how often, and with which message size. The command line (ENGINES, POINTS, BLOCKS, BYTES) overrides the
 * manifest.
 * A manifest may take every engine of some dialects.
 */
import { matchesGlob } from 'node:path';
import { UserError } from '../common/failure.js';
import { nearestWord } from '../common/nearest-word.js';
import { wordOfPoint } from '../common/setting.js';
import { listEngines, readEngine } from './engines.js';
import { listPoints } from './points.js';

/** @typedef {import('./spec.js').Spec} Spec */
/** @typedef {import('./points.js').Group} Group */
/** @typedef {{engines?: string[], points?: string, blocks?: number, bytes?: number}} Choice `points`: a pattern of their names */

/**
 * @param {any} manifest valid or not
 * @returns {any} with engines listed where the manifest takes every one: for the axis those with the load's behaviour, for each group those
 *   with its own. A group without any engine is left out
 */
export function listEveryEngine(manifest) {
  const { axes, load, points = [{}] } = manifest;
  const dialects = axes?.engine?.dialects;
  if (!Array.isArray(dialects)) return manifest;
  const speak = listEngines().map(readEngine).filter(({ dialect }) => dialects.includes(dialect));
  const listAble = (/** @type {string[]} */ behaviours) =>
    speak.filter((engine) => behaviours.every((each) => engine.behaviours.includes(each))).map(({ name }) => name);
  const groups = points.map((/** @type {Group} */ group) =>
    (group.engine ? group : { ...group, engine: listAble([load?.behaviour, ...(group.behaviour ?? [])]) }));
  const held = groups.filter((/** @type {Group} */ { engine }) => engine?.length);
  return { ...manifest, axes: { ...axes, engine: listAble([load?.behaviour]) }, points: held };
}

/**
 * Narrow a spec after all of it has been checked.
 * @param {Spec} spec @param {string[] | undefined} usual engines of the profile, the default @param {Choice} choice
 * @param {Group[]} [groups] of the manifest, including those of other profiles or too large for the machine @returns {Spec}
 * @throws {UserError} if the experiment, or its profile, lacks something named
 */
export function choose(spec, usual, { engines, points, blocks, bytes }, groups) {
  let chosen = spec;
  if (engines) checkEngines(spec, engines);
  checkPresent(spec, engines, groups);
  if (engines ?? usual) chosen = keepEngines(chosen, /** @type {string[]} */ (engines ?? usual));
  if (points) chosen = keepPoints(chosen, points);
  if (blocks) chosen = { ...chosen, phases: { ...chosen.phases, repeats: blocks }, precision: undefined };
  if (bytes) chosen = { ...chosen, load: { ...chosen.load, payload: withBytes(chosen, bytes) } };
  const given = Object.fromEntries(Object.entries({ engines, points, blocks, bytes }).filter(([, value]) => value !== undefined));
  return Object.keys(given).length ? { ...chosen, chosen: given } : chosen;
}

/** @param {Spec} spec @param {string[]} engines @throws {UserError} */
function checkEngines({ axes, experiment, load }, engines) {
  const unknown = engines.filter((name) => !axes.engine.includes(name));
  if (unknown.length === 0) return;
  const all = listEngines();
  throw new UserError(unknown.map((name) => {
    const next = `use some of ${axes.engine.join(', ')}`;
    if (all.includes(name)) return `ENGINES: "${name}" is no engine of ${experiment}, which measures "${load.behaviour}" over WebSocket; ${next}`;
    const near = nearestWord(name, [...axes.engine, ...all]);
    const meant = near && `; did you mean "${near}"${axes.engine.includes(near) ? '' : ', which it does not measure'}?`;
    return `ENGINES: there is no engine "${name}"${meant ?? ';'} ${next}`;
  }));
}

const PROFILES = ['quick', 'default', 'paper'];

/**
 * Refuse engines without any point to run before anything starts.
 * @param {Spec} spec on this machine @param {string[] | undefined} engines named by the user @param {Group[]} [groups] of the manifest
 * @throws {UserError}
 */
function checkPresent(spec, engines, groups) {
  const { axes, experiment, load, profile } = spec;
  const listIn = (/** @type {Group[] | undefined} */ points, /** @type {string} */ of) =>
    new Set(listPoints({ axes, load, points, profile: of }).map(({ engine }) => engine));
  const here = listIn(spec.points, profile);
  const wanted = listIn(groups, profile);
  if (here.size === 0 && wanted.size > 0) throw new UserError(`${experiment}: every point of profile ${profile} needs ${coresOf(spec)}; use a larger host, or another profile`);
  const missing = (engines ?? []).filter((name) => !here.has(name));
  if (missing.length === 0) return;
  throw new UserError(missing.map((name) => {
    if (wanted.has(name)) return `ENGINES: the points of "${name}" in profile ${profile} of ${experiment} need ${coresOf(spec)}; use a larger host, or another profile`;
    const others = PROFILES.filter((other) => listIn(groups, other).has(name)).map((other) => `PROFILE=${other}`);
    return `ENGINES: profile ${profile} of ${experiment} has no point of "${name}"; use ${others.join(' or ') || `some of ${[...here].join(', ')}`}`;
  }));
}

/** @param {Spec} spec @returns {string} the smallest need of the points too large for this machine */
function coresOf({ beyond = [] }) {
  const least = Math.min(...beyond.map(({ needs_cores = Infinity }) => needs_cores));
  return Number.isFinite(least) ? `${least} cores or more` : 'another number of cores';
}

/** @param {Spec} spec @param {string[]} engines @returns {Spec} with only these engines' points */
function keepEngines(spec, engines) {
  const { axes, points = [{}] } = spec;
  const groups = points.map((group) => ({ ...group, engine: (group.engine ?? axes.engine).filter((name) => engines.includes(name)) }));
  return { ...spec, points: groups.filter(({ engine }) => engine.length) };
}

/** @param {Spec} spec @param {string} only a pattern @returns {Spec} with only the points that it matches @throws {UserError} if none */
function keepPoints(spec, only) {
  const names = listPoints(spec).map(wordOfPoint);
  if (names.some((name) => matchesGlob(name, only))) return { ...spec, only };
  const near = nearestWord(only, names);
  const next = near ? `did you mean ${near}?` : `use a name such as ${names[0]}, or a pattern such as '${names[0].split('-')[0]}-*';`;
  throw new UserError(`POINTS: no point of ${spec.experiment} in profile ${spec.profile} is named "${only}"; ${next} --plan lists them`);
}

/** @param {Spec} spec @param {number} bytes @returns {{type: string, bytes: number}} @throws {UserError} */
function withBytes({ experiment, load: { payload } }, bytes) {
  if (payload) return { ...payload, bytes };
  throw new UserError(`BYTES: the messages of ${experiment} have no payload of a size that can be chosen; leave BYTES out`);
}
