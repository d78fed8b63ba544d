/** Counts and histograms of a load for each second since its start: the lines of intervals.tsv and the histogram logs. */
import hdr from 'hdr-histogram-js';

/** @typedef {import('hdr-histogram-js').Histogram} Histogram */

const COUNTERS = /** @type {const} */ (['connected', 'failed', 'dropped', 'due', 'sent', 'received', 'wrong', 'sent_b', 'received_b', 'late']);

/** The columns of intervals.tsv. */
export const COLUMNS = ['t_s', ...COUNTERS];

/** The histograms of a second; their logs have the same names. */
export const HISTOGRAMS = /** @type {const} */ (['latency', 'service', 'connect']);

/** @typedef {typeof COUNTERS[number]} Counter */
/** @typedef {Record<Counter, number> & Record<typeof HISTOGRAMS[number], Histogram>} Second */
/** @typedef {Pick<import('./config.js').Config, 'connections' | 'ramp_s' | 'settle_s' | 'hold_s' | 'late_ms'>} Needed */

/** The base of every tally: the times of the load, and counts for each second. */
export class Seconds {
  /**
   * @param {Needed} config
   * @param {number} start_us CLOCK_MONOTONIC
   */
  constructor(config, start_us) {
    this.start_us = start_us;
    this.load_s = config.ramp_s + config.settle_s + config.hold_s;
    this.end_us = start_us + this.load_s * 1e6;
    this.windowFrom_us = this.end_us - config.hold_s * 1e6;
    this.late_us = config.late_ms * 1000;
    this.asked = config.connections;
    this.connections = { opened: 0, failed_local: 0, failed_remote: 0, dropped_local: 0, dropped_remote: 0 };
    /** @type {Second[]} one per second since the start */
    this.seconds = [];
    this.secondOf(this.end_us - 1); // every second of the load has a line, even one without events
  }

  /** @param {number} time_us @returns {Second} */
  secondOf(time_us) {
    const t_s = Math.floor(elapsed(this.start_us, time_us) / 1e6);
    while (this.seconds.length <= t_s) this.seconds.push(createSecond());
    return this.seconds[t_s];
  }

  /** @param {number} called_us @param {number} opened_us */
  open(called_us, opened_us) {
    this.connections.opened++;
    this.secondOf(opened_us).connected++;
    this.secondOf(called_us).connect.recordValue(Math.round(elapsed(called_us, opened_us)));
  }

  /** @returns {number[][]} the lines of intervals.tsv */
  intervals() {
    let connected = 0; // a second counts the change; its line reports the running total
    return this.seconds.map((second, t_s) => {
      connected += second.connected;
      return [t_s, connected, ...COUNTERS.slice(1).map((counter) => second[counter])];
    });
  }
}

/** @returns {Second} */
export function createSecond() {
  const counters = COUNTERS.map((counter) => [counter, 0]);
  const histograms = HISTOGRAMS.map((name) => [name, createHistogram()]);
  return Object.fromEntries([...counters, ...histograms]);
}

function createHistogram() {
  return hdr.build({ lowestDiscernibleValue: 1, highestTrackableValue: 2, numberOfSignificantValueDigits: 3, autoResize: true });
}

/**
 * @param {number} from_us
 * @param {number} to_us
 * @returns {number}
 * @throws {Error} if to_us is before from_us
 */
export function elapsed(from_us, to_us) {
  if (to_us < from_us) throw new Error(`a time of ${to_us} us lies before one of ${from_us} us`);
  return to_us - from_us;
}
