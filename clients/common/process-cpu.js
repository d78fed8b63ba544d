import { readFileSync } from 'node:fs';

// Ticks a second of /proc/PID/stat: USER_HZ, which is 100 in Linux's interface to programs on every architecture Node runs on.
const TICKS_HZ = 100;

/**
 * Reads the CPU time that a process has used since it started, from the kernel's accounting (proc(5), utime and stime).
 * @param {number|string} pid
 * @returns {number} seconds, to 0.01
 * @throws {Error} when there is no such process
 */
export function readCpu_s(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' '); // from field 3, the state: the name may hold spaces
  return (Number(fields[11]) + Number(fields[12])) / TICKS_HZ;
}
