/** Facts about a trial for the validity rules, from its raw captures. Reads files only. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readTrial } from '../../harness/common/bundle.js';
import { readJson, readTsv } from '../../harness/common/files.js';
import { isIn, sumOf } from '../captures/seconds.js';
import { readHostsFacts } from './hosts-facts.js';
import { foreignShare, readMachineFacts, readMachineUse, readServerWait, readTopCores, readUsage } from './machine-facts.js';

/**
 * @typedef {object} Facts
 * @property {number} window_s between the two marks, by the monotonic clock
 * @property {number} mark_late_share largest deviation of a window mark from its planned time, as a share of the window
 * @property {import('./machine-facts.js').Usage[]} usage
 * @property {number} lost processes of server or client that are missing at one mark, or whose threads ended between the marks
 * @property {number} lost_before the same from the start to the first mark: costs over the whole load lack them
 * @property {number} faults processes that the harness itself killed
 * @property {number} replacements how often the server announced its processes again
 * @property {import('./machine-facts.js').Seconds} machine_s CPU seconds in the window, over all cores; `busy` excludes the
 *   kernel's packet threads if they serve the trial alone
 * @property {import('./machine-facts.js').Machine[]} [machines] with several hosts: each kernel's seconds and its processes of the trial
 * @property {import('./hosts-facts.js').Counts} [counts] with several hosts: network bytes by the server's kernel and by the clients'
 * @property {import('./count-facts.js').Served} [served] with several hosts: counts of the server's kernel on its sockets
 * @property {import('./count-facts.js').Live[]} [live] with several hosts: counts shown during the trial
 * @property {import('./count-facts.js').Sender[]} [senders] with several hosts: messages sent by each
 * @property {number} [clock_bound_s] with several hosts: error bound of a server's time minus a client's time
 * @property {boolean} [subtractsClocks] is a client's latency such a difference?
 * @property {number} throttled_s CPU time in the window, over all cores, withheld from the run by a quota; NaN in old captures
 * @property {number} ramp_foreign_share CPU use outside the trial from start to window, as a share of the machine
 * @property {number} [frame_max_b] the largest frame captured between network namespaces
 * @property {number} clock_step_ms wall clock against monotonic clock
 * @property {number} threads of each process of the load
 * @property {boolean} closed was the load closed?
 * @property {boolean} inRounds did the load come in rounds (connect and echo, or whole pages), so that it was not always closed?
 * @property {boolean} isSweep did the rate rise in steps?
 * @property {import('./disturbed-steps.js').Steps} [steps] of a sweep
 * @property {number} outstanding messages in closed load, over all connections: the mean over the window
 * @property {number} sent messages sent in the window
 * @property {number} [server_wait_share] share of the window that the server's process with the longest wait was runnable without a
 *   core; absent if the server's threads share its work, since these wait for each other
 * @property {number} top_cpu_s mean of top's samples in the window, as CPU seconds; NaN without samples
 * @property {{due: number, unsent_remote: number, sent: number, received: number, missing: number, wrong: number, late: number,
 *   late_remote?: number, duplicate?: number, out_of_order?: number, unasked?: number, service_mean_us: number}} window not all
 *   generators report the fields with `?`; `late_remote` is the part of `late` that waited for the server
 * @property {number} warnings of the generator about its own load, except those that other rules check
 * @property {{failed_local: number, dropped_local: number}} connections
 */

/** Warnings of a generator that the harness checks by its own rules, with the manifest's bounds. */
const RULED = ['late-sends', 'offered-rate'];

/** @param {string} folder of a trial @returns {Facts} */
export function readFacts(folder) {
  const raw = join(folder, 'raw');
  const accounts = readTsv(join(raw, 'accounts.tsv'));
  const summary = readJson(join(raw, 'client', 'summary.json'));
  const { client, server, from_s, to_s, network, hosts } = readTrial(folder);
  const window = { from_s, to_s };
  const host = readTsv(join(raw, 'host.tsv'));
  const isApart = network === 'veth'; // all packets between the namespaces belong to the trial
  const machine = readMachineFacts(host, window, isApart);
  const seconds = readTsv(join(raw, 'client', 'intervals.tsv')).filter(isIn(window));
  const closed = client.arrivals.kind === 'closed';
  const ramp = readUsage(accounts, 'start', 'window_start');
  const facts = {
    ...machine,
    ...withEnded(readUsage(accounts, 'window_start', 'window_end'), summary),
    lost_before: withEnded(ramp, summary).lost,
    closed,
    threads: client.threads ?? 1,
    inRounds: client.sizes_b !== undefined || client.loads !== undefined,
    isSweep: client.arrivals.kind === 'staircase',
    ramp_foreign_share: foreignShare(readMachineUse(host, 'start', 'window_start', isApart), ramp.usage),
    frame_max_b: isApart ? readLargestFrame(join(raw, 'wire', 'packets.tsv')) : undefined,
    replacements: countReady(join(raw, 'server.out')) - 1,
    faults: existsSync(join(raw, 'fault')) ? 1 : 0,
    outstanding: closed ? (client.arrivals.outstanding * sumOf(seconds, 'connected')) / seconds.length : 0,
    sent: sumOf(seconds, 'sent'),
    server_wait_share: readServerWait(accounts, readTsv(join(raw, 'threads.tsv'))),
    top_cpu_s: readTopCores(raw, window) * machine.window_s,
    window: summary.window,
    connections: summary.connections,
    warnings: (summary.warnings ?? summary.doubts ?? []).filter((/** @type {{rule: string}} */ { rule }) => !RULED.includes(rule)).length,
  };
  if (!hosts) return facts;
  const ofHosts = readHostsFacts({ raw, hosts, window, accounts, facts, client, server });
  return { ...facts, subtractsClocks: summary.subtracts_clocks === true, ...ofHosts };
}

/**
 * A client may start short-lived processes, such as a browser per page. It reports the CPU time of those that ended within the window;
 * then no client process counts as lost.
 * @param {import('./machine-facts.js').Found} found @param {{ended_cpu_s?: number | null}} summary of the client
 */
function withEnded({ usage, lost, lost_of_clients }, { ended_cpu_s }) {
  if (ended_cpu_s === undefined) return { usage, lost };
  const ended = { pid: NaN, side: 'client', role: 'ended', index: 1, cpu_s: ended_cpu_s ?? 0 };
  return { usage: [...usage, ended], lost: lost - lost_of_clients };
}

/** @param {string} path of packets.tsv @returns {number | undefined} undefined if no packets were captured */
const readLargestFrame = (path) =>
  (existsSync(path) ? readTsv(path).reduce((most, { frame_b }) => Math.max(most, Number(frame_b) || 0), 0) : undefined);

/** @param {string} path @returns {number} ready lines */
const countReady = (path) => readFileSync(path, 'utf8').split('\n').filter((line) => line.startsWith('ready ')).length;
