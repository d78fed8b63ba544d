/** Who else computed while something ran: a check of times is nothing worth where much else did. */
import os from 'node:os';
import { readProc } from '../../../harness/common/stat.js';

/** Of the cores' time, that others may take: more, and times are the machine's. */
export const OTHERS_MAX = 0.1;
/** USER_HZ of proc(5), the same on every Linux that Node runs on. */
const TICKS_A_SECOND = 100;

/** @typedef {{atMs: number, busyS: number, ownS: number}} Reading */

/** @param {number[]} pids @returns {Reading} */
export function readCompany(pids) {
  return { atMs: performance.now(), busyS: readBusyS(), ownS: pids.reduce((sum, pid) => sum + readCpuS(pid), 0) };
}

/** The first line of /proc/stat (proc(5)): user nice system idle iowait irq softirq steal; time that was stolen is others' too. */
function readBusyS() {
  const ticks = readProc('stat').split('\n')[0].trim().split(/\s+/).slice(1, 9).map(Number);
  return (ticks.reduce((sum, each) => sum + each, 0) - ticks[3] - ticks[4]) / TICKS_A_SECOND;
}

/** @param {number} pid @returns {number} 0 when it is gone */
function readCpuS(pid) {
  const stat = readProc(`${pid}/stat`);
  const [user, system] = stat.slice(stat.lastIndexOf(')') + 2).split(' ').slice(11, 13).map(Number);
  return stat ? (user + system) / TICKS_A_SECOND : 0;
}

/**
 * @param {Reading} before @param {Reading} after of the same processes
 * @param {number} moreS of processes that ran in between, and are gone
 * @returns {number} of all cores' time, what no process that was counted took
 */
export function shareOfOthers(before, after, moreS) {
  const othersS = after.busyS - before.busyS - (after.ownS - before.ownS) - moreS;
  return Math.max(0, othersS) / (((after.atMs - before.atMs) / 1000) * os.cpus().length);
}
