/** What the raw capture of a trial says, as the validity rules need it. Reads files only. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { HOST_TICKS } from '../common/words.js';
import { readJson, readTsv } from '../common/files.js';
import { ROOT } from '../common/places.js';
import { readHostsFacts } from './hosts-facts.js';

/** @typedef {Record<string, string>} Row of a table */
/**
 * @typedef {{pid: number, host?: string, side: string, role: string, index: number, cpu_s: number}} Usage CPU of a process in the
 *   window; `host` is a client's
 */
/**
 * @typedef {object} Facts
 * @property {number} window_s between the two marks, by the monotonic clock
 * @property {number} mark_late_share by how much the worse of the window's marks was read off its time, as a share of the window
 * @property {Usage[]} usage
 * @property {number} lost processes of server or client that one mark has and the other has not, or whose threads ended between them
 * @property {number} faults processes that the harness itself killed
 * @property {number} replacements how often the server announced its processes again
 * @property {{busy: number, steal: number, total: number}} machine_s CPU seconds in the window, over all cores; busy without the kernel's
 *   threads for packets where these are the trial's own
 * @property {Machine[]} [machines] of several hosts: each kernel's seconds, and the processes of the trial on it
 * @property {import('./hosts-facts.js').Counts} [counts] of several hosts: what the server's kernel counted, and what the clients' did
 * @property {import('./count-facts.js').Served} [served] of several hosts: what the server's kernel counted on its sockets
 * @property {import('./count-facts.js').Live[]} [live] of several hosts: what was shown while it ran
 * @property {import('./count-facts.js').Sender[]} [senders] of several hosts: what each sent
 * @property {number} [clock_bound_s] of several hosts: by how much a time of the server's, less one of a client's, may be off
 * @property {boolean} [subtractsClocks] is a client's latency such a time?
 * @property {number} ramp_foreign_share of the machine, used from the start to the window by what is not the trial's
 * @property {number} [frame_max_b] the largest frame that was captured between network namespaces
 * @property {number} clock_step_ms wall clock against monotonic clock
 * @property {boolean} closed was the load closed?
 * @property {boolean} inRounds did it come in rounds, of connecting and echoing or of whole pages, so that it was not closed all the time?
 * @property {boolean} isSweep did its rate rise by steps?
 * @property {number} outstanding messages, over all connections, in closed load: the mean over the window
 * @property {number} sent messages that left in the window
 * @property {number} top_cpu_s mean of top's samples in the window, as CPU seconds of it; NaN without samples
 * @property {{due: number, unsent_remote: number, sent: number, received: number, missing: number, wrong: number, late: number,
 *   late_remote?: number, duplicate?: number, out_of_order?: number, service_mean_us: number}} window those with `?` by a generator that
 *   tells them apart; `late_remote` is the part of `late` that waited for the server
 * @property {number} doubts that the generator itself has of its load, beside those that other rules look at
 * @property {{failed_local: number, dropped_local: number}} connections
 */

/** Doubts of a generator that the harness has rules of its own for, with the manifest's bounds. */
const RULED = ['late-sends', 'offered-rate'];

/** @typedef {{machine_s: Facts['machine_s'], usage: Usage[]}} Machine */
/** @typedef {{from_s: number, to_s: number}} Window since the start of the load */

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
  const seconds = readTsv(join(raw, 'client', 'intervals.tsv')).filter(isInWindow(window));
  const closed = client.arrivals.kind === 'closed';
  const facts = {
    ...machine,
    ...withEnded(readUsage(accounts, 'window_start', 'window_end'), summary),
    closed,
    inRounds: client.sizes_b !== undefined || client.loads !== undefined,
    isSweep: client.arrivals.kind === 'staircase',
    ramp_foreign_share: foreignShare(readMachineUse(host, 'start', 'window_start', isApart), readUsage(accounts, 'start', 'window_start').usage),
    frame_max_b: isApart ? readLargestFrame(join(raw, 'wire', 'packets.tsv')) : undefined,
    replacements: countReady(join(raw, 'server.out')) - 1,
    faults: existsSync(join(raw, 'fault')) ? 1 : 0,
    outstanding: closed ? (client.arrivals.outstanding * sum(seconds, 'connected')) / seconds.length : 0,
    sent: sum(seconds, 'sent'),
    top_cpu_s: readTop(raw, window) * machine.window_s,
    window: summary.window,
    connections: summary.connections,
    doubts: (summary.doubts ?? []).filter((/** @type {{rule: string}} */ { rule }) => !RULED.includes(rule)).length,
  };
  return hosts ? { ...facts, ...readHostsFacts({ raw, hosts, window, accounts, facts, client, server }) } : facts;
}

