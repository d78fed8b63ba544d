#!/usr/bin/env node
/**
 * hlog-to-seconds: what a client saw in each second of a trial, while connections were opened and after.
 *
 *     node hlog-to-seconds.js plan.tsv trials-folder trial... > seconds.tsv
 *
 * Of each trial it reads the client's intervals.tsv and latency.hlog. Output: trial, block, era, engine, workload, setting, t_s,
 * connected, due, received, latency_p50_ms, latency_p99_ms; a line a second of the load. A message is filed under the second in which
 * it was due; a percentile is "-" where fewer than ten samples lie beyond it.
 *
 *     trial       block  era    engine   workload  setting              t_s  connected  due   received  latency_p50_ms  latency_p99_ms
 *     b01-ramp-…  1      today  gorilla  ramp      client_processes=50  12   3000       2870  2866      0.21            1.4
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { HistogramLogReader, build } from 'hdr-histogram-js';
import { readTsv } from '../harness/common/files.js';

const PERCENTILES = [50, 99];
/** Samples that must lie beyond a percentile for it to be told. */
const SAMPLES_BEYOND = 10;
/** What hdr-histogram-js calls a histogram without a tag; it does not export the word. */
const NO_TAG = 'NO TAG';

/**
 * @param {string} path of a log, in which a second has a line of each host that made load
 * @returns {Map<number, import('hdr-histogram-js').Histogram>} all of a second as one
 */
function mergeSeconds(path) {
  const seconds = new Map();
  const reader = new HistogramLogReader(readFileSync(path, 'utf8'));
  let startMs; // the first line is second 0
  for (let histogram = reader.nextIntervalHistogram(); histogram; histogram = reader.nextIntervalHistogram()) {
    startMs ??= histogram.startTimeStampMsec;
    if (histogram.tag !== NO_TAG) continue;
    const second = Math.round((histogram.startTimeStampMsec - startMs) / 1000);
    if (!seconds.has(second)) seconds.set(second, build({ bitBucketSize: 64, autoResize: true, numberOfSignificantValueDigits: 3 }));
    seconds.get(second).add(histogram);
  }
  return seconds;
}

/** @param {import('hdr-histogram-js').Histogram} histogram @returns {string[]} its percentiles, in ms */
const listPercentiles = (histogram) => PERCENTILES.map((p) =>
  (histogram.totalCount * (1 - p / 100) < SAMPLES_BEYOND ? '-' : String(histogram.getValueAtPercentile(p) / 1000)));

const [planPath, folder, ...wanted] = process.argv.slice(2);
const KEYS = ['trial', 'block', 'era', 'engine', 'workload', 'setting'];
console.log([...KEYS, 't_s', 'connected', 'due', 'received', ...PERCENTILES.map((p) => `latency_p${p}_ms`)].join('\t'));
for (const planned of readTsv(planPath).filter(({ trial }) => wanted.includes(trial))) {
  const raw = join(folder, planned.trial, 'raw', 'client');
  const seconds = mergeSeconds(join(raw, 'latency.hlog'));
  for (const { t_s, connected, due, received } of readTsv(join(raw, 'intervals.tsv'))) {
    if (Number(t_s) >= Number(planned.to_s)) continue;
    const own = seconds.get(Number(t_s));
    const reported = own ? listPercentiles(own) : PERCENTILES.map(() => '-');
    console.log([...KEYS.map((key) => planned[key]), t_s, connected, due, received, ...reported].join('\t'));
  }
}
