/**
 * What a million messages and a connection-month cost in dollars, at stated prices.
 *
 * What the server used in the window is paid by the hour and shared out in two ways: over the messages that were
 * answered, and over the connections that were open, for a month of 730 hours at the point's own load. Memory is what
 * the processes had resident (pages that they share count in each). usd is the sum of what is known: lacks names the
 * rest ("-": none). Egress is what the devices between namespaces counted (egress_by device); elsewhere, where a device
 * carries others' bytes too, it is computed as a packet a message (egress_by packets): payload, and 52 bytes of IP and
 * TCP with timestamps for each 1,448 of it. Where what is answered is not of that size, as files, updates, pages and
 * what is drawn, lacks names the payload: the egress is more. low and high are those of the CPU.
 */
import { group, sum as sumOf } from 'd3-array';
import { digitsOf } from '../digits.js';
import { POINT, nameOfPoint } from './points.js';

/** @typedef {Record<string, string>} Row */
/**
 * @typedef {{payload_b: number | 'drawn', behaviour: string, own_sizes: string[]}} Messages where a setting does not
 *   say it; workloads of sizes of their own
 */
/** @typedef {{row: Row, metrics: Map<string, Row>}} Point */
/**
 * @typedef {{what: string, metric: string, rate: number, memory?: number, egress: number, shares: number}} Share an
 *   hour's memory and egress, over so many
 */

const HEADERS_B = 52;
const SEGMENT_B = 1448;
const HOURS_A_MONTH = 730;
/** Behaviours whose answers have the size of the payload. */
const SIZED = ['echo', 'broadcast', 'json-ping', 'pingpong', 'pages', 'idle'];
export const DOLLAR_COLUMNS = [
  ...POINT,
  'what',
  'cpu_usd',
  'memory_usd',
  'egress_usd',
  'egress_by',
  'usd',
  'low',
  'high',
  'lacks',
  'as_of',
];

/** @param {number} value */
const dollars = (value) => digitsOf(value, 4);

/** @param {number} payload_b @returns {number} with the headers of its packets */
const onWire = (payload_b) => payload_b + HEADERS_B * Math.max(1, Math.trunc((payload_b + SEGMENT_B - 1) / SEGMENT_B));

/** @param {Row[]} points @returns {Point[]} in order */
function groupPoints(points) {
  return [...group(points, nameOfPoint).values()].map((rows) => ({
    row: rows[0],
    metrics: new Map(rows.map((row) => [row.metric, row])),
  }));
}

/**
 * @param {Row[]} prices as_of, region, item, usd
 * @param {string} region
 * @param {Row[]} plan
 * @param {Row[]} points of points.tsv
 * @param {Messages} messages @returns {Record<string, string>[]} of dollars.tsv
 */
export function computeDollars(prices, region, plan, points, messages) {
  const ofRegion = prices.filter((row) => row.region === region);
  const price = Object.fromEntries(ofRegion.map(({ item, usd }) => [item, Number(usd)]));
  const window_s = new Map(plan.map((row) => [nameOfPoint(row), Number(row.to_s) - Number(row.from_s)]));
  return groupPoints(points).flatMap((point) =>
    shareOut(point, { price, as_of: String(ofRegion.at(-1)?.as_of), messages, window_s: window_s.get(nameOfPoint(point.row)) }),
  );
}

/**
 * @param {Point} point
 * @param {{price: Record<string, number>, as_of: string, messages: Messages, window_s?: number}} given
 */
function shareOut({ row, metrics }, { price, as_of, messages, window_s = 0 }) {
  const mean = (/** @type {string} */ metric) => Number(metrics.get(metric)?.mean ?? 0);
  const payload = row['setting.payload_b'] ?? messages.payload_b;
  const behaviour = row['setting.behaviour'] ?? messages.behaviour;
  const isUnsized = !SIZED.includes(behaviour) || payload === 'drawn' || messages.own_sizes.includes(row.workload);
  const isCounted = metrics.has('wire_down_b') && window_s > 0;
  const egress_hz = isCounted ? mean('wire_down_b') / window_s : mean('received_hz') * onWire(Number(payload) || 0);
  const connected = mean('connected_at_end');
  const resident = [...metrics]
    .filter(([metric]) => metric.endsWith('_rss_kb_per_connection'))
    .map(([, { mean: rss_kb }]) => Number(rss_kb));
  const memory = resident.length && connected > 0 ? ((sumOf(resident) * connected) / 1048576) * price.memory : undefined;
  const rest = { memory, egress: (egress_hz / 1e9) * 3600 * price.egress };
  const per_hour = (3600 * mean('received_hz')) / 1e6;
  const by = metrics.has('wire_down_b') ? 'device' : 'packets';
  const lacks = [...(memory === undefined ? ['memory'] : []), ...(by === 'packets' && isUnsized ? ['payload'] : [])].join(',') || '-';
  /** @type {Share[]} */
  const shares = [
    ...(per_hour > 0
      ? [{ what: 'million_messages', metric: 'server_cpu_s_per_1k', rate: price.vcpu / 3.6, ...rest, shares: per_hour }]
      : []),
    ...(connected > 0
      ? [
          {
            what: 'connection_month',
            metric: 'server_cpu_cores',
            rate: (price.vcpu * HOURS_A_MONTH) / connected,
            ...rest,
            shares: connected / HOURS_A_MONTH,
          },
        ]
      : []),
  ];
  return shares
    .filter(({ metric }) => metrics.has(metric))
    .map((share) => ({
      ...Object.fromEntries(POINT.map((column) => [column, row[column]])),
      ...priceOf(share, /** @type {Row} */ (metrics.get(share.metric))),
      egress_by: by,
      lacks,
      as_of,
    }));
}

/** @param {Share} share @param {Row} cpu @returns {Record<string, string>} */
function priceOf({ what, rate, memory, egress, shares }, { mean, low, high }) {
  const rest = ((memory ?? 0) + egress) / shares;
  const bound = (/** @type {string} */ value) => (value === '-' ? '-' : dollars(Number(value) * rate + rest));
  return {
    what,
    cpu_usd: dollars(Number(mean) * rate),
    memory_usd: memory === undefined ? '-' : dollars(memory / shares),
    egress_usd: dollars(egress / shares),
    usd: bound(mean),
    low: bound(low),
    high: bound(high),
  };
}
