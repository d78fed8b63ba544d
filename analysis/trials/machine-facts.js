/** CPU use of one machine in a window, in total and by process. Reads files only. */
import { sum } from 'd3-array';
import { subtractAccounts } from '../captures/accounts.js';
import { readTop } from '../captures/samplers.js';
import { HOST_TICKS } from '../../harness/common/shared-names.js';

/** @typedef {Record<string, string>} Row of a table */
/**
 * @typedef {{pid: number, host?: string, side: string, role: string, index: number, cpu_s: number}} Usage CPU of a process in the
 *   window; `host` only for a client on another host
 */
/** @typedef {{busy: number, steal: number, total: number}} Seconds of CPU, over all cores */
/** @typedef {{machine_s: Seconds, usage: Usage[]}} Machine and the processes of a trial on it */
/** @typedef {{from_s: number, to_s: number}} Window since the start of the load */
/** @typedef {{usage: Usage[], lost: number, lost_of_clients: number}} Found */

/** @param {Row[]} accounts @param {string} from a mark @param {string} to a mark @returns {Found} */
export function readUsage(accounts, from, to) {
  const used = subtractAccounts(accounts, from, to);
  const usage = used.map(({ pid, side, role, index, cpu_s }) => ({ ...splitPid(pid), side, role, index: Number(index), cpu_s }));
  const pids = new Set(used.map(({ pid }) => pid));
  const inOne = accounts.filter(({ mark, pid }) => (mark === from || mark === to) && !pids.has(pid));
  const countOf = (/** @type {string} */ wanted) => [...inOne, ...used.filter(hasLostThreads)].filter(({ side }) => side === wanted).length;
  const lost_of_clients = countOf('client');
  return { usage, lost: countOf('server') + lost_of_clients, lost_of_clients };
}

/** A thread with more than this share of its process's CPU time counts as doing all the work. */
const MAIN_THREAD_SHARE = 0.5;

/**
 * How long, at the least, a server process waited for its core while another program had it. Its main thread also waits while a helper
 * thread runs there, such as a collector of garbage: that is the engine's own, so all CPU time of the helpers is subtracted, also what
 * they used while the main thread slept.
 * @param {Row[]} accounts @param {Row[]} threads of threads.tsv
 * @returns {number | undefined} the longest, as a share of the window; undefined if its threads share the work, since these may wait
 *   for each other, and for older captures
 */
export function readServerWait(accounts, threads) {
  const [from, to] = ['window_start', 'window_end'].map((wanted) => threads.filter(({ mark }) => mark === wanted));
  const before = new Map(from.map((row) => [`${row.pid} ${row.tid}`, row]));
  const added_s = (/** @type {Row} */ row, /** @type {string} */ column) =>
    (Number(row[column]) - Number(before.get(`${row.pid} ${row.tid}`)?.[column] ?? 0)) / 1e9;
  const waits = subtractAccounts(accounts, 'window_start', 'window_end').filter(({ side, cpu_s }) => side === 'server' && cpu_s > 0)
    .map(({ pid, cpu_s, seconds }) => {
      const own = to.filter((row) => row.pid === pid);
      const main = own.find((row) => added_s(row, 'cpu_ns') > MAIN_THREAD_SHARE * cpu_s);
      const helpers_s = sum(own.filter((row) => row !== main), (row) => Math.max(0, added_s(row, 'cpu_ns')));
      return main && Math.max(0, added_s(main, 'wait_ns') - helpers_s) / seconds;
    });
  const known = waits.filter((wait) => wait !== undefined && Number.isFinite(wait));
  return known.length > 0 && known.length === waits.length ? Math.max(.../** @type {number[]} */ (known)) : undefined;
}

/** @param {string} pid `host:pid` of a client on another host than the server's @returns {{pid: number, host?: string}} */
function splitPid(pid) {
  const [host, number] = pid.split(':');
  return number === undefined ? { pid: Number(pid) } : { pid: Number(number), host };
}

/**
 * The accounts of a thread vanish when it ends, but the process keeps its ticks. A difference between the two shows that a thread
 * has ended. Under a light load, ticks are too coarse for this; then a fall in CPU time shows it.
 * @param {import('../captures/accounts.js').Used} used @returns {boolean}
 */
function hasLostThreads({ cpu_s, ticks }) {
  const byTicks_s = ticks / TICKS_PER_S;
  return cpu_s < 0 || byTicks_s - cpu_s > TICKS_DOUBT_S + 0.1 * byTicks_s;
}

/** @param {Seconds} machine_s @param {Usage[]} usage @returns {number} CPU use outside the trial, as a share of the machine */
export const foreignShare = ({ busy, total }, usage) => (busy - usage.reduce((own_s, { cpu_s }) => own_s + cpu_s, 0)) / total;

/** Background load of any machine, in cores. */
const IDLE_CORES = 0.05;

/**
 * On a machine with many cores, a server process without accounts is a small share of the machine but a large share of the cost.
 * @param {Machine} machine @param {number} window_s
 * @returns {number} CPU that no process accounts for, relative to the CPU of server and load
 */
export function unaccountedShare({ machine_s: { busy }, usage }, window_s) {
  const cpuOf = (/** @type {Usage[]} */ of) => sum(of, ({ cpu_s }) => cpu_s);
  const unaccounted_s = Math.max(0, busy - cpuOf(usage) - IDLE_CORES * window_s);
  return unaccounted_s / Math.max(IDLE_CORES * window_s, cpuOf(usage.filter(({ side }) => side !== 'capture')));
}

/** Linux reports /proc/stat in hundredths of a second on every architecture (USER_HZ, see time(7)). */
const TICKS_PER_S = 100;
/** User and system time are truncated to whole ticks, at both marks. */
const TICKS_DOUBT_S = 4 / TICKS_PER_S;

/**
 * @param {Row[]} host @param {string} begin a mark @param {string} end a mark
 * @param {boolean} isApart do the kernel's packet threads serve the trial alone? @returns {Seconds}
 */
export function readMachineUse(host, begin, end, isApart) {
  const [from, to] = [begin, end].map((mark) => host.find((row) => row.mark === mark) ?? {});
  const seconds = (/** @type {string} */ name) => (Number(to[name]) - Number(from[name])) / TICKS_PER_S;
  const total = HOST_TICKS.reduce((all, name) => all + seconds(name), 0);
  const run_s = (Number(to.run_ns) - Number(from.run_ns)) / 1e9; // exact, if available; ticks are sampled and miss wake-ups
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
    throttled_s: (Number(to.throttled_us) - Number(from.throttled_us)) / 1e6,
    machine_s: readMachineUse(host, 'window_start', 'window_end', isApart),
  };
}

/** @param {string} raw @param {Window} window @returns {number} mean cores in use by servers and clients, by top; NaN without samples */
export function readTopCores(raw, { from_s, to_s }) {
  const rows = readTop(raw).filter(({ t_s, side }) => Number(t_s) - 1 >= from_s - 0.5 && Number(t_s) <= to_s + 0.5 && side !== 'capture');
  return rows.reduce((cores, { cpu_pct }) => cores + Number(cpu_pct) / 100, 0) / new Set(rows.map(({ t_s }) => t_s)).size;
}
