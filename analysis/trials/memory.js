/** Bytes that an idle connection takes, of the server's processes and of the kernel. */
import { sum as sumOf } from 'd3-array';

/** @typedef {Record<string, string>} Row */

/** @param {Row[]} rows @param {string} column @returns {number} what was added from the mark `start` to the window's end */
function addedOf(rows, column) {
  const at = (/** @type {string} */ mark) => sumOf(rows.filter((row) => row.mark === mark).map((row) => Number(row[column])));
  return at('window_end') - at('start');
}

/**
 * What was added since the start, over the connections: resident memory of the server's processes, and the kernel's.
 * Where the load's processes are on the same machine the kernel holds both ends of a connection, alike but for what
 * their owners set: a half is the server's.
 * @param {Row[]} accounts @param {Row[]} host its marks, with kernel_kb; captures of then do not have it
 * @param {Row[]} intervals of the client; where any message fell due there is nothing to tell @returns {[string, number][]} metrics
 */
export function computeMemory(accounts, host, intervals) {
  const connected = Math.max(0, ...intervals.map((row) => Number(row.connected)));
  const isTold = Number(host.findLast(({ mark }) => mark === 'window_end')?.kernel_kb) > 0;
  if (!isTold || connected === 0 || intervals.some(({ due }) => Number(due) > 0)) return [];
  // a client of another host is "host:pid"
  const isShared = accounts.some(({ side, pid }) => side === 'client' && !pid.includes(':'));
  const kernel_b = (1024 * addedOf(host, 'kernel_kb')) / (isShared ? 2 : 1) / connected;
  const server_b = (1024 * addedOf(accounts.filter(({ side }) => side === 'server'), 'rss_kb')) / connected;
  return [
    ['server_b_per_idle_connection', server_b],
    ['kernel_b_per_idle_connection', kernel_b],
    ['memory_b_per_idle_connection', server_b + kernel_b],
  ];
}
