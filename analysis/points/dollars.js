/**
 * Cost in dollars of a million messages and of a connection-month, at stated prices.
 *
 * The server's use in the window is priced by the hour and divided in two ways: by the messages answered, and by the
 * open connections, for a month of 730 hours at the point's own load. Memory is the resident memory of the processes
 * (shared pages count in each). usd is the sum of the known parts; lacks names the unknown ones ("-": none).
 *
 * Egress is counted by the devices between namespaces (egress_by device). Other devices carry other traffic too, so
 * there it is computed as one packet per message (egress_by packets): the payload, and 52 bytes of IP and TCP with
 * timestamps per 1,448 bytes of payload. If answers have other sizes (files, updates, pages, drawn sizes), lacks names
 * the payload: the true egress is higher. low and high take CPU and memory at the ends of their intervals.
 *
 * A month of a given load (priceMonths) is priced by the surface of the CPU's cost and the memory of idle connections.
 */
import { join } from 'node:path';
import { group } from 'd3-array';
import { ROOT } from '../../harness/common/places.js';
import { digitsOf } from '../digits.js';
import { POINT, nameOfPoint, pointOf } from './points.js';

/** @typedef {Record<string, string>} Row */
/**
 * @typedef {{payload_b: number | 'drawn', behaviour: string, own_sizes: string[]}} Messages defaults of the settings;
 *   `own_sizes`: workloads with sizes of their own
 */
/**
 * @typedef {{what: string, metric: string, rate: number, memory?: Record<End, number>, egress: number, shares: number}} Share
 *   memory and egress of an hour, and by how many to divide them; NaN for an end that is not known
 */

/** @typedef {'mean' | 'low' | 'high'} End */

/** as_of, region, item, unit, usd. */
export const PRICES = join(ROOT, 'infra/ec2/prices.tsv');
/** Whose prices are taken. */
export const REGION = 'us-east-1';
const HEADERS_B = 52;
const SEGMENT_B = 1448;
const HOURS_A_MONTH = 730;
/** Behaviours whose answers have the size of the payload. */
const SIZED = ['echo', 'broadcast', 'json-ping', 'pingpong', 'pages', 'idle'];
const SUMS = ['cpu_usd', 'memory_usd', 'egress_usd', 'egress_by', 'usd', 'low', 'high'];
export const DOLLAR_COLUMNS = [...POINT, 'what', ...SUMS, 'lacks', 'as_of'];

/** @param {number} value */
const dollars = (value) => digitsOf(value, 4);

/** @param {number} payload_b @returns {number} with the headers of its packets */
const onWire = (payload_b) => payload_b + HEADERS_B * Math.max(1, Math.trunc((payload_b + SEGMENT_B - 1) / SEGMENT_B));

/**
 * @param {Row[]} prices as_of, region, item, usd @param {string} region @param {Row[]} plan @param {Row[]} points of points.tsv
 * @param {Messages} messages @returns {Record<string, string>[]} of dollars.tsv
 */
export function computeDollars(prices, region, plan, points, messages) {
  const { price, as_of } = pricesOf(prices, region);
  const window_s = new Map(plan.map((row) => [nameOfPoint(row), Number(row.to_s) - Number(row.from_s)]));
  return [...group(points, nameOfPoint)].flatMap(([name, rows]) => {
    const metrics = new Map(rows.map((row) => [row.metric, row]));
    return shareOut(rows[0], metrics, { price, messages, window_s: window_s.get(name) ?? 0 }).map((found) => (
      { ...pointOf(rows[0]), ...found, as_of }));
  });
}

/** @param {Row[]} prices @param {string} region @returns {{price: Record<string, number>, as_of: string}} $ by item */
function pricesOf(prices, region) {
  const own = prices.filter((row) => row.region === region);
  return { price: Object.fromEntries(own.map(({ item, usd }) => [item, Number(usd)])), as_of: String(own.at(-1)?.as_of) };
}

/**
 * @param {Row[]} prices @param {string} region @param {Row[]} ranked rows of ranks.tsv with memory_mb
 * @returns {Row[]} $ a month of the load, cheapest first, and last those whose memory was not found; without engines whose cost there is
 *   unknown. low and high take CPU and memory at the ends of their intervals. Memory that was not found or not measured counts as none
 */
