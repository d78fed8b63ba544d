/** The metrics of one trial; harness/spec/metrics.js defines each. */
import { sum } from 'd3-array';
import { variationOf } from '../statistics/spread.js';
import { isIn } from '../captures/seconds.js';
import { FORM, hasOldNumbers } from '../../harness/common/bundle.js';

/** @typedef {import('../captures/accounts.js').Usage} Usage */
/** @typedef {Record<string, string>} Row */
/** @typedef {[metric: string, value: number]} Metric */
/**
 * A client's counts up to the window's end (`whole`, failed, dropped, connected) or in the window.
 * @typedef {{received: {window: number, whole: number}, due: number, sent: number, connected: number, failed: number,
 *   dropped: number}} Counts
 */
/** @typedef {{role: string, side: string, used: Usage[], cores: number[]}} Role with its processes in the window */

/** @param {Row[]} intervals of the client, one row per second @param {number} from_s @param {number} to_s @returns {Counts} */
function countMessages(intervals, from_s, to_s) {
  const [whole, window] = [-Infinity, from_s].map((begin_s) => intervals.filter(isIn({ from_s: begin_s, to_s })));
  const sumOf = (/** @type {Row[]} */ rows, /** @type {string} */ column) => sum(rows, (row) => Number(row[column]));
  return {
    received: { window: sumOf(window, 'received'), whole: sumOf(whole, 'received') },
    due: sumOf(window, 'due'), sent: sumOf(window, 'sent'), connected: Number(whole.at(-1)?.connected ?? 0),
    failed: sumOf(whole, 'failed'), dropped: sumOf(whole, 'dropped'),
  };
}

/** A recorder of the load is neither server nor client. @param {Usage} usage */
const sideOf = ({ side, role }) => (side === 'client' && role === 'recorder' ? 'recorder' : side);

/** @param {Usage[]} window @returns {Role[]} in order of appearance, without the capture */
const groupRoles = (window) =>
  [...Map.groupBy(window.filter(({ side }) => side !== 'capture'), ({ role }) => role)].map(([role, used]) => (
    { role, side: /** @type {Usage} */ (used.at(-1)).side, used, cores: used.map(({ cpu_s, seconds }) => cpu_s / seconds) }));

/** A role may have the same name as its side. The side's metrics are put first, and the first value stays. */
class Metrics {
  /** @type {Map<string, number>} */
  found = new Map();

  /** @param {string} name @param {number} value */
  put(name, value) {
    if (!this.found.has(name)) this.found.set(name, value);
  }

  /** Puts the amount per 1,000; nothing if the count is 0. @param {string} name @param {number} amount @param {number} count */
  putCost(name, amount, count) {
    if (count > 0) this.put(name, (amount * 1000) / count);
  }
}

/**
 * A message is one ping and its answer. Costs are per 1,000 messages answered in the phase.
 * @param {Usage[]} usage @param {Row[]} intervals of the client
 * @param {import('../captures/latency.js').Percentile[]} percentiles of the window and of steps
 * @param {{from_s: number, to_s: number, asked?: number}} window `asked`: connections that the client was to open, if known
 * @param {number} [form] of the bundle
 * @returns {Metric[]}
 */
export function computeMetrics(usage, intervals, percentiles, { from_s, to_s, asked }, form = FORM) {
  const counts = countMessages(intervals, from_s, to_s);
  const window = usage.filter(({ phase }) => phase === 'window');
  const last_s = hasOldNumbers({ form }) ? window.at(-1)?.seconds ?? NaN : undefined;
  const window_s = last_s ?? to_s - from_s;
  const inSecond = (/** @type {Usage[]} */ rows, /** @type {'cpu_s' | 'voluntary' | 'involuntary'} */ what) =>
    sum(rows, (row) => row[what] / (last_s ?? row.seconds));
  const cpu_s = (/** @type {string} */ phase, /** @type {string} */ side) =>
    sum(usage.filter((row) => row.phase === phase && sideOf(row) === side).map((row) => row.cpu_s));
  const roles = groupRoles(window);
  const metrics = new Metrics();
  putCosts(metrics, { window, inSecond, cpu_s, received: counts.received });
  for (const role of roles) putRole(metrics, role, { usage, inSecond, counts });
  const busiest = Math.max(0, ...roles.filter(({ side }) => side === 'server').flatMap(({ cores }) => cores));
  const coresOf = (/** @type {string} */ side) => inSecond(window.filter((row) => row.side === side), 'cpu_s');
  putTotals(metrics, { busiest, server_cpu_s: cpu_s('window', 'server'), coresOf, window_s, counts, asked });
  const ofLatency = percentiles.filter(({ series }) => !series.startsWith('step_'))
    .map(({ series, percentile, value_us }) => /** @type {Metric} */ ([`${series}_p${percentile}_ms`, value_us / 1000]));
  return [...metrics.found, ...ofLatency];
}

