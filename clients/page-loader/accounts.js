/** The cost of a load in the kernel's accounts: CPU time of the browser's processes, and bytes through this host's network device. */
import { readFileSync, readdirSync } from 'node:fs';
import { listDescendants } from '../common/browser-program.js';

/** @param {number} pid @returns {number} CPU time of its threads in ms (task/<tid>/schedstat); 0 if it has exited */
function readCpu_ms(pid) {
  try {
    const threads = readdirSync(`/proc/${pid}/task`).map((tid) => readFileSync(`/proc/${pid}/task/${tid}/schedstat`, 'latin1'));
    return threads.reduce((sum, text) => sum + Number(text.split(' ')[0]), 0) / 1e6;
  } catch {
    return 0;
  }
}

/** @returns {Map<number, number>} CPU time in ms of each process of the browser */
export const readBrowser = () => new Map(listDescendants(process.pid).map((pid) => [pid, readCpu_ms(pid)]));

/** @typedef {Map<number, number>} Used CPU time in ms by process */

/** @param {Used} before @param {Used} after @returns {number} ms; all the time of a process that started in between counts */
export const usedBetween = (before, after) => [...after].reduce((sum, [pid, ms]) => sum + Math.max(0, ms - (before.get(pid) ?? 0)), 0);

/**
 * @param {Used} first the processes at the beginning
 * @param {Used[]} later readings in order of time, each taken before a page and its process end
 * @returns {number} ms of all processes that started later, each by its last reading
 */
export function usedByNew(first, later) {
  const last = new Map(later.flatMap((used) => [...used]));
  return [...last].reduce((sum, [pid, ms]) => sum + (first.has(pid) ? 0 : ms), 0);
}

/**
 * @param {string} host of the server
 * @returns {{up_b: number, down_b: number} | undefined} bytes through the device; undefined on loopback, which others use too
 */
export function readDevice(host) {
  if (host.startsWith('127.')) return undefined;
  const rows = readFileSync('/proc/self/net/dev', 'latin1').split('\n').map((row) => row.trim().split(/[:\s]+/));
  const device = rows.find(([name, ...cells]) => cells.length > 8 && name !== 'lo' && /^\d+$/.test(cells[0]));
  return device && { up_b: Number(device[9]), down_b: Number(device[1]) };
}
