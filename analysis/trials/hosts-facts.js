/** Additional facts of a trial on several hosts: a kernel per host, clocks that differ, and counts that must agree. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readTsv } from '../../harness/common/files.js';
import { readLive, readSenders, readServed } from './count-facts.js';
import { foreignShare, readMachineFacts, readMachineUse, readTopCores, readUsage } from './machine-facts.js';

/** @typedef {import('./facts.js').Facts} Facts */
/**
 * @typedef {{name: string, role: string, addresses?: string[], boot: string, connections?: number}} Host in trial.json; without
 *   `connections` it made no load
 */
/**
 * @typedef {object} Counts bytes through the load's network devices in the window; up is to the server
 * @property {number} up_b sent by the clients' hosts @property {number} up_there_b received by the server's host
 * @property {number} down_b received by the clients' hosts @property {number} down_there_b sent by the server's host
 * @property {number} other_b allowance each way for the agents' own connections
 */
/**
 * @typedef {object} Given
 * @property {string} raw @property {Host[]} hosts the server's first
 * @property {{from_s: number, to_s: number}} window @property {Record<string, string>[]} accounts of all hosts
 * @property {Pick<Facts, 'window_s' | 'top_cpu_s'>} facts of the server's host
 * @property {Record<string, any>} client its configuration @property {Record<string, any>} server its configuration
 */

/** Bytes a second, each way, of an agent's ssh connection: a line a second and the request for it. */
const OF_AN_AGENT_HZ = 5000;

/**
 * @param {string} raw @param {Host} host @param {number} index
 * @returns {string} the folder of its captures; for the server's host, the same as in a trial on one host
 */
const folderOf = (raw, { name }, index) => (index === 0 ? raw : join(raw, 'hosts', name));

/** @param {Given} given @returns {Partial<Facts>} */
export function readHostsFacts({ raw, hosts, window, accounts, facts, client, server }) {
  const captured = hosts.map((host, index) => ({ ...host, key: index === 0 ? undefined : host.name, folder: folderOf(raw, host, index) }))
    .filter(({ folder }) => existsSync(join(folder, 'host.tsv'))); // a host without load has no captures
  const tables = captured.map((one) => ({ ...one, host: readTsv(join(one.folder, 'host.tsv')) }));
  const each = tables.map(({ host }) => readMachineFacts(host, window, false));
  const use = (/** @type {string} */ from, /** @type {string} */ to) => kernelsOf(tables).map((group) => ({
    machine_s: readMachineUse(group[0].host, from, to, false),
    usage: readUsage(accounts, from, to).usage.filter(({ host }) => group.some(({ key }) => key === host)),
  }));
  const bound = readTsv(join(raw, 'clocks', 'metrics.tsv')).find(({ metric }) => metric === 'clock_bound_ms');
  const tops = captured.slice(1).map(({ folder }) => readTopCores(folder, window) * facts.window_s);
  return {
    machines: use('window_start', 'window_end'),
    ramp_foreign_share: Math.max(...use('start', 'window_start').map(({ machine_s, usage }) => foreignShare(machine_s, usage))),
    mark_late_share: Math.max(...each.map(({ mark_late_share }) => mark_late_share)),
    throttled_s: Math.max(...each.map(({ throttled_s }) => throttled_s)),
    clock_step_ms: Math.max(...each.map(({ clock_step_ms }) => clock_step_ms)),
    top_cpu_s: tops.reduce((sum, cpu_s) => sum + cpu_s, facts.top_cpu_s),
    counts: readCounts(captured, facts.window_s),
    served: readServed(raw, hosts, { server, client }),
    live: readLive(raw, hosts, window.to_s),
    senders: readSenders(raw, hosts),
    clock_bound_s: Number(bound?.value ?? NaN) / 1000,
  };
}

/**
 * Hosts may be namespaces of one machine; then they share its kernel's accounts. @template {Host} T @param {T[]} hosts
 * @returns {T[][]} by kernel
 */
const kernelsOf = (hosts) => [...Map.groupBy(hosts, ({ boot }) => boot).values()];

/**
 * @param {{folder: string}[]} hosts the server's first @param {number} window_s
 * @returns {Counts | undefined} undefined if one host has both ends
 */
function readCounts([server, ...others], window_s) {
  if (others.length === 0) return undefined;
  const inWindow = (/** @type {{folder: string}} */ { folder }, /** @type {string} */ column) => {
    const [from, to] = ['window_start', 'window_end'].map((mark) => readTsv(join(folder, 'device.tsv')).find((row) => row.mark === mark));
    return Number(to?.[column]) - Number(from?.[column]);
  };
  const sum = (/** @type {string} */ column) => others.reduce((total, host) => total + inWindow(host, column), 0);
  return {
    up_b: sum('sent_b'), up_there_b: inWindow(server, 'received_b'),
    down_b: sum('received_b'), down_there_b: inWindow(server, 'sent_b'),
    other_b: OF_AN_AGENT_HZ * (1 + others.length) * window_s,
  };
}
