/** What a load costs, by the kernel's accounts: CPU of the browser's processes, and bytes of this end's device. */
import { readFileSync, readdirSync } from 'node:fs';
import { listDescendants } from '../common/browser-program.js';

/** @param {number} pid @returns {number} ms that its threads ran (task/<tid>/schedstat); 0 when it is gone */
function readCpu_ms(pid) {
  try {
    const threads = readdirSync(`/proc/${pid}/task`).map((tid) => readFileSync(`/proc/${pid}/task/${tid}/schedstat`, 'latin1'));
    return threads.reduce((sum, text) => sum + Number(text.split(' ')[0]), 0) / 1e6;
  } catch {
    return 0;
  }
}

/** @returns {Map<number, number>} of each process of the browser, the ms that it has run */
export const readBrowser = () => new Map(listDescendants(process.pid).map((pid) => [pid, readCpu_ms(pid)]));

/** @typedef {Map<number, number>} Used of each process, the ms that it has run */

/** @param {Used} before @param {Used} after @returns {number} ms; a process that has begun meanwhile counts whole */
export const usedBetween = (before, after) => [...after].reduce((sum, [pid, ms]) => sum + Math.max(0, ms - (before.get(pid) ?? 0)), 0);

/**
 * @param {Used} first the processes that were there at the beginning
 * @param {Used[]} later one reading after the other, each before a page and its process end
 * @returns {number} ms of those that were not: what each had used when it was last seen
 */
export function usedByNew(first, later) {
  const last = new Map(later.flatMap((used) => [...used]));
  return [...last].reduce((sum, [pid, ms]) => sum + (first.has(pid) ? 0 : ms), 0);
}

/**
 * @param {string} host of the server
 * @returns {{up_b: number, down_b: number} | undefined} what has passed the device; none on loopback, where others' packets pass as well
 */
export function readDevice(host) {
  if (host.startsWith('127.')) return undefined;
  const rows = readFileSync('/proc/self/net/dev', 'latin1').split('\n').map((row) => row.trim().split(/[:\s]+/));
  const device = rows.find(([name, ...cells]) => cells.length > 8 && name !== 'lo' && /^\d+$/.test(cells[0]));
  return device && { up_b: Number(device[9]), down_b: Number(device[1]) };
}
