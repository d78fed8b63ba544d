/** The kernel's data on a process of any user: proc(5). */
import { readFileSync, readlinkSync } from 'node:fs';

/** Pids are unique within a namespace only, and several namespaces may share a folder. */
export const PID_NAMESPACE = Number(/\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0]).toString(36);

/** @param {string} path below /proc @returns {string} '' when the process is gone, or not ours to read */
export function readProc(path) {
  try {
    return readFileSync(`/proc/${path}`, 'latin1');
  } catch {
    return '';
  }
}

/**
 * @typedef {{pid: number, state: string, parent: number, session: number, flags: number, began: string, ticks: number}} Stat proc(5);
 *   `ticks`: of user and system time
 */

/** @param {number} pid @returns {Stat | undefined} undefined if it is gone */
export function readStat(pid) {
  const stat = readProc(`${pid}/stat`);
  if (!stat) return undefined;
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' '); // the name may hold spaces and brackets
  const [parent, session, flags, user, system] = [1, 3, 6, 11, 12].map((at) => Number(fields[at]));
  return { pid, state: fields[0], parent, session, flags, began: fields[19], ticks: user + system };
}

/** @param {Stat | undefined} stat @returns {boolean} does it run, or could it? A zombie has ended */
export const isAlive = (stat) => stat !== undefined && !'ZX'.includes(stat.state);
