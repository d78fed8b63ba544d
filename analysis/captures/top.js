/** CPU of each process as top sampled it: top-to-series.awk reads what top printed. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { awkRows } from './filters.js';

/** @param {string} folder of one host's captures @returns {Record<string, string>[]} t_s, side, process, pid, cpu_pct */
export function readTop(folder) {
  if (!existsSync(join(folder, 'top.txt'))) return [];
  const files = ['samplers.tsv', 'accounts.tsv', 'threads.tsv', 'top.txt'].map((name) => join(folder, name));
  return awkRows(
    ['top-to-series.awk'],
    files.filter((path) => existsSync(path)),
  );
}
