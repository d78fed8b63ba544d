#!/usr/bin/env node
/**
 * hlog-to-percentiles: percentiles of the window from HdrHistogram logs, merged, never averaged.
 *
 *     node hlog-to-percentiles.js plan.tsv trials-folder trial... > percentiles
 *
 * For each trial the intervals of latency.hlog (from the intended send time), service.hlog (from the actual one) and
 * connect.hlog are merged: the first two over the window (from_s to to_s of plan.tsv), connect over the whole trial. A log's
 * histograms without a tag are the whole; those with one are parts of it, such as the TCP connect alone, and are not read.
 * Of a sweep (raw/steps.tsv) latency.hlog is merged over each step as well: series step_<n>, with the mean in the place of one percentile.
 * The seconds of a step that a rule flags (validity.tsv), and of the lead before it, are left out of all.
 *
 * Output: trial, series, percentile, value_us, samples. A percentile p is printed only where at least ten samples
 * lie beyond it: 20 for the median, 1,000 for the 99th, 10,000 for the 99.9th. A message that was never answered counts as
 * one that took longer than all others: a percentile that falls among them is left out.
 *
 *     trial                      series   percentile  value_us  samples
 *     b01-socket.io-2014-listed  latency  99          4711      2290
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { HistogramLogReader, build } from 'hdr-histogram-js';
import { readJson, readTsv } from '../harness/common/files.js';
import { listSpans, severityOf } from '../harness/judge/steps.js';

const SERIES = ['latency', 'service', 'connect'];
const PERCENTILES = [50, 90, 99, 99.9];
/** Samples that must lie beyond a percentile for it to be printed. */
const SAMPLES_BEYOND = 10;

/** What hdr-histogram-js calls it; it does not export the word. */
const NO_TAG = 'NO TAG';

/**
 * @param {string} folder of a trial @param {number} fromS of the window
 * @returns {{step: number, from_s: number, to_s: number}[]} the disturbed steps of a sweep, each from the end of the one before
 */
function readDisturbed(folder, fromS) {
  const flagged = new Set(readTsv(join(folder, 'validity.tsv')).map(({ severity }) => severity));
  return listSpans(readTsv(join(folder, 'raw', 'steps.tsv')), fromS)
    .filter(({ step }) => /** @type {const} */ (['all', 'latency']).some((leaves) => flagged.has(severityOf({ step, leaves }))));
}

/**
 * @param {string} path @param {number} fromS @param {number} toS @param {{from_s: number, to_s: number}[]} [without]
 * @returns {import('hdr-histogram-js').Histogram}
 */
function mergeLog(path, fromS, toS, without = []) {
  const isOut = (/** @type {number} */ second) => without.some(({ from_s, to_s }) => second >= from_s && second < to_s);
  const merged = build({ bitBucketSize: 64, autoResize: true, numberOfSignificantValueDigits: 3 });
  const reader = new HistogramLogReader(readFileSync(path, 'utf8'));
  let startMs; // the reader gives wall-clock times; the first line is second 0
  for (let histogram = reader.nextIntervalHistogram(); histogram; histogram = reader.nextIntervalHistogram()) {
    startMs ??= histogram.startTimeStampMsec;
    const second = Math.round((histogram.startTimeStampMsec - startMs) / 1000);
    if (histogram.tag === NO_TAG && second >= fromS && second < toS && !isOut(second)) merged.add(/** @type {any} */ (histogram));
  }
  return merged;
}

/**
 * @param {string} raw folder of the client's records @param {{from_s: number, to_s: number}[]} disturbed
 * @returns {number} messages of the window that were never answered, but for those due in disturbed steps. The log and the
 *   table have both a message in the second in which it was due.
 */
function countMissing(raw, disturbed) {
  const { missing } = readJson(join(raw, 'summary.json')).window;
  if (disturbed.length === 0) return missing;
  const seconds = readTsv(join(raw, 'intervals.tsv'));
  const dueIn = (/** @type {number} */ fromS, /** @type {number} */ toS) =>
    seconds.reduce((sum, { t_s, due }) => sum + (Number(t_s) >= fromS && Number(t_s) < toS ? Number(due) : 0), 0);
  const lost = disturbed.map(({ from_s, to_s }) => dueIn(from_s, to_s) - mergeLog(join(raw, 'latency.hlog'), from_s, to_s).totalCount);
  return Math.max(0, missing - lost.reduce((sum, count) => sum + count, 0));
}

/** @param {string} folder @param {string} trial @param {number} fromS @param {number} toS @returns {string[]} lines */
function reducePercentiles(folder, trial, fromS, toS) {
  const raw = join(folder, trial, 'raw', 'client');
  const disturbed = readDisturbed(join(folder, trial), fromS);
  const missing = countMissing(raw, disturbed);
  return SERIES.flatMap((series) => {
    const path = join(raw, `${series}.hlog`);
    if (!existsSync(path)) return [];
    const merged = series === 'connect' ? mergeLog(path, 0, toS) : mergeLog(path, fromS, toS, disturbed);
    return listPercentiles(merged, series === 'connect' ? 0 : missing).map((cells) => [trial, series, ...cells].join('\t'));
  });
}

/**
 * @param {string} folder @param {string} trial @param {number} fromS
 * @returns {string[]} lines; a step's unanswered messages are not told from another's, and not counted
 */
function reduceSteps(folder, trial, fromS) {
  const raw = join(folder, trial, 'raw');
  const disturbed = readDisturbed(join(folder, trial), fromS).map(({ step }) => String(step));
  return readTsv(join(raw, 'steps.tsv')).filter(({ step }) => !disturbed.includes(step)).flatMap(({ step, from_s, to_s }) => {
    const merged = mergeLog(join(raw, 'client', 'latency.hlog'), Number(from_s), Number(to_s));
    const mean = merged.totalCount > 0 ? [['mean', merged.mean.toFixed(1), merged.totalCount]] : [];
    return [...listPercentiles(merged, 0), ...mean].map((cells) => [trial, `step_${step}`, ...cells].join('\t'));
  });
}

/** @param {import('hdr-histogram-js').Histogram} merged @param {number} unanswered @returns {number[][]} percentile, value, samples */
function listPercentiles(merged, unanswered) {
  const samples = merged.totalCount + unanswered;
  const among = (/** @type {number} */ percentile) => (percentile * samples) / merged.totalCount; // the answered ones
  return PERCENTILES.filter((percentile) => samples * (1 - percentile / 100) >= SAMPLES_BEYOND - 1e-9 && among(percentile) <= 100)
    .map((percentile) => [percentile, merged.getValueAtPercentile(among(percentile)), samples]);
}

const [plan, folder, ...trials] = process.argv.slice(2);
const rows = new Map(readTsv(plan).map((row) => [row.trial, row]));
console.log(['trial', 'series', 'percentile', 'value_us', 'samples'].join('\t'));
for (const trial of trials) {
  const row = rows.get(trial);
  if (!row) throw new Error(`${plan}: no trial "${trial}"`);
  for (const line of reducePercentiles(folder, trial, Number(row.from_s), Number(row.to_s))) console.log(line);
  if (existsSync(join(folder, trial, 'raw', 'steps.tsv'))) for (const line of reduceSteps(folder, trial, Number(row.from_s))) console.log(line);
}
