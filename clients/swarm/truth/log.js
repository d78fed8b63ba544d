/** Reads a log of HdrHistograms with one interval per second. */
import { readFileSync } from 'node:fs';
import { HistogramLogReader, build } from 'hdr-histogram-js';

/** @typedef {import('hdr-histogram-js').Histogram} Histogram */

export class Log {
  /** @param {Histogram[]} seconds */
  constructor(seconds) {
    this.seconds = seconds;
    this.whole = build({ bitBucketSize: 64, autoResize: true, numberOfSignificantValueDigits: 3 });
    for (const second of seconds) this.whole.add(/** @type {any} */ (second));
  }

  /** @param {number} percentile 0 to 100 @returns {number} */
  percentile(percentile) {
    return percentile === 0 ? this.whole.minNonZeroValue : this.whole.getValueAtPercentile(percentile);
  }

  /**
   * The minimum over all seconds of the second's percentile: the least disturbed by the rest of the machine.
   * @param {number} percentile 0 to 100
   * @returns {number}
   */
  percentileOfQuietestSecond(percentile) {
    return Math.min(...this.seconds.map((second) => second.getValueAtPercentile(percentile)));
  }
}

/** @param {string} path @param {number} fromS the first second to include @returns {Log} */
export function readLog(path, fromS) {
  const seconds = [];
  const reader = new HistogramLogReader(readFileSync(path, 'utf8'));
  let startMs; // the reader returns wall-clock times; the first line is second 0
  for (let histogram = reader.nextIntervalHistogram(); histogram; histogram = reader.nextIntervalHistogram()) {
    startMs ??= histogram.startTimeStampMsec;
    const second = Math.round((histogram.startTimeStampMsec - startMs) / 1000);
    if (second >= fromS && histogram.totalCount > 0) seconds.push(histogram);
  }
  return new Log(seconds);
}
