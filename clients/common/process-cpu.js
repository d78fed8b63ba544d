import { readFileSync } from 'node:fs';

// Clock ticks per second in /proc/PID/stat: USER_HZ, 100 on every architecture that Node runs on.
const TICKS_HZ = 100;

/**
 * Reads the CPU time of a process since its start from the kernel's accounting (proc(5), utime and stime).
 * @param {number|string} pid
 * @returns {number} seconds, to 0.01
 * @throws {Error} when there is no such process
 */
export function readCpu_s(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' '); // from field 3, the state: the name may hold spaces
  return (Number(fields[11]) + Number(fields[12])) / TICKS_HZ;
}
