/** What the samplers of the thesis saw, second by second: CPU by top, the machine by sar, context switches by pidstat. awk reads it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseTsv } from '../../harness/common/files.js';
import { lastWords, runProgram } from '../../harness/common/programs.js';

/** @typedef {Record<string, string>} Row */

/**
 * @param {string} filter of this folder, for awk @param {string[]} files @param {string[]} [options]
 * @returns {Row[]} the table that it writes @throws {Error}
 */
function runFilter(filter, files, options = []) {
  const argv = ['awk', ...options, '-f', join(import.meta.dirname, filter), ...files];
  const ended = runProgram(argv, { env: { ...process.env, LC_ALL: 'C' } });
  if (ended.status !== 0) throw new Error(`${argv.join(' ')}: ${lastWords(ended)}`);
  return parseTsv(ended.stdout);
}

/** Filters of sar and pidstat, and their input files. */
const FILES = { 'sar-to-series.awk': ['samplers.tsv', 'sar.txt'], 'pidstat-to-series.awk': ['samplers.tsv', 'accounts.tsv', 'pidstat.txt'] };

/** @param {string} folder of one host's captures @returns {Row[]} t_s, side, process, quantity, value */
export const readSysstat = (folder) => Object.entries(FILES).flatMap(([filter, names]) => {
  const files = names.map((name) => join(folder, name));
  return files.every((path) => existsSync(path)) ? runFilter(filter, files) : [];
});

/**
 * @param {string} folder of one host's captures @param {'process' | 'thread'} [by]
 * @returns {Row[]} CPU by top: t_s, side, process, pid, cpu_pct; by thread, also tid and name
 */
export function readTop(folder, by = 'process') {
  if (!existsSync(join(folder, 'top.txt'))) return [];
  const files = ['samplers.tsv', 'accounts.tsv', 'threads.tsv', 'top.txt'].map((name) => join(folder, name));
  return runFilter('top-to-series.awk', files.filter((path) => existsSync(path)), ['-v', `by=${by}`]);
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