/** @typedef {{usage: Usage[], lost: number, lost_of_clients: number}} Found */

/** @param {Row[]} accounts @param {string} from a mark @param {string} to a mark @returns {Found} */
export function readUsage(accounts, from, to) {
  /** @param {string} mark */
  const at = (mark) => new Map(accounts.filter((row) => row.mark === mark).map((row) => [row.pid, row]));
  const [before, after] = [at(from), at(to)];
  const usage = [...after.values()].filter(({ pid }) => before.has(pid)).map((row) => ({
    ...splitPid(row.pid), side: row.side, role: row.role, index: Number(row.index),
    cpu_s: (Number(row.cpu_ns) - Number(before.get(row.pid)?.cpu_ns)) / 1e9,
  }));
  const inOne = [...before.values(), ...after.values()].filter(({ pid }) => before.has(pid) !== after.has(pid));
  const shrunk = [...after.values()].filter((row) => hasLostThreads(before.get(row.pid), row));
  const countOf = (/** @type {string} */ wanted) => [...inOne, ...shrunk].filter(({ side }) => side === wanted).length;
  const lost_of_clients = countOf('client');
  return { usage, lost: countOf('server') + lost_of_clients, lost_of_clients };
}

/**
 * A client that starts processes for what it does, such as a browser for each page, tells what those used that came and went in the window.
 * @param {Found} found @param {{ended_cpu_s?: number}} summary of the client
 */
function withEnded({ usage, lost, lost_of_clients }, { ended_cpu_s }) {
  if (ended_cpu_s === undefined) return { usage, lost };
  const ended = { pid: NaN, side: 'client', role: 'ended', index: 1, cpu_s: ended_cpu_s };
  return { usage: [...usage, ended], lost: lost - lost_of_clients };
}

/** @param {string} pid `host:pid` of a client on another host than the server's @returns {{pid: number, host?: string}} */
function splitPid(pid) {
  const [host, number] = pid.split(':');
  return number === undefined ? { pid: Number(pid) } : { pid: Number(number), host };
}

/**
 * The accounts of a thread go with it, those of its process in ticks stay: where the two part, a thread has ended. So it has
 * where there is less than before, which a light load's ticks are too coarse to show.
 * @param {Record<string, string> | undefined} before @param {Record<string, string>} after
 * @returns {boolean}
 */
function hasLostThreads(before, after) {
  if (!before) return false;
  const delta = (/** @type {string} */ column) => Number(after[column]) - Number(before[column]);
  const byTicks_s = delta('ticks') / TICKS_PER_S;
  return delta('cpu_ns') < 0 || byTicks_s - delta('cpu_ns') / 1e9 > TICKS_DOUBT_S + 0.1 * byTicks_s;
}

/** @param {Window} window @returns {(row: Record<string, string>) => boolean} for lines of intervals.tsv */
function isInWindow({ from_s, to_s }) {
  return ({ t_s }) => Number(t_s) >= from_s && Number(t_s) < to_s;
}

/** @param {Facts['machine_s']} machine_s @param {Usage[]} usage @returns {number} of the machine, used by what is not the trial's */
export const foreignShare = ({ busy, total }, usage) => (busy - usage.reduce((own_s, { cpu_s }) => own_s + cpu_s, 0)) / total;

