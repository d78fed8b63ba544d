/** What percentiles must be when a server stops at the beginning of each second: computed, not measured. Times in µs. */

const SECOND_US = 1e6;

/**
 * @typedef {object} Stall
 * @property {number} stallUs how long the server stops at the beginning of each second
 * @property {number} baseUs how long it takes to answer otherwise
 */

/**
 * Messages that fall due evenly over the second and are sent at once: those due in the stall wait, evenly, from all of it to none, and the
 * others don't.
 * @param {number} percentile @param {Stall} stall @returns {number}
 */
export function percentileOfStall(percentile, { stallUs, baseUs }) {
  const stalledShare = stallUs / SECOND_US;
  const amongStalled = percentile / 100 - (1 - stalledShare);
  return baseUs + Math.max(0, amongStalled / stalledShare) * stallUs;
}
