/** Memory of an idle connection, in the server's processes and in the kernel. */
import { sum as sumOf } from 'd3-array';

/** @typedef {Record<string, string>} Row */

/** @param {Row[]} rows @param {string} column @returns {number} the increase from the mark `start` to the window's end */
function addedOf(rows, column) {
  const at = (/** @type {string} */ mark) => sumOf(rows.filter((row) => row.mark === mark).map((row) => Number(row[column])));
  return at('window_end') - at('start');
}

/**
 * Computes the increase per connection since the start: resident memory of the server's processes, and memory of the kernel. If
 * the load runs on the same machine, the kernel holds both ends of each connection. They are alike unless their owners set socket
 * options, so half counts as the server's.
 * @param {Row[]} accounts @param {Row[]} host its marks, with kernel_kb; old captures lack it
 * @param {Row[]} intervals of the client; no metrics if any message fell due @returns {[string, number][]} metrics
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
