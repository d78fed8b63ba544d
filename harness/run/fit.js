/** Checks at the start of a run that its hosts suffice: which network they allow, and whether there are enough file descriptors. */
import { join, relative } from 'node:path';
import { UserError } from '../common/failure.js';
import { EXPERIMENTS, ROOT } from '../common/places.js';
import { readEngine } from '../spec/engines.js';
import { listPoints, resolveConditions } from '../spec/points.js';
import { listMeasured } from '../spec/reference.js';

/** @typedef {import('../spec/spec.js').Spec} Spec */
/** @typedef {import('./fleet.js').Fleet} Fleet */
/**
 * @typedef {(who: string, connections: number, processes: number, each: number) => void} Check of descriptors; `each` is the number for
 *   one connection
 */

const DESCRIPTORS_OF_ITS_OWN = 100; // an idle process holds some 30 (Node, libraries, listeners)

/** @param {Spec} spec @param {Fleet} fleet @returns {Promise<Spec>} with its network @throws {UserError} with everything missing */
export async function fitToHosts(spec, fleet) {
  const where = relative(ROOT, join(EXPERIMENTS, spec.experiment, 'experiment.toml'));
  const limits = await fleet.each(async ({ agent }) => await agent.ask('descriptors') ?? Infinity);
  const ofClients = Math.min(...fleet.clients.map((member) => limits[fleet.members.indexOf(member)]));
  const problems = findMissingDescriptors(spec, { server: limits[0], client: ofClients, hosts: fleet.clients.length });
  if (problems.length) throw new UserError(problems.map((problem) => `${where}: ${problem}`));
  if (fleet.isSpread) return spec;
  const links = listPoints(spec).map((point) => resolveConditions(spec, point).link);
  const network = await fleet.server.agent.ask('resolveNetwork', { wanted: spec.network, links });
  return network ? { ...spec, network } : spec;
}

/** @param {number} limit of a process @param {Map<string, string>} problems one line each; the check adds to them @returns {Check} */
const checkAgainst = (limit, problems) => (who, connections, processes, each) => {
  const needed = Math.ceil((connections / processes) * each) + DESCRIPTORS_OF_ITS_OWN;
  if (processes === 0 || needed <= limit || problems.has(who)) return;
  problems.set(who, `${who}: ${connections} connections over ${processes} process(es) need ${needed} descriptors each, the limit is ${limit}; raise it with \`ulimit -n\` or use more processes`);
};

/** @param {Spec} spec @param {{server: number, client: number, hosts: number}} limits of a process @returns {string[]} the problems */
function findMissingDescriptors(spec, { server, client, hosts }) {
  /** @type {Map<string, string>} */
  const problems = new Map();
  for (const point of listMeasured(spec)) {
    const { connections, client_processes, processes } = resolveConditions(spec, point);
    const { roles } = readEngine(point.engine);
    checkAgainst(client, problems)('load.client_processes', connections, Math.max(client_processes, Math.min(hosts, connections)), 1);
    for (const [role, count] of Object.entries(processes)) {
      checkAgainst(server, problems)(`processes.${point.engine}.${role}`, connections, count, roles[role].descriptors_per_connection);
    }
  }
  return [...problems.values()];
}