/** @param {string} path of packets.tsv @returns {number | undefined} none where no packets were captured */
function readLargestFrame(path) {
  if (!existsSync(path)) return undefined;
  return readTsv(path).reduce((most, { frame_b }) => Math.max(most, Number(frame_b) || 0), 0);
}

/** @param {string} path @returns {number} ready lines */
const countReady = (path) => readFileSync(path, 'utf8').split('\n').filter((line) => line.startsWith('ready ')).length;

/** @param {Record<string, string>[]} rows @param {string} column */
const sum = (rows, column) => rows.reduce((total, row) => total + Number(row[column]), 0);

/** Linux reports /proc/stat in hundredths of a second on every architecture (USER_HZ, see time(7)). */
const TICKS_PER_S = 100;
/** User and system time are cut to whole ticks, at both marks. */
const TICKS_DOUBT_S = 4 / TICKS_PER_S;

/**
 * @param {Row[]} host @param {string} begin a mark @param {string} end a mark
 * @param {boolean} isApart are the kernel's threads for packets at work for the trial alone?
 * @returns {Facts['machine_s']}
 */
export function readMachineUse(host, begin, end, isApart) {
  const [from, to] = [begin, end].map((mark) => host.find((row) => row.mark === mark) ?? {});
  const seconds = (/** @type {string} */ name) => (Number(to[name]) - Number(from[name])) / TICKS_PER_S;
  const total = HOST_TICKS.reduce((all, name) => all + seconds(name), 0);
  const run_s = (Number(to.run_ns) - Number(from.run_ns)) / 1e9; // exact, where it is kept; ticks are sampled, and miss wake-ups
  const packets_s = isApart && 'packet_ns' in to ? (Number(to.packet_ns) - Number(from.packet_ns)) / 1e9 : 0;
  return { total, steal: seconds('steal'), busy: (Number.isFinite(run_s) ? run_s : total - seconds('idle') - seconds('iowait') - seconds('steal')) - packets_s };
}

/** @param {Row[]} host @param {Window} window @param {boolean} isApart as readMachineUse takes it */
export function readMachineFacts(host, { from_s, to_s }, isApart) {
  const [begin, from, to] = ['planned', 'window_start', 'window_end'].map((mark) => host.find((row) => row.mark === mark) ?? {});
  const sinceBegin = (/** @type {Record<string, string>} */ row) => (Number(row.t_us) - Number(begin.t_us)) / 1e3;
  const planned = from_s * 1e3;
  const hold_ms = (to_s - from_s) * 1e3;
  return {
    window_s: (Number(to.t_us) - Number(from.t_us)) / 1e6,
    mark_late_share: Math.max(Math.abs(sinceBegin(from) - planned), Math.abs(sinceBegin(to) - planned - hold_ms)) / hold_ms,
    clock_step_ms: Math.abs((Number(to.wall_us) - Number(to.t_us)) - (Number(from.wall_us) - Number(from.t_us))) / 1e3,
    machine_s: readMachineUse(host, 'window_start', 'window_end', isApart),
  };
}

/** @param {string} raw @param {Window} window @returns {number} mean cores in use by servers and clients, by top */
export function readTop(raw, { from_s: from, to_s }) {
  const program = join(ROOT, 'analysis', 'top-to-series.awk');
  const inputs = ['samplers.tsv', 'accounts.tsv', 'threads.tsv', 'top.txt'].map((name) => join(raw, name)).filter((path) => existsSync(path));
  const [header, ...rows] = execFileSync('awk', ['-f', program, ...inputs], { encoding: 'utf8' }).trimEnd().split('\n');
  const column = Object.fromEntries(header.split('\t').map((name, index) => [name, index]));
  let cores = 0;
  const seconds = new Set();
  for (const cells of rows.map((line) => line.split('\t'))) {
    const t = Number(cells[column.t_s]);
    if (t - 1 < from - 0.5 || t > to_s + 0.5 || cells[column.side] === 'capture') continue;
    seconds.add(t);
    cores += Number(cells[column.cpu_pct]) / 100;
  }
  return cores / seconds.size;
}
