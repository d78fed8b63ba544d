/** Computes the expected percentiles for a server that stalls at the beginning of each second. Times in µs. */

const SECOND_US = 1e6;

/** @typedef {import('../../../harness/common/stall.js').Stall} Stall */

/**
 * Simulates connections with one outstanding message each. Messages that fall due meanwhile wait for their turn.
 * @param {Stall & {periodUs: number, seconds: number, connections: number}} load `connections`: their phases are evenly spaced
 * @returns {{latency: number[], service: number[]}} of all messages, sorted: from the due time, and from the time of sending
 */
export function simulateOneAtATime({ stallUs, baseUs, periodUs, seconds, connections }) {
  const [latency, service] = [/** @type {number[]} */ ([]), /** @type {number[]} */ ([])];
  for (let connection = 0; connection < connections; connection++) {
    let freeUs = 0;
    const firstUs = (periodUs * (connection + 0.5)) / connections;
    for (let dueUs = firstUs; dueUs < seconds * SECOND_US; dueUs += periodUs) {
      const sentUs = Math.max(dueUs, freeUs);
      freeUs = sentUs + waitOutStall(sentUs, stallUs) + baseUs;
      latency.push(freeUs - dueUs);
      service.push(freeUs - sentUs);
    }
  }
  return { latency: sort(latency), service: sort(service) };
}

/** @param {number} timeUs @param {number} stallUs @returns {number} time until the end of the current stall; 0 if there is none */
function waitOutStall(timeUs, stallUs) {
  return Math.max(0, stallUs - (timeUs % SECOND_US));
}

/** @param {number[]} values @returns {number[]} */
const sort = (values) => values.sort((one, other) => one - other);

/**
 * The percentile by rank, as in HdrHistogram: the smallest value that this share of the values does not exceed.
 * @param {number[]} sorted @param {number} percentile
 * @returns {number}
 */
export function percentileOf(sorted, percentile) {
  return sorted[Math.max(0, Math.ceil((percentile / 100) * sorted.length) - 1)];
}
