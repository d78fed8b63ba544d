/**
 * The interval of a median by order statistics, whatever the distribution: H. A. David, H. N. Nagaraja, Order
 * Statistics, 7.1.
 */
import { binomialAtMost } from './distributions.js';
import { LEVEL } from './intervals.js';

/**
 * @param {number} n values
 * @returns {number} the rank-th of them from either end hold the median with 95 % at least; 0 where there are under six values
 */
export function medianRank(n) {
  let rank = 0;
  while (2 * binomialAtMost(rank, n, 0.5) <= 1 - LEVEL) rank++;
  return rank;
}

/**
 * @param {number} n @param {number} rank
 * @returns {number} the probability with which the rank-th of n values from either end hold the median
 */
export const coverageOf = (n, rank) => 1 - 2 * binomialAtMost(rank - 1, n, 0.5);

/** @param {number[]} sorted ascending @returns {[number, number] | undefined} */
export function medianInterval(sorted) {
  const rank = medianRank(sorted.length);
  return rank ? [sorted[rank - 1], sorted[sorted.length - rank]] : undefined;
}
