/**
 * The distribution of rates per connection in the thesis's listing. Computed: 0 ms and max_ms are drawn half as often as each
 * other value, and a timer of 0 ms waits 1 ms. Measured: messages due in the window per connection, from one trial per block,
 * because all trials of a block have the same draws.
 */
import { mean, range, rollup, sum } from 'd3-array';
import { digitsOf } from '../../analysis/digits.js';

/** @typedef {Record<string, string>} Row */
/** @typedef {{rate_hz_per_connection: number, share: number}} Rate and the share of connections that send at it */

export const RATE_COLUMNS = ['source', 'fastest_share', 'rate_hz_per_connection', 'messages_share'];
export const TOTAL_COLUMNS = ['source', 'connections', 'mean_hz', 'least_hz', 'most_hz', 'fastest_hundredth_share'];
/** One row each time the share has grown by 5 %: even steps on a logarithmic axis. */
const GROWS_BY = 1.05;
const HUNDREDTH = 0.01;

/** @param {number} max_ms @returns {Rate[]} the fastest first */
const compute = (max_ms) => [
  { rate_hz_per_connection: 1000, share: 1.5 / max_ms },
  ...range(2, max_ms).map((ms) => ({ rate_hz_per_connection: 1000 / ms, share: 1 / max_ms })),
  { rate_hz_per_connection: 1000 / max_ms, share: 0.5 / max_ms },
];

/** @param {Rate[]} rates */
const totalHz = (rates) => sum(rates, ({ rate_hz_per_connection, share }) => rate_hz_per_connection * share);

/**
 * @param {string} source @param {Rate[]} rates the fastest first
 * @returns {Record<string, unknown>[]} for a share of the fastest connections, their share of all messages and the rate of
 *   the slowest among them
 */
function listRates(source, rates) {
  const total_hz = totalHz(rates);
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

/** @param {Rate[]} rates the fastest first @returns {string} share of all messages sent by the fastest 1 % of connections */
function hundredthOf(rates) {
  let left = HUNDREDTH;
  const hz = sum(rates, ({ rate_hz_per_connection, share }) => {
    const taken = Math.min(share, left);
    left -= taken;
    return rate_hz_per_connection * taken;
  });
  return totalHz(rates) ? digitsOf(hz / totalHz(rates)) : '-';
}

/** @param {string} source @param {Rate[]} rates */
const totalOf = (source, rates) => ({ source, mean_hz: digitsOf(totalHz(rates)), fastest_hundredth_share: hundredthOf(rates) });

/**
 * @param {number} max_ms of the listing
 * @param {{trial: string, block: string, window_s: number, due: number}[]} connections of each trial
 * @returns {{rates: Record<string, unknown>[], totals: Record<string, unknown>[]}}
 */
export function describeRates(max_ms, connections) {
  const firstOf = rollup(connections, ([row]) => row.trial, ({ block }) => block);
  const shown = connections.filter(({ block, trial }) => firstOf.get(block) === trial)
    .map((row) => ({ ...row, rate_hz_per_connection: row.due / row.window_s }));
  const computed = compute(max_ms);
  const totals = [{ source: 'suggested', mean_hz: digitsOf(2000 / max_ms) }, totalOf('computed', computed)];
  if (shown.length === 0) return { rates: listRates('computed', computed), totals };
  const shares = rollup(shown, (rows) => rows.length / shown.length, ({ rate_hz_per_connection }) => rate_hz_per_connection);
  const measured = [...shares].sort(([a], [b]) => b - a).map(([rate_hz_per_connection, share]) => ({ rate_hz_per_connection, share }));
  const means = rollup(shown, (rows) => Number(mean(rows, ({ rate_hz_per_connection }) => rate_hz_per_connection)), ({ block }) => block);
  const ends = { least_hz: digitsOf(Math.min(...means.values())), most_hz: digitsOf(Math.max(...means.values())) };
  return {
    rates: [...listRates('computed', computed), ...listRates('measured', measured)],
    totals: [...totals, { ...totalOf('measured', measured), connections: shown.length, ...ends }],
  };
}
