/** Checks of times: a server that stalls, and one that answers late. Not judged if the machine was busy. */
import { join } from 'node:path';
import { monotonicUs } from '../../../harness/agent/clock.js';
import { percentileOfStall } from '../../../harness/common/stall.js';
import { checkAllAnswered } from './counts.js';
import { percentileOf, simulateOneAtATime } from './expected.js';
import { findNoise } from './quiet.js';

/** @typedef {import('./bench.js').Bench} Bench */
/** @typedef {import('./bench.js').Found} Found */
/** @typedef {import('./bench.js').Load} Load */
/** @typedef {import('./verdicts.js').Verdicts} Verdicts */
/** @typedef {import('./checks.js').Check} Check */

const TOLERANCE = 0.02;
/** Three significant digits. */
const HISTOGRAM_PRECISION = 0.001;

/** Percentiles within the stall. Others can't be computed. */
const STALLED_PERCENTILES = [90, 95, 99, 100];
const STALL_US = 200_000;
/** Not a whole number of periods per second, so that each second has other phases. */
const STALL_PERIOD_MS = 1000 / 137.618;
/** Few, so that after a stall the waiting messages, one per connection, are answered as fast as at other times. */
const STALL_CONNECTIONS = 5;
const STALL_HOLD_S = 6;

/** Options for stalls. Connections are up before the first stall, and the first stall is before the window. */
export const stall = () => ['--stall', `${STALL_US}us`, '--every', '1000000us', '--stall-from', String(Math.round(monotonicUs() + 1e6))];

/** @type {Load} */
const STALL_LOAD = {
  connections: STALL_CONNECTIONS, arrivals: { kind: 'constant', period_ms: STALL_PERIOD_MS }, settle_s: 2, hold_s: STALL_HOLD_S,
};

const SLOW_PERIOD_MS = 1000 / 23.618;
/** For a server that takes over 0.1 ms for a message: at most ten wait at the end of a stall. @type {Load} */
const SLOW_STALL_LOAD = { ...STALL_LOAD, connections: 2, arrivals: { kind: 'constant', period_ms: SLOW_PERIOD_MS }, hold_s: 30 };

/**
 * @param {number} baseUs time of an answer without a stall @param {number} expectedUs latency of a message in a stall
 * @returns {number} the most that messages due before it in the stall can delay its answer, by a slow server
 */
const delayByOthersUs = (baseUs, expectedUs) =>
  baseUs * SLOW_STALL_LOAD.connections * ((STALL_US + baseUs - expectedUs) / (SLOW_PERIOD_MS * 1000));

/** @param {number} percentile */
const name = (percentile) => (percentile === 100 ? 'max' : `p${percentile}`);

/**
 * Compares three loads. An unlimited open loop sends every message when due, and both logs are right. An open loop with one message
 * outstanding sends after the stall what fell due in it: only latency.hlog, from the intended time, has the wait. A closed loop never
 * intends what it could not send, and reports almost no waits.
 * @type {Check}
 */
export async function checkStall(bench, verdicts) {
  const { base, open } = await checkOpenStall(bench, verdicts, 'stall', { base: {}, stalled: () => ({ faults: stall() }) });
  const bounded = await bench.run('stall-one-at-a-time', stall(), { ...STALL_LOAD, max_outstanding: 1 });
  const closed = await bench.run('stall-closed', stall(), { ...STALL_LOAD, arrivals: { kind: 'closed', outstanding: 1 }, hold_s: 3 });
  const noise = findNoise(base, open, bounded);
  if (noise) verdicts.skip('stall, one at a time: percentiles', noise);
  else checkOneAtATime(verdicts, base.service.percentile(50), bounded);
  for (const percentile of STALLED_PERCENTILES) {
    verdicts.show(`stall, closed loop: ${name(percentile)}, us`, closed.service.percentile(percentile));
  }
  checkAllAnswered(verdicts, 'stall, one at a time', bounded);
  checkAllAnswered(verdicts, 'stall, closed loop', closed);
}

/** @param {Verdicts} verdicts @param {number} baseUs without a stall @param {Found} bounded */
function checkOneAtATime(verdicts, baseUs, bounded) {
  const simulated = simulateOneAtATime({
    stallUs: STALL_US, baseUs, periodUs: STALL_PERIOD_MS * 1000, seconds: STALL_HOLD_S, connections: 10 * STALL_CONNECTIONS,
  });
  for (const percentile of STALLED_PERCENTILES) {
    const expected = percentileOf(simulated.latency, percentile);
    const found = bounded.latency.percentile(percentile);
    verdicts.near(`stall, one at a time: latency ${name(percentile)}, us`, expected, found, TOLERANCE * expected);
  }
  for (const percentile of STALLED_PERCENTILES.filter((each) => each < 100)) { // at the maximum, service has the stall too
    const expected = percentileOf(simulated.latency, percentile);
    verdicts.far(`stall, one at a time: service ${name(percentile)}, us`, expected, bounded.service.percentile(percentile), TOLERANCE * expected);
  }
}

/** @typedef {{faults?: string[], server?: string[]}} Serving options of truth-server, or another server */

