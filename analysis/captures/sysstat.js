/** Samples of the machine by sar, and of each process's context switches by pidstat, second by second. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { awkRows } from './filters.js';

/** Filters and their input files. */
const FILES = { 'sar-to-series.awk': ['samplers.tsv', 'sar.txt'], 'pidstat-to-series.awk': ['samplers.tsv', 'accounts.tsv', 'pidstat.txt'] };

/** @param {string} folder of one host's captures @returns {Record<string, string>[]} t_s, side, process, quantity, value */
export const readSysstat = (folder) =>
  Object.entries(FILES).flatMap(([filter, names]) => {
    const files = names.map((name) => join(folder, name));
    return files.every((path) => existsSync(path)) ? awkRows(filter, files) : [];
  });
