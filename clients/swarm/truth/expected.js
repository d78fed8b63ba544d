/** What the percentiles must be when a server stops at the beginning of each second: computed, not measured. Times in µs. */

const SECOND_US = 1e6;

/** @typedef {import('../../../harness/common/stall.js').Stall} Stall */

/**
 * The same server under connections that each keep one message out at a time: what falls due meanwhile waits its turn.
 * @param {Stall & {periodUs: number, seconds: number, connections: number}} load `connections`: as many, their phases spread evenly
 * @returns {{latency: number[], service: number[]}} of each message, sorted: from when it was due, and from when it was sent
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

/** @param {number} timeUs @param {number} stallUs @returns {number} until the end of the stall it lies in */
function waitOutStall(timeUs, stallUs) {
  return Math.max(0, stallUs - (timeUs % SECOND_US));
}

/** @param {number[]} values @returns {number[]} */
const sort = (values) => values.sort((one, other) => one - other);

/**
 * By rank, as HdrHistogram has it: the least value that so many of the values don't exceed.
 * @param {number[]} sorted @param {number} percentile
 * @returns {number}
 */
export function percentileOf(sorted, percentile) {
  return sorted[Math.max(0, Math.ceil((percentile / 100) * sorted.length) - 1)];
}
