/** Timers that an AbortSignal can end. */
import { setTimeout } from 'node:timers/promises';

/** @param {number} ms @param {AbortSignal} [signal] @returns {Promise<void>} rejects when the signal aborts */
export const sleep = (ms, signal) => setTimeout(Math.max(0, ms), undefined, { signal });

/**
 * @template T @param {Promise<T>} promise @param {number} ms @param {AbortSignal} [signal]
 * @returns {Promise<T | undefined>} its result; undefined if it takes longer; rejects if the signal aborts
 */
export async function within(promise, ms, signal) {
  const settled = new AbortController();
  const signals = [settled.signal, ...(signal ? [signal] : [])];
  try {
    return await Promise.race([promise, sleep(ms, AbortSignal.any(signals)).then(() => undefined)]);
  } finally {
    settled.abort(); // else the timer would keep the process alive
  }
}
