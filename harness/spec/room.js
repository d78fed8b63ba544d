/** Selects the points of a manifest that fit the cores of the server's host. The number of cores is given; nothing is probed here. */

/** @typedef {import('./points.js').Group} Group */
/** @typedef {{cores: number, isSpread?: boolean}} Room On the server's host; `isSpread`: the load is on other hosts */

/**
 * A manifest's `needs_cores` include the load's cores, by default 1. The server's host does not need those if the load is on other hosts.
 * @param {Room} room @param {Group} group @returns {number} cores, as a manifest counts them
 */
const countCores = ({ cores, isSpread = false }, { load_cores = 1 }) => cores + (isSpread ? load_cores : 0);

/**
 * Keep groups whose `needs_cores` and `cores_max` allow this machine. Of a group with `needs_cores` and one core per process
 * (`cores = ["own"]`), keep only the mixes that fit the cores, including one for the load. Larger mixes need a larger host.
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

/** @param {Group} group @returns {string} key of the group's engines and workloads */
const whose = ({ engine, workload }) => JSON.stringify([engine, workload]);

/**
 * @param {Group[] | undefined} groups @param {Room} room
 * @returns {Pick<import('./spec.js').Spec, 'points' | 'beyond'>} points to run here, and groups that need a larger host. A group is not
 *   counted as beyond if another one, with `cores_max`, stands in for it: a claim can be judged by that
 */
export function splitByCores(groups, room) {
  const points = keepPossible(groups, room);
  const standIns = points?.filter(({ cores_max }) => cores_max !== undefined).map(whose) ?? [];
  const isBeyond = (/** @type {Group} */ group) => (group.needs_cores ?? 0) > countCores(room, group) && !standIns.includes(whose(group));
  const beyond = groups?.filter(isBeyond) ?? [];
  return { points, ...(beyond.length && { beyond }) };
}

/**
 * If the server has one core, `client_threads = "free"` gives each other core of its host to a thread of the load. A load on other hosts
 * has one thread.
 * @param {{load: any, cores?: {placement: string}}} manifest @param {Room} room @returns {any} the manifest's load
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
