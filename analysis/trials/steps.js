/** Use of CPU by each role in each step of a sweep, from the kernel's cumulative accounts, and how much of the load was answered. */
import { group, range, sum } from 'd3-array';
import { severityOf } from './disturbed-steps.js';
import { subtractStep } from '../captures/accounts.js';
import { isIn } from '../captures/seconds.js';
import { cellOf, digitsOf } from '../digits.js';
import { stands } from '../statistics/curve.js';

/** @typedef {Record<string, string>} Row */
/** @typedef {import('../captures/latency.js').Percentile} Percentile */
/**
 * @typedef {object} Used by one process in one step
 * @property {number} step @property {string} side @property {string} role @property {number} seconds
 * @property {number} cpu_cores @property {number} wait_cores @property {number} wakeups_hz @property {number} preempted_hz
 */
/** @typedef {{due: number, received: number, connected: number, out: number}} Load of a step; `out`: unanswered when it ended */

const USE = ['processes', 'cpu_cores', 'busiest_cpu_cores', 'wait_cores', 'wakeups_hz', 'preempted_hz'];
const LOAD = ['connected', 'due_hz', 'received_hz', 'backlog_s', 'latency_p50_ms', 'latency_p99_ms', 'latency_mean_ms'];
const COLUMNS = ['step', 'total_rate_hz', 'batch', 'seconds', 'side', 'role', ...USE, ...LOAD];
/** Column for the rate as a share of saturation, if the harness asked for shares. */
const SHARE = 'share';
/** Role for all processes of the server together. */
const ALL = 'server';

/** @param {Row[]} steps of the harness @returns {string[]} */
export const stepColumns = (steps) => [...COLUMNS, ...(steps.some((step) => SHARE in step) ? [SHARE] : [])];

/** @param {{side: string, role: string}} process @returns {boolean} does it belong to the server or the load? */
const isMeasured = ({ side, role }) => side !== 'capture' && side !== 'companion' && role !== 'recorder';

/**
 * @param {Row[]} accounts with marks step_<n>_from and step_<n>_to; window_end for the last step @param {number} last step
 * @returns {Used[]} processes present at both ends of a step
 */
const listUsed = (accounts, last) =>
  range(1, last + 1).flatMap((step) => subtractStep(accounts, step, last).filter(isMeasured)
    .flatMap(({ side, role, seconds, cpu_s, wait_s, voluntary, involuntary }) => {
      const shares = { cpu_cores: cpu_s / seconds, wait_cores: wait_s / seconds };
      const used = { step, side, seconds, ...shares, wakeups_hz: voluntary / seconds, preempted_hz: involuntary / seconds };
      return [{ ...used, role }, ...(side === 'server' ? [{ ...used, role: ALL }] : [])];
    }));

/**
 * @param {Row[]} steps @param {Row[]} intervals of the client, one row per second
 * @param {number} [begin_s] of the sweep. Before it the load of its first step runs, while connections may still open: what is not sent
 *   then is no backlog
 * @returns {Map<number, Load>} by step
 */
function countLoads(steps, intervals, begin_s = 0) {
  let out = 0;
  const outAt = new Map(intervals.map(({ t_s, due, sent, received }) => {
    out += Number(Number(t_s) < begin_s ? sent : due) - Number(received);
    return [Number(t_s) + 1, out];
  }));
  return new Map(steps.map(({ step, from_s, to_s }) => {
    const own = intervals.filter(isIn({ from_s: Number(from_s), to_s: Number(to_s) }));
    const [due, received] = ['due', 'received'].map((column) => sum(own, (second) => Number(second[column])));
    const out_at_end = Math.max(0, outAt.get(Number(to_s)) ?? 0);
    return [Number(step), { due, received, connected: Number(own.at(-1)?.connected ?? 0), out: out_at_end }];
  }));
}

/**
 * Computes a row per step and role of the server and the load, and one for all server processes (role server). `cpu_cores` sums
 * over the role's processes. A wake-up is a voluntary context switch. `backlog_s` is the number of messages due since the sweep
 * began, or sent before it, and unanswered at the end of this step, over the messages due per second (at least one).
 * @param {Row[]} steps of the harness: step, total_rate_hz, batch, from_s, to_s; share, if it asked for shares
 * @param {Row[]} accounts @param {Row[]} intervals of the client @param {Percentile[]} percentiles
 * @param {Set<number>} [left_out] disturbed steps, which get no rows @param {number} [begin_s] of the sweep
 * @returns {Record<string, unknown>[]} by stepColumns
 */
