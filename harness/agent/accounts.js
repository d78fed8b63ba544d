/**
 * The kernel's own accounts: exact, cumulative, read at both ends of the measuring window. Nothing here is sampled.
 * See proc(5) and the kernel's Documentation/scheduler/sched-stats.rst.
 */
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { findOwnGroups, readThrottledUs } from './allowed.js';
import { monotonicUs } from './clock.js';
import { HOST_TICKS } from '../common/shared-names.js';

/**
 * @typedef {object} ProcessAccount
 * @property {number} cpu_ns time on a CPU, of all its threads (task/<tid>/schedstat)
 * @property {number} wait_ns time it was runnable and waited for a CPU
 * @property {number} ticks user + system time of /proc/<pid>/stat, which keeps that of threads that have ended
 * @property {number} voluntary context switches
 * @property {number} involuntary context switches
 * @property {number} rss_kb
 * @property {{tid: number, cpu_ns: number}[]} threads that live
 */

/**
 * @param {number} pid
 * @returns {ProcessAccount | undefined} undefined when the process is gone
 */
export function readProcess(pid) {
  try {
    return readWhole(pid, READS_MAX);
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

/** How often a process is read anew where its clocks moved apart while it was read: the reader itself waits for a CPU on a busy machine. */
const READS_MAX = 5;

/** @param {number} pid @param {number} reads that are left @returns {ProcessAccount} @throws where the process is gone */
function readWhole(pid, reads) {
  /** @type {ProcessAccount} */
  const account = { cpu_ns: 0, wait_ns: 0, ticks: readTicks(pid), voluntary: 0, involuntary: 0, rss_kb: 0, threads: [] };
  for (const tid of readdirSync(`/proc/${pid}/task`)) addThread(account, pid, tid);
  account.rss_kb = Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? 0);
  return readTicks(pid) - account.ticks > 1 && reads > 1 ? readWhole(pid, reads - 1) : account;
}

/** @param {unknown} error @returns {boolean} of reading a process or a thread */
const isGone = (error) => ['ENOENT', 'ESRCH'].includes(/** @type {NodeJS.ErrnoException} */ (error).code ?? '');

/**
 * @param {number} pid
 * @returns {number} descriptors that it has open; 0 when it is gone. Since Linux 6.2 the size of the folder is their number; before, they
 *   are counted one by one
 */
export function countDescriptors(pid) {
  try {
    return statSync(`/proc/${pid}/fd`).size || readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return 0;
  }
}

/** @param {ProcessAccount} account gets the thread's, unless it ended meanwhile @param {number} pid @param {string} tid */
function addThread(account, pid, tid) {
  try {
    const [cpu, wait] = readFileSync(`/proc/${pid}/task/${tid}/schedstat`, 'latin1').split(' ');
    const status = readFileSync(`/proc/${pid}/task/${tid}/status`, 'latin1');
    account.threads.push({ tid: Number(tid), cpu_ns: Number(cpu) });
    account.cpu_ns += Number(cpu);
    account.wait_ns += Number(wait);
    account.voluntary += Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(status)?.[1] ?? 0);
    account.involuntary += Number(/^nonvoluntary_ctxt_switches:\s+(\d+)/m.exec(status)?.[1] ?? 0);
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}

/** @param {number} pid @returns {number | undefined} ticks that it ran; undefined when it is gone */
export function findTicks(pid) {
  try {
    return readTicks(pid);
  } catch {
    return undefined;
  }
}

/** @param {number} pid @returns {number} */
function readTicks(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' '); // the name may hold spaces and brackets
  return Number(fields[11]) + Number(fields[12]);
}

/** The root group's account of the controller cpuacct (cgroup version 1): nanoseconds that all tasks ran. */
const ROOT_ACCOUNT = '/sys/fs/cgroup/cpuacct/cpuacct.usage';

/** @returns {number} ns that the cores ran tasks; NaN where no such account is kept, and /proc/stat's sampled ticks must do */
const readRunNs = () => (existsSync(ROOT_ACCOUNT) ? Number(readFileSync(ROOT_ACCOUNT, 'latin1')) : NaN);

/** Threads of the kernel that handle packets where interrupts leave too many, or a link keeps a rate: one a core. @type {string[]} */
let packetThreads;

/** @returns {number} ns that they ran */
function readPacketNs() {
  packetThreads ??= readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && readComm(pid).startsWith('ksoftirqd/'));
  return packetThreads.reduce((sum, pid) => sum + Number(readFileSync(`/proc/${pid}/schedstat`, 'latin1').split(' ')[0]), 0);
}

/** @param {string} pid @returns {string} '' when it is gone */
function readComm(pid) {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'latin1');
  } catch {
    return '';
  }
}

/** @returns {number} kB that the kernel holds: its objects, sockets among them, and stacks of threads; 0 where it does not say */
function readKernelKb() {
  const text = readFileSync('/proc/meminfo', 'latin1');
  return ['Slab', 'KernelStack'].reduce((sum, name) => sum + Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0), 0);
}

/** @returns {Record<string, number>} the machine's clocks, the kernel's memory, time that quotas of own groups held back, and CPU ticks */
export function readMachine() {
  const ticks = readFileSync('/proc/stat', 'latin1').split('\n')[0].trim().split(/\s+/).slice(1, 1 + HOST_TICKS.length);
  const clocks = { t_us: Math.round(monotonicUs()), wall_us: Date.now() * 1000 };
  const counted = Object.fromEntries(HOST_TICKS.map((name, index) => [name, Number(ticks[index])]));
  const throttled_us = Math.round(readThrottledUs(findOwnGroups()));
  return { ...clocks, run_ns: readRunNs(), packet_ns: readPacketNs(), kernel_kb: readKernelKb(), throttled_us, ...counted };
}
