/** One clock for every process of a host: CLOCK_MONOTONIC, which is what process.hrtime reads in every Node. */
import { sleep } from '../common/timers.js';

/** @returns {number} microseconds */
export function monotonicUs() {
  return Number(process.hrtime.bigint()) / 1000;
}

/** Sleep until a time of the monotonic clock. @param {number} us @param {AbortSignal} [signal] */
export function sleepUntil(us, signal) {
  return sleep((us - monotonicUs()) / 1000, signal);
}
