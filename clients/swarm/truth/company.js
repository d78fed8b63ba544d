/** CPU time of other processes during a run. If they used much, a check of times is worthless. */
import os from 'node:os';
import { readProc } from '../../../harness/common/stat.js';

/** Share of the cores' time that others may use. Beyond it, times say nothing about swarm. */
export const OTHERS_MAX = 0.1;
/** USER_HZ of proc(5), the same on every Linux that Node runs on. */
const TICKS_A_SECOND = 100;

/** @typedef {{atMs: number, busyS: number, ownS: number}} Reading */

/** @param {number[]} pids @returns {Reading} */
export function readCompany(pids) {
  return { atMs: performance.now(), busyS: readBusyS(), ownS: pids.reduce((sum, pid) => sum + readCpuS(pid), 0) };
}

/** First line of /proc/stat (proc(5)): user nice system idle iowait irq softirq steal. Steal counts as busy: others used it. */
function readBusyS() {
  const ticks = readProc('stat').split('\n')[0].trim().split(/\s+/).slice(1, 9).map(Number);
  return (ticks.reduce((sum, each) => sum + each, 0) - ticks[3] - ticks[4]) / TICKS_A_SECOND;
}

/** @param {number} pid @returns {number} 0 if the process is gone */
function readCpuS(pid) {
  const stat = readProc(`${pid}/stat`);
  const [user, system] = stat.slice(stat.lastIndexOf(')') + 2).split(' ').slice(11, 13).map(Number);
  return stat ? (user + system) / TICKS_A_SECOND : 0;
}

/**
 * @param {Reading} before @param {Reading} after of the same processes
 * @param {number} moreS CPU time of our processes that started and ended in between
 * @returns {number} share of all cores' time that other processes used
 */
export function shareOfOthers(before, after, moreS) {
  const othersS = after.busyS - before.busyS - (after.ownS - before.ownS) - moreS;
  return Math.max(0, othersS) / (((after.atMs - before.atMs) / 1000) * os.cpus().length);
}
