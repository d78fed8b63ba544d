/** Computes the percentiles expected of a server that stops at the beginning of each second. Times in µs. */

const SECOND_US = 1e6;

/**
 * @typedef {object} Stall
 * @property {number} stallUs how long the server stops at the beginning of each second
 * @property {number} baseUs how long it takes to answer otherwise
 */

/**
 * Messages are due evenly over the second and sent at once. Those due in the stall wait for its rest: evenly from all of it to none. The
 * others do not wait.
 * @param {number} percentile @param {Stall} stall @returns {number}
 */
export function percentileOfStall(percentile, { stallUs, baseUs }) {
  const stalledShare = stallUs / SECOND_US;
  const amongStalled = percentile / 100 - (1 - stalledShare);
  return baseUs + Math.max(0, amongStalled / stalledShare) * stallUs;
}
