import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import hdr from 'hdr-histogram-js';
import { COLUMNS, HISTOGRAMS } from './seconds.js';

/**
 * Writes the record files of CONTRACT.md, each one completely or not at all.
 * @param {string} folder
 * @param {Pick<import('./seconds.js').Seconds, 'intervals' | 'seconds' | 'load_s'>} tally
 * @param {object} summary the content of summary.json
 * @param {number} startEpoch_ms wall-clock time of the start
 */
export function writeRecords(folder, tally, summary, startEpoch_ms) {
  const lines = [COLUMNS, ...tally.intervals()].map((line) => line.join('\t') + '\n');
  writeWhole(folder, 'intervals.tsv', lines.join(''));
  const loaded = tally.seconds.slice(0, tally.load_s); // no message is due and no connection is opened during the drain
  for (const name of HISTOGRAMS) {
    writeWhole(folder, `${name}.hlog`, formatLog(loaded.map((second) => second[name]), startEpoch_ms));
  }
  writeWhole(folder, 'summary.json', JSON.stringify(summary, null, 2) + '\n');
}

/**
 * Formats an HdrHistogram log V2 (version 1.3). Times are seconds since the start; maxima are in µs.
 * The histograms resize themselves, so a histogram that merges them must be built with autoResize.
 * @param {import('hdr-histogram-js').Histogram[]} histograms one per second
 * @param {number} startEpoch_ms
 * @returns {string}
 */
export function formatLog(histograms, startEpoch_ms) {
  let text = '';
  const writer = new hdr.HistogramLogWriter((part) => (text += part));
  writer.outputLogFormatVersion();
  writer.outputComment(`[StartTime: ${(startEpoch_ms / 1000).toFixed(3)} (seconds since epoch)]`);
  writer.outputLegend();
  histograms.forEach((histogram, t_s) => writer.outputIntervalHistogram(histogram, t_s, t_s + 1, 1));
  return text;
}

/**
 * @param {string} folder
 * @param {string} name
 * @param {string} text
 */
export function writeWhole(folder, name, text) {
  const path = join(folder, name);
  writeFileSync(`${path}.tmp`, text);
  renameSync(`${path}.tmp`, path);
}