export function priceMonths(prices, region, ranked) {
  const { price, as_of } = pricesOf(prices, region);
  const usd_per_mb = (price.memory * HOURS_A_MONTH * 1e6) / 2 ** 30; // prices are of a GiB
  const months = ranked.filter(({ cores }) => cores !== '-').map((row) => {
    const cpu = Number(row.cores) * price.vcpu * HOURS_A_MONTH;
    const egress = ((Number(row.total_rate_hz) * onWire(Number(row.payload_b))) / 1e9) * 3600 * HOURS_A_MONTH * price.egress;
    const isRemembered = Number(row.memory_mb_high === '-' ? row.memory_mb : row.memory_mb_high) > 0;
    const memoryAt = (/** @type {string} */ cell) => (isRemembered ? Math.max(0, Number(cell)) * usd_per_mb : 0);
    const bound = (/** @type {string} */ us, /** @type {string} */ megabytes) =>
      (us === '-' || (isRemembered && megabytes === '-') ? '-' : dollars((cpu * Number(us)) / Number(row.us_per_message) + memoryAt(megabytes) + egress));
    return {
      ...row, usd: bound(row.us_per_message, row.memory_mb),
      usd_low: bound(row.low, row.memory_mb_low), usd_high: bound(row.high, row.memory_mb_high),
      cpu_usd: dollars(cpu), memory_usd: isRemembered ? dollars(memoryAt(row.memory_mb)) : '-', egress_usd: dollars(egress), as_of,
    };
  });
  const lacks = (/** @type {Row} */ { memory_usd }) => Number(memory_usd === '-');
  return months.toSorted((a, b) => lacks(a) - lacks(b) || Number(a.usd) - Number(b.usd));
}

/**
 * @param {Row} row of the point @param {Map<string, Row>} metrics of points.tsv
 * @param {{price: Record<string, number>, messages: Messages, window_s: number}} given @returns {Record<string, string>[]}
 */
function shareOut(row, metrics, { price, messages, window_s }) {
  const mean = (/** @type {string} */ metric) => Number(metrics.get(metric)?.mean ?? 0);
  const payload = row['setting.payload_b'] ?? messages.payload_b;
  const isUnsized =
    !SIZED.includes(row['setting.behaviour'] ?? messages.behaviour) || payload === 'drawn' || messages.own_sizes.includes(row.workload);
  const [isCounted, connected] = [metrics.has('wire_down_b'), mean('connected_at_end')];
  const egress_hz = isCounted && window_s > 0 ? mean('wire_down_b') / window_s : mean('received_hz') * onWire(Number(payload) || 0);
  const resident = [...metrics.values()].filter(({ metric }) => metric.endsWith('_rss_kb_per_connection'));
  const priceAt = (/** @type {End} */ end) =>
    (resident.reduce((total, each) => total + Number(each[end]), 0) * connected * price.memory) / 1048576; // "-" makes it NaN
  const memory = resident.length && connected > 0 ? { mean: priceAt('mean'), low: priceAt('low'), high: priceAt('high') } : undefined;
  const rest = { memory, egress: (egress_hz / 1e9) * 3600 * price.egress };
  const lacks = [...(memory === undefined ? ['memory'] : []), ...(!isCounted && isUnsized ? ['payload'] : [])].join(',') || '-';
  /** @type {Share[]} */
  const shares = [
    { what: 'million_messages', metric: 'server_cpu_s_per_1k', rate: price.vcpu / 3.6, ...rest, shares: (3600 * mean('received_hz')) / 1e6 },
    { what: 'connection_month', metric: 'server_cpu_cores', rate: (price.vcpu * HOURS_A_MONTH) / connected, ...rest, shares: connected / HOURS_A_MONTH },
  ];
  return shares.filter((share) => share.shares > 0 && metrics.has(share.metric)).map((share) => (
    { ...priceOf(share, /** @type {Row} */ (metrics.get(share.metric))), egress_by: isCounted ? 'device' : 'packets', lacks }));
}

/** @param {Share} share @param {Row} cpu @returns {Record<string, string>} */
function priceOf({ what, rate, memory, egress, shares }, cpu) {
  const bound = (/** @type {End} */ end) => {
    const usd = Number(cpu[end]) * rate + ((memory?.[end] ?? 0) + egress) / shares;
    return Number.isFinite(usd) ? dollars(usd) : '-';
  };
  const memory_usd = memory === undefined ? '-' : dollars(memory.mean / shares);
  const found = { cpu_usd: dollars(Number(cpu.mean) * rate), memory_usd, egress_usd: dollars(egress / shares) };
  return { what, ...found, usd: bound('mean'), low: bound('low'), high: bound('high') };
}
