/**
 * Samples of each second, as medians over the trials of a point. They serve figures alone:
 *
 *   threads.tsv   CPU of each thread, by top; threads of a side below 1 % of a core on average are summed as `others`
 *   system.tsv    the machine and its cores, by sar; context switches of each process, by pidstat
 *
 * A bundle without such captures has no such table.
 */
import { group, mean, median, sum } from 'd3-array';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { writeTsv } from '../../harness/common/files.js';
import { readSysstat, readThreads } from '../captures/samplers.js';
import { digitsOf } from '../digits.js';

/** @typedef {Record<string, string>} Row */

/** % of a core: threads that use less on average are summed. */
const SUMMED_BELOW = 1;
const LINE = ['era', 'engine', 'workload', 'setting', 'side', 'process', 'thread', 'quantity'];
const THREAD_COLUMNS = [...LINE, 't_s', 'n', 'median', 'least', 'most'];
export const LOAD_COLUMNS = THREAD_COLUMNS.filter((column) => column !== 'thread');

/**
 * @param {Row[]} series CPU of processes or threads, connections, or other samples
 * @returns {Record<string, string | number>[]} by rounded seconds: top samples at a fraction of a second, another in each trial
 */
export function computeLoad(series) {
  const lines = group(series, (row) => LINE.map((column) => row[column]).join('\t'), ({ t_s }) => Math.trunc(Number(t_s) + 0.5));
  return [...lines.values()].flatMap((seconds) => [...seconds].sort(([a], [b]) => a - b).map(([t_s, rows]) => {
    const values = rows.map(({ value }) => Number(value));
    const [middle, least, most] = [Number(median(values)), Math.min(...values), Math.max(...values)].map((each) => digitsOf(each));
    return { ...Object.fromEntries(LINE.map((column) => [column, rows[0][column]])), t_s, n: values.length, median: middle, least, most };
  }));
}

/**
 * @param {string} raw
 * @returns {{folder: string, on: string}[]} the server's captures are in `raw` itself, those of other hosts below hosts/
 */
export function listHosts(raw) {
  const others = existsSync(join(raw, 'hosts')) ? readdirSync(join(raw, 'hosts')).sort() : [];
  return [{ folder: raw, on: '' }, ...others.map((name) => ({ folder: join(raw, 'hosts', name), on: ` on ${name}` }))];
}

/** @param {string} bundle @param {Row[]} plan the lines of the kept trials @param {string} out a folder */
export function writeSamples(bundle, plan, out) {
  const points = [...Map.groupBy(plan, ({ point }) => point).values()];
  const readEach = (/** @type {Row[]} */ trials, /** @type {(folder: string) => Row[]} */ read) =>
    trials.flatMap((row) => readTrial(bundle, row, read));
  const write = (/** @type {string} */ name, /** @type {string[]} */ columns, /** @type {Record<string, unknown>[]} */ rows) => {
    if (rows.length) writeTsv(join(out, `${name}.tsv`), columns, rows);
  };
  write('threads', THREAD_COLUMNS, points.flatMap((trials) => computeLoad(sumIdle(readEach(trials, readThreads)))));
  write('system', LOAD_COLUMNS, points.flatMap((trials) => computeLoad(readEach(trials, readSysstat))));
}

/** @param {string} bundle @param {Row} row of the plan @param {(folder: string) => Row[]} read @returns {Row[]} up to the window's end */
function readTrial(bundle, row, read) {
  const isOfLoad = (/** @type {Row} */ { t_s, side, process }) =>
    side !== 'capture' && !process.startsWith('recorder') && Number(t_s) <= Number(row.to_s) + 0.5;
  return listHosts(join(bundle, 'trials', row.trial, 'raw')).flatMap(({ folder, on }) =>
    read(folder).filter(isOfLoad).map((sample) => ({ ...row, ...sample, process: `${sample.process}${on}` })));
}

/** @param {Row[]} samples of the threads of a point @returns {Row[]} with the idle threads of each side summed */
function sumIdle(samples) {
  const threads = [...Map.groupBy(samples, ({ process, thread }) => `${process}\t${thread}`).values()];
  const isIdle = (/** @type {Row[]} */ own) => Number(mean(own, ({ value }) => Number(value))) < SUMMED_BELOW;
  const idle = Map.groupBy(threads.filter(isIdle).flat(), ({ trial, side, t_s }) => [trial, side, t_s].join('\t'));
  const sums = [...idle.values()].map((own) => ({ ...own[0], process: 'others', thread: 'others', value: String(sum(own, ({ value }) => Number(value))) }));
  return [...threads.filter((own) => !isIdle(own)).flat(), ...sums];
}
