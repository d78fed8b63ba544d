/**
 * Which engines a run measures, how often and with messages of which size: what a person says at the command line (ENGINES, BLOCKS,
 * BYTES) stands in the place of what the manifest says. The manifest may take every engine of some dialects.
 */
import { UserError } from '../common/failure.js';
import { nearestWord } from '../common/words.js';
import { listEngines, readEngine } from './engines.js';

/** @typedef {import('./spec.js').Spec} Spec */
/** @typedef {import('./points.js').Group} Group */
/** @typedef {{engines?: string[], blocks?: number, bytes?: number}} Choice */

/**
 * @param {any} manifest as its schema has it, or not
 * @returns {any} with a list of engines where it takes every one: of the axis those that have the load's behaviour, and of each group
 *   those that have its own. A group that no engine can be in is left out
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
 * Narrow a spec, when all of it has been checked.
 * @param {Spec} spec @param {string[] | undefined} usual engines of the profile, where no one names any
 * @param {Choice} choice
 * @returns {Spec}
 * @throws {UserError} when the experiment does not have what is named
 */
export function choose(spec, usual, { engines, blocks, bytes }) {
  let chosen = spec;
  if (engines) checkEngines(spec, engines);
  if (engines ?? usual) chosen = keepEngines(chosen, /** @type {string[]} */ (engines ?? usual));
  if (chosen.points?.length === 0) throw new UserError(`ENGINES: ${engines?.join(', ')} has no point in profile ${spec.profile} of ${spec.experiment}; use another profile`);
  if (blocks) chosen = { ...chosen, phases: { ...chosen.phases, repeats: blocks }, precision: undefined };
  if (bytes) chosen = { ...chosen, load: { ...chosen.load, payload: withBytes(chosen, bytes) } };
  return chosen;
}

/** @param {Spec} spec @param {string[]} engines @throws {UserError} */
function checkEngines({ axes, experiment, load }, engines) {
  const unknown = engines.filter((name) => !axes.engine.includes(name));
  if (unknown.length === 0) return;
  const all = listEngines();
  throw new UserError(unknown.map((name) => {
    const next = `use some of ${axes.engine.join(', ')}`;
    if (all.includes(name)) return `ENGINES: "${name}" is no engine of ${experiment}, which measures "${load.behaviour}" over WebSocket; ${next}`;
    const near = nearestWord(name, axes.engine);
    return `ENGINES: there is no engine "${name}"${near ? `; did you mean "${near}"?` : ';'} ${next}`;
  }));
}

/** @param {Spec} spec @param {string[]} engines @returns {Spec} with the points of these alone */
function keepEngines(spec, engines) {
  const { axes, points = [{}] } = spec;
  const groups = points.map((group) => ({ ...group, engine: (group.engine ?? axes.engine).filter((name) => engines.includes(name)) }));
  return { ...spec, points: groups.filter(({ engine }) => engine.length) };
}

/** @param {Spec} spec @param {number} bytes @returns {{type: string, bytes: number}} @throws {UserError} */
function withBytes({ experiment, load: { payload } }, bytes) {
  if (payload) return { ...payload, bytes };
  throw new UserError(`BYTES: the messages of ${experiment} have no payload of a size that can be chosen; leave BYTES out`);
}
