/**
 * The kernel's own accounts, cumulative, read at both ends of the measuring window. Those of processes are exact; the machine's ticks are
 * sampled.
 * See proc(5) and the kernel's Documentation/scheduler/sched-stats.rst.
 */
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { findOwnGroups, readThrottledUs } from './allowed.js';
import { monotonicUs } from './clock.js';
import { findKind } from './container.js';
import { readProc, readStat } from '../common/stat.js';
import { HOST_TICKS } from '../common/shared-names.js';

/**
 * @typedef {{cpu_ns: number, wait_ns: number, ticks: number, voluntary: number, involuntary: number, rss_kb: number,
 *   threads: {tid: number, cpu_ns: number, wait_ns: number}[]}} ProcessAccount Sums over live threads; only `ticks` includes ended
 *   threads. `wait_ns`: runnable, but without a CPU; `voluntary`: context switches
 */

/** Attempts to read a process. On a busy machine the reader may lose its CPU midway, and the two clocks read then disagree. */
const READS_MAX = 5;

/** @param {number} pid @returns {ProcessAccount | undefined} undefined if the process is gone */
export function readProcess(pid) {
  try {
    let account = readOnce(pid);
    for (let reads = 1; reads < READS_MAX && Number(readStat(pid)?.ticks) - account.ticks > 1; reads++) account = readOnce(pid);
    return account;
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

/** @param {number} pid @throws if the process is gone */
function readOnce(pid) {
  /** @type {ProcessAccount} */
  const account = { cpu_ns: 0, wait_ns: 0, ticks: readStat(pid)?.ticks ?? 0, voluntary: 0, involuntary: 0, rss_kb: 0, threads: [] };
  for (const tid of readdirSync(`/proc/${pid}/task`)) addThread(account, pid, tid);
  account.rss_kb = fieldOf(readFileSync(`/proc/${pid}/status`, 'latin1'), 'VmRSS');
  return account;
}

/** @param {string} text such as /proc/<pid>/status @param {string} name @returns {number} 0 if absent */
const fieldOf = (text, name) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0);

/** @param {unknown} error from reading a process or a thread */
const isGone = (error) => ['ENOENT', 'ESRCH'].includes(/** @type {NodeJS.ErrnoException} */ (error).code ?? '');

/** @param {number} pid @returns {number} open descriptors; 0 if it is gone. Since Linux 6.2 the folder's size is the count */
export function countDescriptors(pid) {
  try {
    return statSync(`/proc/${pid}/fd`).size || readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return 0;
  }
}

/** @param {ProcessAccount} account to add to, unless the thread has ended @param {number} pid @param {string} tid */
function addThread(account, pid, tid) {
  try {
    const [cpu, wait] = readFileSync(`/proc/${pid}/task/${tid}/schedstat`, 'latin1').split(' ');
    const status = readFileSync(`/proc/${pid}/task/${tid}/status`, 'latin1');
    account.threads.push({ tid: Number(tid), cpu_ns: Number(cpu), wait_ns: Number(wait) });
    account.cpu_ns += Number(cpu);
    account.wait_ns += Number(wait);
    account.voluntary += fieldOf(status, 'voluntary_ctxt_switches');
    account.involuntary += fieldOf(status, 'nonvoluntary_ctxt_switches');
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}

/** Account of the root group in controller cpuacct (cgroup version 1): ns of CPU over all tasks. A container finds its own there. */
const ROOT_ACCOUNT = '/sys/fs/cgroup/cpuacct/cpuacct.usage';
const hasRootAccount = existsSync(ROOT_ACCOUNT) && findKind() === undefined;

/** Kernel threads, one per core, that handle packets left over by interrupts or delayed by a link's rate. @type {string[]} */
let packetThreads;

/** @returns {number} their CPU time in ns */
function readPacketNs() {
  packetThreads ??= readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && readProc(`${pid}/comm`).startsWith('ksoftirqd/'));
  return packetThreads.reduce((sum, pid) => sum + Number(readFileSync(`/proc/${pid}/schedstat`, 'latin1').split(' ')[0]), 0);
}

/** @returns {Record<string, number>} clocks, kernel memory, time throttled by quotas of our groups, and CPU ticks */
export function readMachine() {
  const ticks = readFileSync('/proc/stat', 'latin1').split('\n')[0].trim().split(/\s+/).slice(1, 1 + HOST_TICKS.length);
  const memory = readFileSync('/proc/meminfo', 'latin1');
  return {
    t_us: Math.round(monotonicUs()), wall_us: Date.now() * 1000,
    run_ns: hasRootAccount ? Number(readFileSync(ROOT_ACCOUNT, 'latin1')) : NaN, // else /proc/stat's sampled ticks are used
    packet_ns: readPacketNs(),
    kernel_kb: fieldOf(memory, 'Slab') + fieldOf(memory, 'KernelStack'), // kernel objects, including sockets, and thread stacks
    throttled_us: Math.round(readThrottledUs(findOwnGroups())),
    ...Object.fromEntries(HOST_TICKS.map((name, index) => [name, Number(ticks[index])])),
  };
}
