/**
 * The data of the figure, from each engine's first valid trial:
 *
 *   browser.tsv        pings over time (count: page, worker, clients): shown by the page, counted by the worker, sent by
 *                      the clients since the start
 *   live-<engine>.png  the page in the middle of the window; end-<engine>.png: at the end, with final counts
 */
import { cumsum } from 'd3-array';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { readTsv } from '../../harness/common/files.js';

const SCREENSHOTS = { live: 'screenshot-live.png', end: 'screenshot.png' };

/** @param {string} raw @returns {{t_s: string | number, count: string, value: string | number}[]} */
function listCounts(raw) {
  const page = readTsv(join(raw, 'browser/page.tsv')).flatMap(({ t_s, page_count, worker_count }) => [
    { t_s, count: 'page', value: page_count },
    { t_s, count: 'worker', value: worker_count },
  ]);
  const seconds = readTsv(join(raw, 'client/intervals.tsv'));
  const sent = cumsum(seconds, (second) => Number(second.sent));
  return [...page, ...seconds.map(({ t_s }, index) => ({ t_s: Number(t_s) + 1, count: 'clients', value: sent[index] }))];
}

/** @param {import('../../analysis/points/tables.js').Tables} tables */
export function makeTables({ read, write, out, rawOf, hasCaptures }) {
  if (!hasCaptures) return; // a published record already contains these tables
  const trials = read('trials');
  const firsts = trials.filter(({ engine }, index) => trials.findIndex((row) => row.engine === engine) === index);
  const rows = firsts.flatMap(({ trial, era, engine }) => listCounts(rawOf(trial)).map((row) => ({ trial, era, engine, ...row })));
  write('browser', ['trial', 'era', 'engine', 't_s', 'count', 'value'], rows);
  for (const { trial, engine } of firsts) {
    for (const [name, file] of Object.entries(SCREENSHOTS)) {
      copyFileSync(join(rawOf(trial), 'browser', file), join(out, `${name}-${engine}.png`));
    }
  }
}
