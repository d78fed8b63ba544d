/** CPU of each process and thread, sampled by top; top-to-series.awk parses its output. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { awkRows } from './filters.js';

/** @typedef {Record<string, string>} Row */

/**
 * @param {string} folder of one host's captures
 * @param {'process' | 'thread'} [by]
 * @returns {Row[]} t_s, side, process, pid, cpu_pct; by thread, also tid and name
 */
export function readTop(folder, by = 'process') {
  if (!existsSync(join(folder, 'top.txt'))) return [];
  const files = ['samplers.tsv', 'accounts.tsv', 'threads.tsv', 'top.txt'].map((name) => join(folder, name));
  return awkRows('top-to-series.awk', files.filter((path) => existsSync(path)), { by });
}

/**
 * @param {string} folder of one host's captures
 * @returns {Row[]} t_s, side, process, thread, quantity, value: a process's first thread is `main`; the others have top's names, with a
 *   number if several are alike
 */
export function readThreads(folder) {
  if (!existsSync(join(folder, 'threads.tsv'))) return [];
  const rows = readTop(folder, 'thread');
  const names = new Map();
  for (const own of Map.groupBy(rows, ({ pid }) => pid).values()) {
    const threads = [...new Map(own.map((row) => [row.tid, row])).values()].sort((a, b) => Number(a.tid) - Number(b.tid));
    for (const alike of Map.groupBy(threads.filter(({ tid, pid }) => tid !== pid), ({ name }) => name).values()) {
      alike.forEach(({ tid, name }, index) => names.set(tid, alike.length > 1 ? `${name} ${index + 1}` : name));
    }
  }
  return rows.map(({ tid, cpu_pct, ...row }) => ({ ...row, thread: names.get(tid) ?? 'main', quantity: 'cpu_pct', value: cpu_pct }));
}
