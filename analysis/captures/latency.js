/** Latencies of a client, from its HdrHistogram logs: merged, never averaged. */
import { sum } from 'd3-array';
import { HistogramLogReader, build } from 'hdr-histogram-js';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FORM, hasOldNumbers } from '../../harness/common/bundle.js';
import { readJson, readTsv } from '../../harness/common/files.js';

/** @typedef {import('hdr-histogram-js').Histogram} Histogram */

/**
 * The tag of an untagged histogram in hdr-histogram-js, which does not export it. Tagged histograms are parts of the
 * untagged one, such as the TCP connect alone.
 */
const NO_TAG = 'NO TAG';

/** @returns {Histogram} */
const begin = () => build({ bitBucketSize: 64, autoResize: true, numberOfSignificantValueDigits: 3 });

/**
 * @template Key
 * @param {string} path of a log, with a line per second for each host that made load
 * @param {(second: number) => Key | undefined} keyOf the key that a second since the start is merged into; undefined: none
 * @returns {Map<Key, Histogram>}
 */
export function mergeLog(path, keyOf) {
  /** @type {Map<Key, Histogram>} */
  const merged = new Map();
  if (!existsSync(path)) return merged;
  const reader = new HistogramLogReader(readFileSync(path, 'utf8'));
  let start_ms; // the reader gives wall-clock times; the first line is second 0
  for (let histogram = reader.nextIntervalHistogram(); histogram; histogram = reader.nextIntervalHistogram()) {
    start_ms ??= histogram.startTimeStampMsec;
    const key = keyOf(Math.round((histogram.startTimeStampMsec - start_ms) / 1000));
    if (key === undefined || histogram.tag !== NO_TAG) continue;
    if (!merged.has(key)) merged.set(key, begin());
    merged.get(key)?.add(/** @type {any} */ (histogram));
  }
  return merged;
}

const SERIES = ['latency', 'service', 'connect'];
const PERCENTILES = [50, 90, 99, 99.9];
/** A percentile needs this many samples beyond it. */
const SAMPLES_BEYOND = 10;

/** @param {number} samples @param {number} percentile @returns {boolean} are there enough for it? */
export const isEnoughFor = (samples, percentile) => samples * (1 - percentile / 100) >= SAMPLES_BEYOND - 1e-9;

/** @typedef {{from_s: number, to_s: number}} Span */
/**
 * `series`: latency (from the intended send time), service (from the actual one), connect, or step_<n> of a sweep;
 * `percentile` may be "mean" for a step. `samples` is the number of messages, in a step the answered ones.
 * @typedef {{series: string, percentile: number | 'mean', value_us: number, samples: number}} Percentile
 */

/** @param {Span} span @param {number} second @returns {boolean} */
const isIn = ({ from_s, to_s }, second) => second >= from_s && second < to_s;

/**
 * Percentiles of the window and of each step of a sweep. Percentiles of connect cover the trial up to the window's end. An
 * unanswered message counts as slower than all others, and so does one that was never sent for want of the server. A step does
 * not count unanswered messages, since they cannot be assigned to it. The seconds of a flagged step, with its lead-in, are left
 * out.
 * @param {string} client folder of its records @param {Span} window
 * @param {{step: number, from_s: number, to_s: number}[]} [steps] of a sweep, without flagged ones
 * @param {Span[]} [disturbed] the flagged steps, each from the end of the step before @param {number} [form] of the bundle
 * @returns {Percentile[]}
 */
export function readPercentiles(client, window, steps = [], disturbed = [], form = FORM) {
  const unanswered = countUnanswered(client, disturbed, form);
  const isOut = (/** @type {number} */ second) => disturbed.some((span) => isIn(span, second));
  const whole = SERIES.flatMap((series) => {
    const span = series === 'connect' ? { ...window, from_s: 0 } : window;
    const isKept = (/** @type {number} */ second) => isIn(span, second) && (series === 'connect' || !isOut(second));
    const merged = mergeLog(join(client, `${series}.hlog`), (second) => (isKept(second) ? series : undefined)).get(series);
    return merged ? listPercentiles(series, merged, unanswered[series]) : [];
  });
  if (steps.length === 0) return whole;
  const logs = mergeLog(join(client, 'latency.hlog'), (second) => steps.find((step) => isIn(step, second))?.step);
  const ofSteps = [...logs].sort(([a], [b]) => a - b).flatMap(([step, merged]) => describeStep(`step_${step}`, merged));
  return [...whole, ...ofSteps];
}

/**
 * @param {string} client @param {Span[]} disturbed @param {number} form
 * @returns {Record<string, number>} for each series the unanswered messages of the window, except those due in disturbed
 *   steps. Both the log and the table count a message in the second in which it was due. What was never sent has a latency,
 *   but no service time
 */
function countUnanswered(client, disturbed, form) {
  const { missing, unsent_remote = 0 } = readJson(join(client, 'summary.json')).window;
  const unsent = hasOldNumbers({ form }) ? 0 : unsent_remote;
  if (disturbed.length === 0) return { latency: missing + unsent, service: missing, connect: 0 };
  const seconds = readTsv(join(client, 'intervals.tsv'));
  const answered = mergeLog(join(client, 'latency.hlog'), (second) => disturbed.find((span) => isIn(span, second)));
  const lost = sum(disturbed, (span) => {
    const due = sum(seconds, (row) => (isIn(span, Number(row.t_s)) ? Number(row.due) : 0));
    return due - (answered.get(span)?.totalCount ?? 0);
  });
  return { latency: Math.max(0, missing + unsent - lost), service: Math.max(0, missing - lost), connect: 0 };
}

/** @param {string} series @param {Histogram} merged @returns {Percentile[]} with the mean */
function describeStep(series, merged) {
  if (merged.totalCount === 0) return [];
  const mean = Number(merged.mean.toFixed(1));
  return [...listPercentiles(series, merged, 0), { series, percentile: 'mean', value_us: mean, samples: merged.totalCount }];
}

/** @param {string} series @param {Histogram} merged @param {number} unanswered @returns {Percentile[]} those with enough samples */
function listPercentiles(series, merged, unanswered) {
  const samples = merged.totalCount + unanswered;
  const among = (/** @type {number} */ percentile) => (percentile * samples) / merged.totalCount; // among the answered ones
  return PERCENTILES.filter((percentile) => isEnoughFor(samples, percentile) && among(percentile) <= 100).map((percentile) => {
    const value_us = merged.getValueAtPercentile(among(percentile));
    return { series, percentile, value_us, samples };
  });
}
