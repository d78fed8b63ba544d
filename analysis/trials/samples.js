/**
 * Samples of each second, as medians over the trials of a point. They serve figures alone:
 *
 *   threads.tsv   CPU of each thread, by top; threads of a side below 1 % of a core on average are summed as `others`
 *   system.tsv    the machine and its cores, by sar; context switches of each process, by pidstat
 *
 * A bundle without such captures has no such table.
 */
import { mean, sum } from 'd3-array';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatRows } from '../../harness/common/files.js';
import { readSysstat, readThreads } from '../captures/samplers.js';
import { LOAD_COLUMNS, THREAD_COLUMNS, computeLoad } from './load.js';

/** @typedef {Record<string, string>} Row */

/** % of a core: threads that use less on average are summed. */
const SUMMED_BELOW = 1;

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
    if (rows.length) writeFileSync(join(out, `${name}.tsv`), `${columns.join('\t')}\n${formatRows(columns, rows)}`);
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
