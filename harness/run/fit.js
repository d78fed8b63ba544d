/** What a run takes of this machine, found when it begins: the network that there can be, and descriptors enough. */
import { execFileSync } from 'node:child_process';
import { join, relative } from 'node:path';
import { resolveNetwork } from '../agent/network.js';
import { UserError } from '../common/failure.js';
import { EXPERIMENTS, ROOT } from '../common/places.js';
import { readEngine } from '../spec/engines.js';
import { listPoints, resolveConditions } from '../spec/points.js';

/** @typedef {import('../spec/spec.js').Spec} Spec */

/** Node, libraries and listeners of an idle process hold some thirty; a hundred leaves room. */
const DESCRIPTORS_OF_ITS_OWN = 100;

/**
 * @param {Spec} spec
 * @returns {Spec} with the network as it can be had here
 * @throws {UserError} with all that this machine lacks
 */
export function fitToHost(spec) {
  const where = relative(ROOT, join(EXPERIMENTS, spec.experiment, 'experiment.toml'));
  const problems = findMissingDescriptors(spec, readDescriptorLimit()).map((problem) => `${where}: ${problem}`);
  if (problems.length) throw new UserError(problems);
  const wanted = /** @type {import('../agent/network.js').Wanted | undefined} */ (spec.network);
  const network = resolveNetwork(wanted, listPoints(spec).map((point) => resolveConditions(spec, point).link));
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

/** @returns {number} the soft limit of this process, which what it starts inherits */
function readDescriptorLimit() {
  const text = execFileSync('sh', ['-c', 'ulimit -n'], { encoding: 'utf8' }).trim();
  return text === 'unlimited' ? Infinity : Number(text);
}
