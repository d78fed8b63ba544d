/** The kernel's data on a process of any user: proc(5). */
import { readFileSync } from 'node:fs';

/** @param {string} path below /proc @returns {string} '' when the process is gone, or not ours to read */
export function readProc(path) {
  try {
    return readFileSync(`/proc/${path}`, 'latin1');
  } catch {
    return '';
  }
}

/** @typedef {{pid: number, state: string, parent: number, session: number, flags: number, began: string}} Stat as proc(5) has it */

/** @param {number} pid @returns {Stat | undefined} undefined if it is gone */
export function readStat(pid) {
  const stat = readProc(`${pid}/stat`);
  if (!stat) return undefined;
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' '); // the name may hold spaces and brackets
  return { pid, state: fields[0], parent: Number(fields[1]), session: Number(fields[3]), flags: Number(fields[6]), began: fields[19] };
}

/** @param {Stat | undefined} stat @returns {boolean} does it run, or could it? A zombie has ended */
export const isAlive = (stat) => stat !== undefined && !'ZX'.includes(stat.state);
