/** Which points of a manifest the server's host has the cores for. What it has is given: nothing is probed here. */

/** @typedef {import('./points.js').Group} Group */
/** @typedef {{cores: number, isSpread?: boolean}} Room of the server's host; `isSpread`: the load is on hosts of its own */

/**
 * A manifest counts the load's cores among those that a group needs, one unless it says more: a server's host need not have them where
 * the load is elsewhere.
 * @param {Room} room @param {Group} group @returns {number} cores, as a manifest counts them
 */
const countCores = ({ cores, isSpread = false }, { load_cores = 1 }) => cores + (isSpread ? load_cores : 0);

/**
 * Groups between their `needs_cores` and their `cores_max`. One that needs cores and has a core a process (`cores = ["own"]`) takes as many
 * of its mixes as there are cores for, the load's among them: what is listed beyond that waits for a larger host.
 * @param {Group[] | undefined} groups @param {Room} room @returns {Group[] | undefined}
 */
export function keepPossible(groups, room) {
  const isPossible = (/** @type {Group} */ group) => {
    const { needs_cores = 0, cores_max = Infinity } = group;
    const cores = countCores(room, group);
    return needs_cores <= cores && cores <= cores_max;
  };
  const kept = groups?.filter(isPossible).map((group) => (isOwn(group) ? keepMixes(group, countCores(room, group)) : group));
  return kept?.filter(({ processes }) => processes === undefined || processes.length > 0);
}

/** @param {Group} group @returns {string} whose points these are */
const whose = ({ engine, workload }) => JSON.stringify([engine, workload]);

/**
 * @param {Group[] | undefined} groups @param {Room} room
 * @returns {Pick<import('./spec.js').Spec, 'points' | 'beyond'>} what it runs, and what waits for a larger host: not what another group,
 *   up to its `cores_max`, stands in for, by which a claim can be judged
 */
export function splitByCores(groups, room) {
  const points = keepPossible(groups, room);
  const standIns = points?.filter(({ cores_max }) => cores_max !== undefined).map(whose) ?? [];
  const isBeyond = (/** @type {Group} */ group) => (group.needs_cores ?? 0) > countCores(room, group) && !standIns.includes(whose(group));
  const beyond = groups?.filter(isBeyond) ?? [];
  return { points, ...(beyond.length && { beyond }) };
}

/**
 * Where the server has one core, `client_threads = "free"` gives each of the others of its host to a thread of the load; a load on hosts
 * of its own has a thread.
 * @param {{load: any, cores?: {placement: string}}} manifest @param {Room} room @returns {any} its load
 */
export function resolveThreads({ load, cores: placed }, { cores, isSpread = false }) {
  if (load.client_threads !== 'free') return load;
  return { ...load, client_threads: placed?.placement === 'one' && !isSpread ? Math.max(1, cores - 1) : 1 };
}

/** @param {Group} group */
const isOwn = ({ needs_cores, cores, processes }) =>
  needs_cores !== undefined && processes !== undefined && cores?.every((/** @type {string} */ placement) => placement === 'own');

/** @param {Group} group @param {number} available @returns {Group} */
function keepMixes(group, available) {
  const needed = (/** @type {string} */ mix) => 1 + mix.split('+').reduce((sum, count) => sum + Number(count), 0);
  return { ...group, processes: group.processes.filter((/** @type {string} */ mix) => needed(mix) <= available) };
}
