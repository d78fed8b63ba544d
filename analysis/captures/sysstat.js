/** What sar says of the machine, and pidstat of the switches of each process, second by second. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { awkRows } from './filters.js';

/** Filters, and what each reads. */
const FILES = { 'sar-to-series.awk': ['samplers.tsv', 'sar.txt'], 'pidstat-to-series.awk': ['samplers.tsv', 'accounts.tsv', 'pidstat.txt'] };

/** @param {string} folder of one host's captures @returns {Record<string, string>[]} t_s, side, process, quantity, value */
export const readSysstat = (folder) =>
  Object.entries(FILES).flatMap(([filter, names]) => {
    const files = names.map((name) => join(folder, name));
    return files.every((path) => existsSync(path)) ? awkRows([filter], files) : [];
  });
