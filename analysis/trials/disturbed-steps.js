/**
 * Finds the disturbed steps of a sweep: the client sent late, or answers stopped while the server was not busy. They are left out of
 * steps.tsv, of its results, and of the trial's percentiles. If the load's own core was full, only their latencies are left out. Metrics
 * of the whole window keep them. A step that a busy server did not answer completely is a result (analysis/statistics/curve.js).
 */
import { join } from 'node:path';
import { subtractStep } from '../captures/accounts.js';
import { isIn, sumOf } from '../captures/seconds.js';
import { readTrial } from '../../harness/common/bundle.js';
import { readTsv } from '../../harness/common/files.js';

/** @typedef {Record<string, string>} Row of a table */
/** @typedef {{step: number, total_rate_hz: number, from_s: number, to_s: number}} Span of a step, with the lead-in before its window */
/**
 * @typedef {{step: number, leaves: 'all' | 'latency', rule: string, value: number, bound: number, words: string}} Disturbed `leaves`:
 *   what is left out, the whole step or its latencies
 */
/** @typedef {{loaded: number, disturbed: Disturbed[]}} Steps of a sweep; `loaded`: how many have messages */
/**
 * @typedef {{from_s: number, to_s: number, stopped: number[], isCaughtUp: boolean, dropped: number}} Stop of the answers; `stopped`: the
 *   seconds with too few of them
 */

/** Answers have stopped in a second with fewer answers than this share of the messages sent. */
const STOPPED_SHARE = 0.5;
/** A second with fewer messages cannot be judged. */
const SENT_MIN = 20;
/** If answers exceed sends by this share, the backlog arrives. Once they differ by less, the stop is over. */
const NEAR_SHARE = 0.1;
/** If the server's busiest process ran or waited for a core for this share of a step, answers waited for the server. */
const BUSY_SHARE = 0.8;
/** Late sends of one host, if several make the load; the same bound as for a whole trial. */
const SLOW_SHARE_MAX = 0.1;

/** A load process at this share of a core is at its limit (statistics/curve.js): nothing else made its sends late. */
const FULL_SHARE = 0.9;

/** The severity of a row of validity.tsv that is about one step. @param {Pick<Disturbed, 'step' | 'leaves'>} disturbed */
export const severityOf = ({ step, leaves }) => `${leaves === 'all' ? '' : `${leaves} of `}step ${step}`;

/**
 * @param {string} folder of a trial @param {Record<string, number>} bounds of the manifest
 * @returns {Steps | undefined} undefined if it is no sweep
 */
export function readSteps(folder, bounds) {
  const raw = join(folder, 'raw');
  const { from_s, hosts = [], client } = readTrial(folder);
  const spans = listSpans(readTsv(join(raw, 'steps.tsv')), from_s);
  if (spans.length === 0) return undefined;
  const read = (/** @type {string[]} */ ...path) => readTsv(join(raw, ...path, 'client', 'intervals.tsv'));
  const ofHosts = hosts.filter((/** @type {any} */ { connections }) => connections)
    .map(({ name = '' }) => ({ name, seconds: read('hosts', name) }));
  const seconds = read();
  const accounts = readTsv(join(raw, 'accounts.tsv'));
  const busy = readBusy(accounts, 'server', spans.length);
  const load = readBusy(accounts, 'client', spans.length, client.threads);
  return {
    loaded: spans.filter(({ total_rate_hz }) => total_rate_hz > 0).length,
    disturbed: [
      ...judgeLate(spans, seconds, { bound: bounds.late_share_max, load }), ...judgeHosts(spans, ofHosts, load),
      ...judgeStops(spans, seconds, busy),
    ],
  };
}

/** @param {Row[]} steps @param {number} begin_s of the sweep @returns {Span[]} */
export const listSpans = (steps, begin_s) => steps.map(({ step, total_rate_hz, to_s }, index) => ({
  step: Number(step), total_rate_hz: Number(total_rate_hz), from_s: Number(steps[index - 1]?.to_s ?? begin_s), to_s: Number(to_s),
}));

/**
 * Judges steps by late sends, with one message tolerated. If the load's own core was full, the step keeps its costs.
 * @param {Span[]} spans @param {Row[]} seconds @param {{bound: number, load: Busy}} how `load`: its busiest process
 * @returns {Disturbed[]} none if the generator does not report late sends by the second
 */
