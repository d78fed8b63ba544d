/** `make ec2-down`: terminates the hosts first, even if the stack cannot be removed; then removes the stack, and lists what is left. */
import { UserError } from '../../harness/common/failure.js';
import { sleep } from '../../harness/common/timers.js';
import { ClusterFolder } from './folder.js';
import { isCluster } from './request.js';
import { Progress } from './say.js';
import { endHosts, listHosts, listStacks, listThings, removeStack } from './stack.js';

/** @typedef {import('./amazon.js').Amazon} Amazon */

const LOOKS = 8;
const LOOK_MS = 3000;

/**
 * @param {Amazon} amazon @param {{cluster?: string, all: boolean}} wanted
 * @returns {Promise<string[]>} clusters to remove
 * @throws {UserError}
 */
export async function chooseClusters(amazon, { cluster, all }) {
  const found = [...await listStacks(amazon), ...await listHosts(amazon), ...await listThings(amazon)];
  // Tags are text that anyone may write, and a name becomes a folder
  const names = [...new Set(found.map((each) => each.cluster))].filter(isCluster).sort();
  if (cluster && !names.includes(cluster)) throw new UserError(`CLUSTER: there is no ${cluster} in ${amazon.region} (${names.join(', ') || 'there is none'}); see ./wscale ec2 list, or another region`);
  if (!cluster && !all && names.length > 1) throw new UserError(`CLUSTER: there are ${names.join(', ')} in ${amazon.region}; say which, or all of them: ALL=1`);
  return cluster ? [cluster] : names;
}

/**
 * @param {Amazon} amazon @param {string[]} clusters @param {number} [looks] how often to look for remains
 * @returns {Promise<number>} exit code: 1 if something is left
 */
export async function bringDown(amazon, clusters, looks = LOOKS) {
  const progress = new Progress();
  for (const cluster of clusters) {
    // Continue: the remains are listed below
    const tell = (/** @type {Error} */ error) => console.error(`error: ${error.message}`);
    await endHosts(amazon, cluster, progress.tell).catch(tell);
    for (const stack of (await listStacks(amazon)).filter((each) => each.cluster === cluster)) {
      await removeStack(amazon, stack, progress.tell).catch(tell);
    }
    progress.end();
  }
  const left = await waitUntilGone(amazon, clusters, looks);
  for (const { cluster, what } of left) console.error(`left: ${what} of ${cluster}`);
  if (left.length) {
    const [count, it] = left.length === 1 ? ['1 thing is', 'it'] : [`${left.length} things are`, 'them'];
    console.error(`error: ec2 down: ${count} left in ${amazon.region}; give the command again, or remove ${it} in Amazon's console`);
  }
  for (const cluster of clusters) {
    if (left.some((each) => each.cluster === cluster)) continue;
    new ClusterFolder(cluster).remove();
    console.log(`${cluster}: removed; nothing of it is left in ${amazon.region}`);
  }
  if (clusters.length === 0) console.log(`${amazon.region}: there is nothing of the suite`);
  return left.length ? 1 : 0;
}

/** @param {Amazon} amazon @param {string} cluster @returns {string} the command that removes it, from any machine */
export const commandOf = ({ region }, cluster) => `./wscale ec2 down --cluster ${cluster} --region ${region}`;

/** @param {Date} date @returns {string} */
export const formatEnd = (date) => `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`;

/**
 * Like bringDown, at the end of a command that made the cluster. It never throws, for example if credentials have expired, so that the
 * caller can still report its own error.
 * @param {Amazon} amazon @param {string} cluster @param {Date} ends when its hosts terminate themselves
 * @returns {Promise<number>} exit code
 */
export async function takeDown(amazon, cluster, ends) {
  try {
    return await bringDown(amazon, [cluster]);
  } catch (error) {
    console.error(`error: ${cluster} may still run, and cost, until it ends itself at ${formatEnd(ends)}, for it could not be removed: `
      + `${/** @type {Error} */ (error).message}; then give: ${commandOf(amazon, cluster)}`);
    return 1;
  }
}

/** @typedef {{cluster: string, what: string}} Left */

/**
 * Looks several times: Amazon's services take some seconds to agree.
 * @param {Amazon} amazon @param {string[]} clusters @param {number} looks
 * @returns {Promise<Left[]>}
 */
async function waitUntilGone(amazon, clusters, looks) {
  for (let look = 1; ; look++) {
    const left = (await listLeft(amazon)).filter((each) => clusters.includes(each.cluster));
    if (left.length === 0 || look === looks) return left;
    await sleep(LOOK_MS);
  }
}

/** @param {Amazon} amazon @returns {Promise<Left[]>} */
async function listLeft(amazon) {
  const stacks = (await listStacks(amazon)).map(({ cluster, stack, status, why = '' }) => ({ cluster, what: `stack ${stack}, ${status} ${why}`.trim() }));
  const hosts = (await listHosts(amazon)).map(({ cluster, id, state }) => ({ cluster, what: `instance ${id}, ${state}` }));
  const things = (await listThings(amazon)).map(({ cluster, type, id }) => ({ cluster, what: `${type} ${id}` }));
  return [...hosts, ...stacks, ...things];
}
