/** One clock for all processes of a host: CLOCK_MONOTONIC, read by process.hrtime in every version of Node. */
import { sleep } from '../common/timers.js';

/** @returns {number} microseconds */
export const monotonicUs = () => Number(process.hrtime.bigint()) / 1000;

/** Sleep until a time of the monotonic clock. @param {number} us @param {AbortSignal} [signal] */
export const sleepUntil = (us, signal) => sleep((us - monotonicUs()) / 1000, signal);