const judgeLate = (spans, seconds, { bound, load }) => spans.flatMap(/** @returns {Disturbed[]} */ (span) => {
  const { step } = span;
  const own = seconds.filter(isIn(span));
  const value = Math.max(0, sumOf(own, 'late', 0) - 1) / Math.max(1, sumOf(own, 'due', 0));
  if (value <= bound) return [];
  const { cpu } = load(step);
  if (cpu < FULL_SHARE) return [{ step, leaves: 'all', rule: 'late-sends', value, bound, words: 'share of its sends later than late_ms' }];
  const words = 'share of a core that its busiest load process used, while sends were late';
  return [{ step, leaves: 'latency', rule: 'generator-cpu', value: cpu, bound: FULL_SHARE, words }];
});

/**
 * @param {Span[]} spans @param {{name: string, seconds: Row[]}[]} hosts that made the load, if several @param {Busy} load
 * @returns {Disturbed[]}
 */
const judgeHosts = (spans, hosts, load) => spans.flatMap((span) => hosts.flatMap(({ name, seconds }) =>
  judgeLate([span], seconds, { bound: SLOW_SHARE_MAX, load }).filter(({ leaves }) => leaves === 'all')
    .map((found) => ({ ...found, rule: 'slow-host', words: `share of the sends of ${name} later than late_ms` }))));

/**
 * @typedef {(step: number) => {cpu: number, needed: number}} Busy shares of the step that the busiest process ran, and ran or waited to run
 */
/** @param {Row[]} accounts @param {string} side @param {number} last step @param {number} [threads] of a process @returns {Busy} */
const readBusy = (accounts, side, last, threads = 1) => (step) => {
  const all = subtractStep(accounts, step, last).filter((used) => used.side === side && used.role !== 'recorder')
    .map(({ seconds, cpu_s, wait_s }) => ({ cpu: cpu_s / seconds / threads, needed: (cpu_s + wait_s) / seconds / threads }));
  return { cpu: Math.max(0, ...all.map(({ cpu }) => cpu)), needed: Math.max(0, ...all.map(({ needed }) => needed)) };
};

/**
 * Finds steps in which a link was down or a host was away: messages leave in time, but no answers come from a server that is not busy.
 * @param {Span[]} spans @param {Row[]} seconds @param {Busy} busy @returns {Disturbed[]}
 */
function judgeStops(spans, seconds, busy) {
  /** @typedef {{from_s: number, to_s: number}} Time @type {(a: Time, b: Time) => boolean} */
  const touches = (a, b) => a.from_s < b.to_s && a.to_s > b.from_s;
  const found = findStops(seconds.filter(({ t_s }) => Number(t_s) >= spans[0].from_s)).filter(({ stopped }) =>
    spans.some((span) => stopped.some((t_s) => touches(span, { from_s: t_s, to_s: t_s + 1 })) && busy(span.step).needed < BUSY_SHARE));
  const words = 'seconds in it, or just before, in which answers stopped and the server was not busy';
  return spans.flatMap((span) => {
    const value = found.filter((stop) => touches(span, stop)).reduce((sum, { stopped }) => sum + stopped.length, 0);
    return value ? [{ step: span.step, leaves: 'all', rule: 'answers-stopped', value, bound: 0, words }] : [];
  });
}

/** @param {Row[]} seconds from the sweep's start to the end of the drain @returns {Stop[]} each until its backlog has arrived */
function findStops(seconds) {
  /** @type {Stop[]} */
  const stops = [];
  /** @type {Stop | undefined} */
  let open;
  let out = 0;
  for (const row of seconds) {
    const [t_s, sent, received] = [row.t_s, row.sent, row.received].map(Number);
    out += sent - received;
    const isStopped = sent >= SENT_MIN && received < STOPPED_SHARE * sent;
    if (isStopped && !open) stops.push(open = { from_s: t_s, to_s: t_s, stopped: [], isCaughtUp: false, dropped: 0 });
    if (!open) continue;
    if (isStopped) open.stopped.push(t_s);
    open.to_s = t_s + 1;
    open.dropped += Number(row.dropped);
    open.isCaughtUp ||= received > (1 + NEAR_SHARE) * sent;
    const isAsBefore = out <= NEAR_SHARE * sent || (sent > 0 && Math.abs(received - sent) <= NEAR_SHARE * sent);
    if (!isStopped && isAsBefore) open = undefined;
  }
  // A server that is slow with all answers shows no burst of them, and lost connections are a result
  return stops.filter((stop) => (stop.isCaughtUp || stop === open) && stop.dropped === 0);
}
