/**
 * Distribution-free interval for a median, from order statistics: H. A. David, H. N. Nagaraja, Order Statistics, 7.1.
 */
import { binomialAtMost } from './distributions.js';
import { LEVEL } from './intervals.js';

/**
 * @param {number} n values
 * @returns {number} the largest rank for which the rank-th values from both ends cover the median with at least 95 %; 0 below six values
 */
export function medianRank(n) {
  let rank = 0;
  while (2 * binomialAtMost(rank, n, 0.5) <= 1 - LEVEL) rank++;
  return rank;
}

/** @param {number} n @param {number} rank @returns {number} the probability that the rank-th values from both ends cover the median */
export const coverageOf = (n, rank) => 1 - 2 * binomialAtMost(rank - 1, n, 0.5);

/** @param {number[]} sorted ascending @returns {[number, number] | undefined} */
export function medianInterval(sorted) {
  const rank = medianRank(sorted.length);
  return rank ? [sorted[rank - 1], sorted[sorted.length - rank]] : undefined;
}
