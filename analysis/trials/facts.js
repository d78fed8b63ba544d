/** What the raw capture of a trial says, as the validity rules need it. Reads files only. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readJson, readTsv } from '../../harness/common/files.js';
import { isIn, sumOf } from '../captures/seconds.js';
import { readHostsFacts } from './hosts-facts.js';
import { foreignShare, readMachineFacts, readMachineUse, readServerWait, readTopCores, readUsage } from './machine-facts.js';

/** @typedef {import('./machine-facts.js').Usage} Usage */
/** @typedef {import('./machine-facts.js').Window} Window */
/**
 * @typedef {object} Facts
 * @property {number} window_s between the two marks, by the monotonic clock
 * @property {number} mark_late_share by how much the worse of the window's marks was read off its time, as a share of the window
 * @property {Usage[]} usage
 * @property {number} lost processes of server or client that one mark has and the other has not, or whose threads ended between them
 * @property {number} faults processes that the harness itself killed
 * @property {number} replacements how often the server announced its processes again
 * @property {import('./machine-facts.js').Seconds} machine_s CPU seconds in the window, over all cores; busy without the kernel's
 *   threads for packets where these are the trial's own
 * @property {import('./machine-facts.js').Machine[]} [machines] of several hosts: each kernel's seconds, and its processes of the trial
 * @property {import('./hosts-facts.js').Counts} [counts] of several hosts: what the server's kernel counted, and what the clients' did
 * @property {import('./count-facts.js').Served} [served] of several hosts: what the server's kernel counted on its sockets
 * @property {import('./count-facts.js').Live[]} [live] of several hosts: what was shown while it ran
 * @property {import('./count-facts.js').Sender[]} [senders] of several hosts: what each sent
 * @property {number} [clock_bound_s] of several hosts: by how much a time of the server's, less one of a client's, may be off
 * @property {boolean} [subtractsClocks] is a client's latency such a time?
 * @property {number} throttled_s CPU time in the window, over all cores, that a quota held back from the run; NaN in captures of before
 * @property {number} ramp_foreign_share of the machine, used from the start to the window by what is not the trial's
 * @property {number} [frame_max_b] the largest frame that was captured between network namespaces
 * @property {number} clock_step_ms wall clock against monotonic clock
 * @property {number} threads of each process of the load
 * @property {boolean} closed was the load closed?
 * @property {boolean} inRounds did it come in rounds, of connecting and echoing or of whole pages, so that it was not closed all the time?
 * @property {boolean} isSweep did its rate rise by steps?
 * @property {import('./disturbed-steps.js').Steps} [steps] of a sweep
 * @property {number} outstanding messages, over all connections, in closed load: the mean over the window
 * @property {number} sent messages that left in the window
 * @property {number} [server_wait_share] of the window, for which the server's process that waited longest was runnable and had no
 *   core; none of a server whose threads share its work, for these wait for each other
 * @property {number} top_cpu_s mean of top's samples in the window, as CPU seconds of it; NaN without samples
 * @property {{due: number, unsent_remote: number, sent: number, received: number, missing: number, wrong: number, late: number,
 *   late_remote?: number, duplicate?: number, out_of_order?: number, unasked?: number, service_mean_us: number}} window those
 *   with `?` by a generator that tells them apart; `late_remote` is the part of `late` that waited for the server
 * @property {number} doubts that the generator itself has of its load, beside those that other rules look at
 * @property {{failed_local: number, dropped_local: number}} connections
 */

/** Doubts of a generator that the harness has rules of its own for, with the manifest's bounds. */
const RULED = ['late-sends', 'offered-rate'];

/** @param {string} folder of a trial @returns {Facts} */
export function readFacts(folder) {
  const raw = join(folder, 'raw');
  const accounts = readTsv(join(raw, 'accounts.tsv'));
  const summary = readJson(join(raw, 'client', 'summary.json'));
  const { client, server, from_s, to_s, network, hosts } = readJson(join(folder, 'trial.json'));
  const window = { from_s, to_s };
  const host = readTsv(join(raw, 'host.tsv'));
  const isApart = network === 'veth'; // all packets between its namespaces are the trial's own
  const machine = readMachineFacts(host, window, isApart);
  const seconds = readTsv(join(raw, 'client', 'intervals.tsv')).filter(isIn(window));
  const closed = client.arrivals.kind === 'closed';
  const facts = {
    ...machine,
    ...withEnded(readUsage(accounts, 'window_start', 'window_end'), summary),
    closed,
    threads: client.threads ?? 1,
    inRounds: client.sizes_b !== undefined || client.loads !== undefined,
    isSweep: client.arrivals.kind === 'staircase',
    ramp_foreign_share: foreignShare(readMachineUse(host, 'start', 'window_start', isApart), readUsage(accounts, 'start', 'window_start').usage),
    frame_max_b: isApart ? readLargestFrame(join(raw, 'wire', 'packets.tsv')) : undefined,
    replacements: countReady(join(raw, 'server.out')) - 1,
    faults: existsSync(join(raw, 'fault')) ? 1 : 0,
    outstanding: closed ? (client.arrivals.outstanding * sumOf(seconds, 'connected')) / seconds.length : 0,
    sent: sumOf(seconds, 'sent'),
    server_wait_share: readServerWait(accounts, readTsv(join(raw, 'threads.tsv'))),
    top_cpu_s: readTopCores(raw, window) * machine.window_s,
    window: summary.window,
    connections: summary.connections,
    doubts: (summary.doubts ?? []).filter((/** @type {{rule: string}} */ { rule }) => !RULED.includes(rule)).length,
  };
  if (!hosts) return facts;
  const ofHosts = readHostsFacts({ raw, hosts, window, accounts, facts, client, server });
  return { ...facts, subtractsClocks: summary.subtracts_clocks === true, ...ofHosts };
}

/**
 * A client that starts processes for what it does, such as a browser for each page, tells what those used that came and went in the window.
 * @param {import('./machine-facts.js').Found} found @param {{ended_cpu_s?: number}} summary of the client
 */
function withEnded({ usage, lost, lost_of_clients }, { ended_cpu_s }) {
  if (ended_cpu_s === undefined) return { usage, lost };
  const ended = { pid: NaN, side: 'client', role: 'ended', index: 1, cpu_s: ended_cpu_s };
  return { usage: [...usage, ended], lost: lost - lost_of_clients };
}

/** @param {string} path of packets.tsv @returns {number | undefined} none where no packets were captured */
const readLargestFrame = (path) =>
  (existsSync(path) ? readTsv(path).reduce((most, { frame_b }) => Math.max(most, Number(frame_b) || 0), 0) : undefined);

/** @param {string} path @returns {number} ready lines */
const countReady = (path) => readFileSync(path, 'utf8').split('\n').filter((line) => line.startsWith('ready ')).length;
