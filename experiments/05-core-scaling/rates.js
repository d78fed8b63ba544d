/**
 * The distribution of rates per connection in the thesis's listing. Computed: 0 ms and max_ms are drawn half as often as each
 * other value, and a timer of 0 ms waits 1 ms. Measured: messages due in the window per connection, from one trial per block,
 * because all trials of a block have the same draws.
 */
import { range, rollup, sum } from 'd3-array';
import { digitsOf } from '../../analysis/digits.js';

/** @typedef {{rate_hz_per_connection: number, share: number}} Rate and the share of connections that send at it */

export const RATE_COLUMNS = ['source', 'fastest_share', 'rate_hz_per_connection', 'messages_share'];
/** One row each time the share has grown by 5 %: even steps on a logarithmic axis. */
const GROWS_BY = 1.05;

/** @param {number} max_ms @returns {Rate[]} the fastest first */
const compute = (max_ms) => [
  { rate_hz_per_connection: 1000, share: 1.5 / max_ms },
  ...range(2, max_ms).map((ms) => ({ rate_hz_per_connection: 1000 / ms, share: 1 / max_ms })),
  { rate_hz_per_connection: 1000 / max_ms, share: 0.5 / max_ms },
];

/**
 * @param {string} source @param {Rate[]} rates the fastest first
 * @returns {Record<string, unknown>[]} for a share of the fastest connections, their share of all messages and the rate of
 *   the slowest among them
 */
function listRates(source, rates) {
  const total_hz = sum(rates, ({ rate_hz_per_connection, share }) => rate_hz_per_connection * share);
  let [sum_share, sum_hz, printed] = [0, 0, 0];
  return rates.flatMap(({ rate_hz_per_connection, share }) => {
    sum_share += share;
    sum_hz += rate_hz_per_connection * share;
    if (total_hz === 0 || (sum_share < printed * GROWS_BY && sum_share < 0.999999)) return [];
    printed = sum_share;
    const messages_share = digitsOf(sum_hz / total_hz);
    return [{ source, fastest_share: digitsOf(sum_share), rate_hz_per_connection: digitsOf(rate_hz_per_connection), messages_share }];
  });
}

/**
 * @param {number} max_ms of the listing @param {{trial: string, block: string, window_s: number, due: number}[]} connections of each trial
 * @returns {Record<string, unknown>[]} of rates.tsv
 */
export function describeRates(max_ms, connections) {
  const firstOf = rollup(connections, ([row]) => row.trial, ({ block }) => block);
  const shown = connections.filter(({ block, trial }) => firstOf.get(block) === trial);
  const shares = rollup(shown, (rows) => rows.length / shown.length, ({ due, window_s }) => due / window_s);
  const measured = [...shares].sort(([a], [b]) => b - a).map(([rate_hz_per_connection, share]) => ({ rate_hz_per_connection, share }));
  return [...listRates('computed', compute(max_ms)), ...listRates('measured', measured)];
}
