/** The start time of the load, read from the harness on standard input. */
import { createInterface } from 'node:readline';
import { EXIT, Failure } from './failure.js';

/**
 * Waits for the line `go T`.
 * @param {string} where for the error: the generator's folder
 * @returns {Promise<number>} T in µs
 */
export async function readStart(where) {
  for await (const line of createInterface({ input: process.stdin })) {
    const start_us = Number(/^go (\d+)$/.exec(line)?.[1] ?? NaN);
    if (Number.isNaN(start_us)) throw new Failure(EXIT.settings, [`${where}: standard input said "${line}"; say "go T", T in us of CLOCK_MONOTONIC`]);
    return start_us;
  }
  throw new Failure(EXIT.internal, [`${where}: standard input ended before "go T"; keep it open until then`]);
}

/** @returns {number} CLOCK_MONOTONIC in µs */
export function monotonic_us() {
  return Number(process.hrtime.bigint() / 1000n);
}

/**
 * @param {string} where for the error: the generator's folder
 * @param {number} start_us CLOCK_MONOTONIC
 * @returns {number} the start in wall-clock time, ms
 */
export function startEpoch_ms(where, start_us) {
  const ahead_us = start_us - monotonic_us();
  if (ahead_us < 0) throw new Failure(EXIT.internal, [`${where}: the start was ${-ahead_us} us ago; say "go T" earlier, or a later T`]);
  return Date.now() + ahead_us / 1000;
}