/**
 * Checks that an open loop shows a stall as computed: the percentiles within it, given the median service time without stalls.
 * @param {Bench} bench @param {Verdicts} verdicts @param {string} run
 * @param {{base: Serving, stalled: () => Serving, load?: Partial<Load>, isSlow?: boolean}} how `stalled`: called just before the start;
 *   `load`: changes of it; `isSlow`: the server takes over 0.1 ms for a message
 * @returns {Promise<{base: Found, open: Found}>}
 */
export async function checkOpenStall(bench, verdicts, run, { base: free, stalled, load: changes, isSlow = false }) {
  const load = { ...(isSlow ? SLOW_STALL_LOAD : STALL_LOAD), ...changes };
  const folder = run.replaceAll(/[^A-Za-z]+/g, '-');
  const start = (/** @type {string} */ which, /** @type {Load} */ asked, /** @type {Serving} */ { faults = [], server }) =>
    bench.run(`${folder}-${which}`, faults, asked, server ? { server } : {});
  const base = await start('base', { ...load, hold_s: 2 }, free);
  const open = await start('open', load, stalled());
  const baseUs = base.service.percentile(50);
  verdicts.show(`${run}: service p50 without it, us`, baseUs);
  const noise = findNoise(base, open);
  if (noise) {
    verdicts.skip(`${run}: percentiles`, noise);
  } else {
    for (const percentile of STALLED_PERCENTILES) {
      const expected = percentileOfStall(percentile, { stallUs: STALL_US, baseUs });
      const bound = TOLERANCE * expected + (isSlow ? delayByOthersUs(baseUs, expected) : 0);
      verdicts.near(`${run}: latency ${name(percentile)}, us`, expected, open.latency.percentile(percentile), bound);
    }
  }
  checkAllAnswered(verdicts, run, open);
  return { base, open };
}

/** The same over TLS with a verified certificate. @type {Check} */
export async function checkStallOverTls(bench, verdicts) {
  const ca = join(bench.folder, 'stall-tls.pem');
  const base = { faults: ['--tls', ca] };
  await checkOpenStall(bench, verdicts, 'tls, stall', { load: { tls: { ca } }, base, stalled: () => ({ faults: [...base.faults, ...stall()] }) });
}

/** Smallest tolerance, if 2 % are less: for the way through two sockets, and for waking up. */
const DELAY_TOLERANCE_US = 60;
/**
 * 4,000 messages a second, so that the event loops rarely sleep deeply. At random: with constant phases the same messages would
 * collide with the same answers all the time, and with others at each delay.
 * @type {Load}
 */
const DELAY_LOAD = { connections: 40, arrivals: { kind: 'poisson', rate_hz_per_connection: 100 }, hold_s: 5 };
/** Long enough for swarm to be asleep again when the answer comes, as with the longer delays. */
const SHORT_DELAY_US = 500;

/**
 * The shortest delay shows the overhead of transport and wake-ups. The longer delays must have the same overhead, at the median and
 * the 99th percentile. No answer may seem faster than its delay.
 * @type {Check}
 */
export async function checkDelay(bench, verdicts) {
  const short = await bench.run('delay-0.5', ['--delay', `${SHORT_DELAY_US}us`], DELAY_LOAD);
  const noise = findNoise(short);
  if (noise) verdicts.skip('delay 0.5 ms: service p50, us', noise);
  else verdicts.near('delay 0.5 ms: service p50, us', SHORT_DELAY_US, short.service.percentileOfQuietestSecond(50), DELAY_TOLERANCE_US);
  for (const delayMs of [1, 5, 25]) {
    const found = await bench.run(`delay-${delayMs}`, ['--delay', `${delayMs}ms`], DELAY_LOAD);
    const noises = findNoise(short, found);
    if (noises) verdicts.skip(`delay ${delayMs} ms: percentiles`, noises);
    else checkShift(verdicts, delayMs, short, found);
    const shortestUs = delayMs * 1000 * (1 - HISTOGRAM_PRECISION);
    verdicts.atLeast(`delay ${delayMs} ms: the shortest service, us`, found.service.percentile(0), shortestUs);
    checkAllAnswered(verdicts, `delay ${delayMs} ms`, found);
  }
}

/**
 * Checks the overhead by the percentiles of the quietest second, because other processes on the machine disturb them.
 * @param {Verdicts} verdicts @param {number} delayMs @param {Found} short @param {Found} found
 */
function checkShift(verdicts, delayMs, short, found) {
  const delayUs = delayMs * 1000;
  const boundUs = Math.max(TOLERANCE * delayUs, DELAY_TOLERANCE_US);
  for (const series of /** @type {const} */ (['service', 'latency'])) {
    for (const percentile of [50, 99]) {
      const addedUs = short[series].percentileOfQuietestSecond(percentile) - SHORT_DELAY_US;
      const us = found[series].percentileOfQuietestSecond(percentile);
      verdicts.near(`delay ${delayMs} ms: ${series} ${name(percentile)}, us`, delayUs + addedUs, us, boundUs);
    }
  }
}
