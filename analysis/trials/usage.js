/** What each process used in the window, and since the start. */
import { subtractAccounts } from '../captures/accounts.js';

/** @typedef {Record<string, string>} Row */
/**
 * @typedef {import('../captures/accounts.js').Used & {phase: 'window' | 'whole'}} Usage
 *   window: window_start to window_end; whole: start to window_end. Descriptors count from the start
 */

/** Rounds to microseconds, the resolution of the tables. @param {number} value_s */
const round_us = (value_s) => Number(value_s.toFixed(6));

/** @param {Row[]} accounts with the marks start, window_start and window_end @returns {Usage[]} of processes present at both marks */
export function computeUsage(accounts) {
  const whole = subtractAccounts(accounts, 'start', 'window_end');
  const opened = new Map(whole.map(({ pid, descriptors }) => [pid, descriptors]));
  const tell = (/** @type {Usage['phase']} */ phase) => (/** @type {import('../captures/accounts.js').Used} */ used) => ({
    ...used, phase, seconds: round_us(used.seconds), cpu_s: round_us(used.cpu_s), descriptors: opened.get(used.pid),
  });
  return [...subtractAccounts(accounts, 'window_start', 'window_end').map(tell('window')), ...whole.map(tell('whole'))];
}