/** @typedef {(phase: string, side: string) => number} CpuOf */
/** @typedef {(rows: Usage[], what: 'cpu_s' | 'voluntary' | 'involuntary') => number} InSecond in a second, of all these processes */

/** @param {Metrics} metrics @param {{window: Usage[], inSecond: InSecond, cpu_s: CpuOf, received: Counts['received']}} given */
function putCosts(metrics, { window, inSecond, cpu_s, received }) {
  const server = window.filter(({ side }) => side === 'server');
  const [voluntary, involuntary] = [sum(server.map((row) => row.voluntary)), sum(server.map((row) => row.involuntary))];
  const known = ['server', ...(window.some(({ side }) => side === 'client') ? ['client'] : [])];
  for (const side of known) metrics.putCost(`${side}_cpu_s_per_1k`, cpu_s('window', side), received.window);
  for (const side of known) metrics.putCost(`${side}_cpu_s_per_1k_whole`, cpu_s('whole', side), received.whole);
  metrics.putCost('server_switches_per_1k', voluntary + involuntary, received.window);
  metrics.putCost('server_involuntary_per_1k', involuntary, received.window);
  metrics.put('server_voluntary_hz', inSecond(server, 'voluntary'));
  metrics.put('server_involuntary_hz', inSecond(server, 'involuntary'));
}

/** @param {Metrics} metrics @param {Role} role @param {{usage: Usage[], inSecond: InSecond, counts: Counts}} given */
function putRole(metrics, { role, side, used, cores }, { usage, inSecond, counts: { received, connected } }) {
  const role_cpu_s = sum(used.map(({ cpu_s }) => cpu_s));
  const rss_kb = used.map((row) => Number(row.rss_kb));
  metrics.putCost(`${role}_cpu_s_per_1k`, role_cpu_s, received.window);
  metrics.put(`${role}_cpu_cores`, Math.max(0, ...cores));
  metrics.put(`${role}_rss_mb`, Math.max(0, ...rss_kb) / 1024);
  const whole = usage.filter((row) => row.phase === 'whole' && row.side === side && row.role === role);
  // CPU time since the start, beyond the cost of messages, went into opening connections
  if (role !== 'recorder' && connected && received.window && whole.length) {
    const messages_cpu_s = (role_cpu_s / received.window) * received.whole;
    metrics.put(`${role}_cpu_ms_per_connection`, (1000 * (sum(whole.map(({ cpu_s }) => cpu_s)) - messages_cpu_s)) / connected);
  }
  putBalance(metrics, role, cores, inSecond(used, 'cpu_s') / used.length, used);
  if (connected > 0 && side === 'server') metrics.put(`${role}_rss_kb_per_connection`, sum(rss_kb) / connected);
}

/** How evenly the processes of a role are loaded. A server's descriptors are its connections and a few more.
 * @param {Metrics} metrics @param {string} role @param {number[]} cores @param {number} mean @param {Usage[]} used */
function putBalance(metrics, role, cores, mean, used) {
  metrics.put(`${role}_cpu_cores_mean`, mean);
  if (used.length < 2) return;
  const [idlest, busiest] = [Math.min(...cores), Math.max(0, ...cores)];
  if (mean > 0) metrics.put(`${role}_cpu_spread`, (busiest - idlest) / mean);
  if (mean > 0) metrics.put(`${role}_cpu_max_to_min`, busiest / Math.max(idlest, 1e-6));
  const held = used.flatMap(({ descriptors }) => (descriptors === undefined ? [] : [descriptors]));
  if (held.length === used.length && sum(held) > 0) metrics.put(`${role}_descriptors_cv`, variationOf(held));
}

/**
 * @param {Metrics} metrics
 * @param {{busiest: number, server_cpu_s: number, coresOf: (side: string) => number, window_s: number, counts: Counts,
 *   asked?: number}} given
 */
function putTotals(metrics, { busiest, server_cpu_s, coresOf, window_s, counts, asked }) {
  const { received, due, sent, connected, failed, dropped } = counts;
  metrics.put('busiest_cpu_cores', busiest);
  if (server_cpu_s > 0) metrics.put('messages_per_cpu_s', received.window / server_cpu_s);
  if (due > 0) metrics.put('answered_share', received.window / due);
  metrics.put('server_cpu_cores', coresOf('server'));
  metrics.put('capture_cpu_cores', coresOf('capture'));
  metrics.put('received_hz', received.window / window_s);
  metrics.put('due_hz', due / window_s);
  metrics.put('sent_hz', sent / window_s);
  if (asked && asked > 0) metrics.put('connected_share', connected / asked);
  metrics.put('connected_at_end', connected);
  metrics.put('failed', failed);
  metrics.put('dropped', dropped);
}
