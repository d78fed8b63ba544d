/** What a run takes of this machine, found when it begins: the network that there can be, and descriptors enough. */
import { join, relative } from 'node:path';
import { UserError } from '../common/failure.js';
import { EXPERIMENTS, ROOT } from '../common/places.js';
import { readEngine } from '../spec/engines.js';
import { listPoints, resolveConditions } from '../spec/points.js';

/** @typedef {import('../spec/spec.js').Spec} Spec */

/** Node, libraries and listeners of an idle process hold some thirty; a hundred leaves room. */
const DESCRIPTORS_OF_ITS_OWN = 100;

/**
 * @param {Spec} spec @param {import('./agent.js').Agent} agent of the host
 * @returns {Promise<Spec>} with the network as it can be had there
 * @throws {UserError} with all that the host lacks
 */
export async function fitToHost(spec, agent) {
  const where = relative(ROOT, join(EXPERIMENTS, spec.experiment, 'experiment.toml'));
  const problems = findMissingDescriptors(spec, await agent.ask('descriptors') ?? Infinity).map((problem) => `${where}: ${problem}`);
  if (problems.length) throw new UserError(problems);
  const links = listPoints(spec).map((point) => resolveConditions(spec, point).link);
  const network = await agent.ask('resolveNetwork', { wanted: spec.network, links });
  return network ? { ...spec, network } : spec;
}

/** @param {Spec} spec @param {number} limit of a process @returns {string[]} which parties of a point need more, a line each */
function findMissingDescriptors(spec, limit) {
  /** @type {Map<string, string>} */
  const problems = new Map();
  /** @param {string} who @param {number} connections @param {number} processes @param {number} each */
  const check = (who, connections, processes, each) => {
    const needed = Math.ceil((connections / processes) * each) + DESCRIPTORS_OF_ITS_OWN;
    if (processes === 0 || needed <= limit || problems.has(who)) return;
    problems.set(who, `${who}: ${connections} connections over ${processes} process(es) need ${needed} descriptors each, the limit is ${limit}; raise it with \`ulimit -n\` or use more processes`);
  };
  for (const point of listPoints(spec)) {
    const { connections, client_processes, processes } = resolveConditions(spec, point);
    const { roles } = readEngine(point.engine);
    check('load.client_processes', connections, client_processes, 1);
    for (const [role, count] of Object.entries(processes)) check(`processes.${point.engine}.${role}`, connections, count, roles[role].descriptors_per_connection);
  }
  return [...problems.values()];
}
