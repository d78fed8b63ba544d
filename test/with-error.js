import { tQuantile } from '../analysis/statistics/distributions.js';

/**
 * @template {{low: number | null, high: number | null, scale?: string, degrees?: number, n: number}} T
 * @param {T} row of an interval @returns {T & {error?: number}} with the standard error that it comes from
 */
export function withError(row) {
  const { low, high, scale, n, degrees = n - 1 } = row;
  if (low === null || high === null || degrees < 1) return row;
  const [from, to] = scale === 'log' ? [low, high].map(Math.log) : [low, high];
  return { error: (to - from) / 2 / tQuantile(degrees, 0.95), ...row };
}