export function computeSteps(steps, accounts, intervals, percentiles, left_out = new Set(), begin_s = 0) {
  const used = listUsed(accounts, steps.length);
  const loads = countLoads(steps, intervals, begin_s);
  const roles = [...group(used, ({ side, role }) => `${side}\t${role}`).values()];
  return steps.filter(({ step }) => !left_out.has(Number(step))).flatMap((step) => {
    const load = describeLoad(step, /** @type {Load} */ (loads.get(Number(step.step))), percentiles);
    const used_in = roles.map((role) => role.filter((each) => each.step === Number(step.step)));
    return used_in.filter((own) => own.length > 0).map((own) => ({ ...step, ...load, ...describeUse(own) }));
  });
}

/** @param {Used[]} own processes of a role in a step @returns {Record<string, unknown>} */
function describeUse(own) {
  const { side, role, seconds } = /** @type {Used} */ (own.at(-1));
  const all = (/** @type {'cpu_cores' | 'wait_cores' | 'wakeups_hz' | 'preempted_hz'} */ column) => sum(own, (used) => used[column]);
  return {
    side, role, seconds: seconds.toFixed(6), processes: own.length,
    cpu_cores: all('cpu_cores').toFixed(6),
    busiest_cpu_cores: Math.max(0, ...own.map(({ cpu_cores }) => cpu_cores)).toFixed(6),
    wait_cores: all('wait_cores').toFixed(6),
    wakeups_hz: digitsOf(all('wakeups_hz')),
    preempted_hz: digitsOf(all('preempted_hz')),
  };
}

/** @param {Row} step @param {Load} load @param {Percentile[]} percentiles @returns {Record<string, unknown>} */
function describeLoad({ step, from_s, to_s }, { due, received, connected, out }, percentiles) {
  const window_s = Number(to_s) - Number(from_s);
  const ms = (/** @type {Percentile['percentile']} */ wanted) => {
    const found = percentiles.find(({ series, percentile }) => series === `step_${step}` && percentile === wanted);
    return cellOf(found && found.value_us / 1000);
  };
  return {
    connected,
    due_hz: digitsOf(due / window_s),
    received_hz: digitsOf(received / window_s),
    backlog_s: digitsOf(out / Math.max(1, due / window_s)),
    latency_p50_ms: ms(50), latency_p99_ms: ms(99), latency_mean_ms: ms('mean'),
  };
}

/**
 * Lists the steps of a sweep that a rule flags. Their latencies leave the trial's percentiles; `all` leaves steps.tsv too.
 * @param {string} trial @param {Row[]} steps of the harness
 * @param {Row[]} validity rule, value, bound, passed, severity: "step <n>" or "latency of step <n>" for a step
 * @returns {Row[]} trial, step, total_rate_hz, leaves (all, or latency), reason, value, bound; a row per rule and step
 */
export function listDisturbed(trial, steps, validity) {
  const found = new Map(steps.flatMap(({ step, total_rate_hz }) => /** @type {const} */ (['all', 'latency']).map((leaves) =>
    [severityOf({ step: Number(step), leaves }), { step, total_rate_hz, leaves }])));
  return validity.filter(({ passed }) => passed === 'no').flatMap(({ rule, value, bound, severity }) => {
    const what = found.get(severity);
    return what ? [{ trial, ...what, reason: rule, value, bound }] : [];
  });
}

/**
 * The share of a sweep's messages without any answer, over the steps that the server kept up with and whose latencies stand: those of
 * others are not counted in `percentiles`.
 * @param {Row[]} steps of the harness @param {Row[]} intervals of the client
 * @param {Percentile[]} percentiles `samples` of a step's mean counts all its answers
 * @param {Record<string, unknown>[]} rows of computeSteps
 * @returns {[metric: string, value: number][]} empty if nothing fell due in these steps
 */
export function computeUnanswered(steps, intervals, percentiles, rows) {
  const loads = countLoads(steps, intervals);
  const kept = rows.filter(({ side, backlog_s }) => side === 'server' && stands(String(backlog_s)));
  const counted = new Map(percentiles.filter(({ percentile }) => percentile === 'mean').map(({ series, samples }) => [series, samples]));
  const numbers = [...new Set(kept.map(({ step }) => Number(step)))].filter((step) => counted.has(`step_${step}`));
  const due = sum(numbers, (step) => loads.get(step)?.due);
  const answered = sum(numbers, (step) => counted.get(`step_${step}`));
  return due > 0 ? [['unanswered_share', (due - answered) / due]] : [];
}
