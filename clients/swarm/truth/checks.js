/** The checks: each runs swarm against a fault and holds what swarm reports against what the fault must have done. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { monotonicUs } from '../../../harness/agent/clock.js';
import { readMachine } from '../../../harness/agent/machine.js';
import { ROOT } from '../../../harness/common/places.js';
import { CpuQuota, NoQuota } from '../../../harness/agent/cpu-quota.js';
import { percentileOfStall } from '../../../harness/common/stall.js';
import { makeCertificate } from './certificate.js';
import { percentileOf, simulateOneAtATime } from './expected.js';

/** @typedef {import('./bench.js').Bench} Bench */
/** @typedef {import('./bench.js').Found} Found */
/** @typedef {import('./bench.js').Load} Load */
/** @typedef {import('./verdicts.js').Verdicts} Verdicts */
/** @typedef {{rule: string, text: string}} Doubt of swarm about its own run */
/** @typedef {(bench: Bench, verdicts: Verdicts) => Promise<void>} Check */

const TOLERANCE = 0.02;
/** Three significant digits. */
const HISTOGRAM_PRECISION = 0.001;

/** Those that lie inside the stall; of those outside it there is nothing to compute. */
const STALLED_PERCENTILES = [90, 95, 99, 100];
const STALL_US = 200_000;
/** Not a whole number of periods a second, so that each second meets phases that the others did not. */
const STALL_PERIOD_MS = 1000 / 137.618;
/** Few: what waited for the end of a stall, one at a time, is then answered as fast as when nothing waits. */
const STALL_CONNECTIONS = 5;
const STALL_HOLD_S = 6;

/** Connections are up before the first stall, and there have been stalls before the window. */
const stall = () => ['--stall', `${STALL_US}us`, '--every', '1s', '--stall-from', String(Math.round(monotonicUs() + 1e6))];

/** @type {Load} */
const STALL_LOAD = {
  connections: STALL_CONNECTIONS, arrivals: { kind: 'constant', period_ms: STALL_PERIOD_MS }, settle_s: 2, hold_s: STALL_HOLD_S,
};

/** @param {Doubt[]} doubts @returns {string} */
const nameRules = (doubts) => [...new Set(doubts.map(({ rule }) => rule))].join(', ');

/** @param {number} percentile */
const name = (percentile) => (percentile === 100 ? 'max' : `p${percentile}`);

/**
 * An open loop that never waits, one that keeps one message out at a time, and a closed loop. In the first both logs tell the truth,
 * as every message is sent when it is due. In the second what falls due in the stall is sent after it: only latency.hlog, from the
 * intended time, holds the wait. The third never intends what it could not send, and reports that almost nothing waited.
 * @type {Check}
 */
async function checkStall(bench, verdicts) {
  const base = await bench.run('stall-base', [], { ...STALL_LOAD, hold_s: 2 });
  const baseUs = base.service.percentile(50);
  verdicts.show('without a stall: service p50, us', baseUs);
  const open = await bench.run('stall-open', stall(), STALL_LOAD);
  const bounded = await bench.run('stall-one-at-a-time', stall(), { ...STALL_LOAD, max_outstanding: 1 });
  const closed = await bench.run('stall-closed', stall(), { ...STALL_LOAD, arrivals: { kind: 'closed', outstanding: 1 }, hold_s: 3 });
  const simulated = simulateOneAtATime({
    stallUs: STALL_US, baseUs, periodUs: STALL_PERIOD_MS * 1000, seconds: STALL_HOLD_S, connections: 10 * STALL_CONNECTIONS,
  });
  for (const percentile of STALLED_PERCENTILES) {
    const expected = percentileOfStall(percentile, { stallUs: STALL_US, baseUs });
    const found = open.latency.percentile(percentile);
    verdicts.near(`stall: latency ${name(percentile)}, us`, expected, found, TOLERANCE * expected);
  }
  for (const percentile of STALLED_PERCENTILES) {
    const expected = percentileOf(simulated.latency, percentile);
    const found = bounded.latency.percentile(percentile);
    verdicts.near(`stall, one at a time: latency ${name(percentile)}, us`, expected, found, TOLERANCE * expected);
  }
  for (const percentile of STALLED_PERCENTILES.filter((each) => each < 100)) { // one message a connection does wait for the whole of it
    const expected = percentileOf(simulated.latency, percentile);
    verdicts.far(`stall, one at a time: service ${name(percentile)}, us`, expected, bounded.service.percentile(percentile), TOLERANCE * expected);
  }
  for (const percentile of STALLED_PERCENTILES) {
    verdicts.show(`stall, closed loop: ${name(percentile)}, us`, closed.service.percentile(percentile));
  }
  [open, bounded, closed].forEach((found, at) => checkAllAnswered(verdicts, `stall ${['', 'one at a time', 'closed loop'][at]}`.trim(), found));
}

/** Beyond 2 %: the way through two sockets, and out of sleep. */
const DELAY_TOLERANCE_US = 60;
/**
 * 4,000 messages a second, so that the loops are not far from awake; at random, as in constant phases the same messages meet each
 * other's answers again and again, and other ones with each delay.
 * @type {Load}
 */
const DELAY_LOAD = { connections: 40, arrivals: { kind: 'poisson', rate_hz_per_connection: 100 }, hold_s: 5 };
/** Long enough that swarm has gone to sleep again when the answer comes, as in the longer ones. */
const SHORT_DELAY_US = 500;
const DOUBTED = 'swarm itself doubts the run; give it an idle machine';

/**
 * The shortest delay shows what the ways and the waking add; the longer ones must add the same, at the median and at the 99th
 * percentile, and nothing may seem to have taken less than its delay.
 * @type {Check}
 */
async function checkDelay(bench, verdicts) {
  const short = await bench.run('delay-0.5', ['--delay', `${SHORT_DELAY_US}us`], DELAY_LOAD);
  const ownDoubts = nameRules(short.summary.doubts);
  if (ownDoubts) verdicts.skip('delay 0.5 ms: service p50, us', `${DOUBTED} (${ownDoubts})`);
  else verdicts.near('delay 0.5 ms: service p50, us', SHORT_DELAY_US, short.service.percentileOfQuietestSecond(50), DELAY_TOLERANCE_US);
  for (const delayMs of [1, 5, 25]) {
    const found = await bench.run(`delay-${delayMs}`, ['--delay', `${delayMs}ms`], DELAY_LOAD);
    const doubts = nameRules([...short.summary.doubts, ...found.summary.doubts]);
    if (doubts) verdicts.skip(`delay ${delayMs} ms: percentiles`, `${DOUBTED} (${doubts})`);
    else checkShift(verdicts, delayMs, short, found);
    const shortestUs = delayMs * 1000 * (1 - HISTOGRAM_PRECISION);
    verdicts.atLeast(`delay ${delayMs} ms: the shortest service, us`, found.service.percentile(0), shortestUs);
    checkAllAnswered(verdicts, `delay ${delayMs} ms`, found);
  }
}

/**
 * Each percentile is that of the quietest second, as everything that runs on the machine disturbs it.
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

const COUNTED_PERIOD_MS = 25;
/** Some 30,000 messages: 10,000 a second. @type {Load} */
const COUNTED_LOAD = { connections: 250, arrivals: { kind: 'constant', period_ms: COUNTED_PERIOD_MS }, hold_s: 2 };
const ONE_IN = 1000;

/** @type {Check} */
async function checkDrop(bench, verdicts) {
  const found = await bench.run('drop', ['--drop', String(ONE_IN)], COUNTED_LOAD);
  checkCounts(verdicts, 'drop', found, { missing: found.counts.dropped });
  verdicts.moreThan('drop: dropped by the server', found.counts.dropped, 0);
  // Matched by order, every answer after a dropped one would seem to come a period later: some 5 % of them.
  verdicts.atMost('drop: latency p99, us', found.latency.percentile(99), (COUNTED_PERIOD_MS * 1000) / 2);
}

/** @type {Check} */
async function checkClose(bench, verdicts) {
  const load = { connections: 500, arrivals: { kind: /** @type {const} */ ('constant'), period_ms: 500 }, hold_s: 3 };
  const found = await bench.run('close', ['--close', '100'], load);
  const { connections, closed_by_peer: closedByPeer } = found.summary;
  const { closed } = found.counts;
  checkCounts(verdicts, 'close', found, {});
  verdicts.equal('close: closed by peer, by code', { 1001: closed }, closedByPeer);
  verdicts.equal('close: connections dropped, remote', closed, connections.dropped_remote);
  verdicts.equal('close: connections dropped or failed, local', 0, connections.dropped_local + connections.failed_local);
  verdicts.equal('close: connections open at the end', load.connections - closed, connections.open_at_end);
  verdicts.equal('close: connections closed by the server', load.connections / 100, closed);
}

/**
 * @param {string} fault an option of the server @param {keyof Found['counts']} count the server's @param {string} counter swarm's
 * @returns {Check}
 */
const checkCounted = (fault, count, counter) => async (bench, verdicts) => {
  const found = await bench.run(fault, [`--${fault}`, String(ONE_IN)], COUNTED_LOAD);
  checkCounts(verdicts, fault, found, { [counter]: found.counts[count] });
  verdicts.moreThan(`${fault}: ${count} by the server`, found.counts[count], 0);
};

/**
 * Both sides' counts agree, and no counter but those named counted anything.
 * @param {Verdicts} verdicts @param {string} fault @param {Found} found @param {Record<string, number>} faults by swarm's counter
 */
function checkCounts(verdicts, fault, { summary: { window, totals }, counts }, faults) {
  verdicts.equal(`${fault}: sent (received by the server)`, counts.received, totals.sent);
  verdicts.equal(`${fault}: received (answered by the server)`, counts.answered, totals.received);
  const expected = { missing: counts.received - counts.answered, duplicate: 0, out_of_order: 0, wrong: 0, unasked: 0, ...faults };
  for (const [counter, value] of Object.entries(expected)) verdicts.equal(`${fault}: ${counter}`, value, totals[counter]);
  // Of the window, as in the first moments connections are not up yet, and what falls due on them is not the server's fault.
  verdicts.equal(`${fault}: due in the window (sent, or lost to the server)`, window.sent + window.unsent_remote, window.due);
}

/** @param {Verdicts} verdicts @param {string} run @param {Found} found */
function checkAllAnswered(verdicts, run, { summary: { totals } }) {
  const { missing, duplicate, out_of_order: outOfOrder, wrong } = totals;
  verdicts.equal(`${run}: missing, duplicate, out of order, wrong`, [0, 0, 0, 0], [missing, duplicate, outOfOrder, wrong]);
}

/**
 * Over TLS the same faults are found to the message, with a certificate that is verified.
 * @type {Check}
 */
async function checkTls(bench, verdicts) {
  for (const [fault, count, counter] of /** @type {const} */ ([['drop', 'dropped', 'missing'], ['corrupt', 'corrupted', 'wrong']])) {
    const ca = join(bench.folder, `tls-${fault}.pem`);
    const found = await bench.run(`tls-${fault}`, ['--tls', ca, `--${fault}`, String(ONE_IN)], { ...COUNTED_LOAD, tls: { ca } });
    checkCounts(verdicts, `tls, ${fault}`, found, { [counter]: found.counts[count] });
    verdicts.equal(`tls, ${fault}: handshakes that swarm verified`, [COUNTED_LOAD.connections, true], secured(found));
  }
}

/** @param {Found} found @returns {[number, boolean]} */
function secured({ summary: { tls } }) {
  const counts = /** @type {number[]} */ (Object.values(tls.agreed));
  return [counts.reduce((sum, count) => sum + count, 0), tls.verified];
}

/** Both windows as they are by default, none, and small ones. @type {[string, object][]} */
const DEFLATE_OFFERS = [
  ['as it is', {}],
  ['no takeover', { server_no_context_takeover: true, client_no_context_takeover: true }],
  ['small windows', { server_max_window_bits: 9, client_max_window_bits: 9 }],
];
const DEFLATE_LOAD = { ...COUNTED_LOAD, connections: 50, payload: { type: 'text', bytes: 500 } };

/**
 * The server is Node's ws, with zlib: it ends a connection over a byte that does not decompress.
 * @type {Check}
 */
async function checkDeflate(bench, verdicts) {
  if (!existsSync(join(ROOT, 'servers/ws/node_modules/ws'))) {
    verdicts.skip('deflate: counts', 'servers/ws is not installed; make install PARTS=servers/ws');
    return;
  }
  const own = makeCertificate(bench.folder);
  const runs = DEFLATE_OFFERS.map(([how, deflate]) => ({ how, deflate, files: /** @type {string[]} */ ([]), tls: {} }));
  if (own) runs.push({ how: 'over TLS of OpenSSL', deflate: {}, files: [own.certificate, own.key], tls: { tls: { ca: own.certificate } } });
  else verdicts.skip('deflate, over TLS of OpenSSL: counts', 'openssl is not installed');
  for (const { how, deflate, files, tls } of runs) {
    const server = [process.execPath, join(import.meta.dirname, 'peers/deflating.js'), ...files];
    const found = await bench.run(`deflate-${how.replaceAll(' ', '-')}`, [], { ...DEFLATE_LOAD, deflate, ...tls }, { server });
    checkCounts(verdicts, `deflate, ${how}`, found, {});
    const { agreed, declined, sent_b: sentB } = found.summary.deflate;
    verdicts.equal(`deflate, ${how}: declined, and kinds of agreement`, [0, 1], [declined, Object.keys(agreed).length]);
    verdicts.equal(`deflate, ${how}: bytes before compression (read by the server)`, found.counts.received_b, sentB);
  }
}

const QUOTA_CORES = 0.1;
/** 20,000 messages a second: more than a tenth of a core can send. @type {Load} */
const STARVING_LOAD = { connections: 100, arrivals: { kind: 'constant', period_ms: 5 }, hold_s: 4 };
/** Where others use more, a generator that doubts is right to. */
const IDLE_SHARE = 0.1;

/** @type {Check} */
async function checkStarved(bench, verdicts) {
  const { busy_share: busyShare } = await readMachine(ROOT);
  const free = await bench.run('starved-not', [], STARVING_LOAD);
  const /** @type {{processes: {cpu_s: number}[], doubts: Doubt[]}} */ { processes, doubts } = free.summary;
  const cpuS = processes.reduce((sum, process) => sum + process.cpu_s, 0);
  verdicts.moreThan('without a quota: cores that swarm used', cpuS / STARVING_LOAD.hold_s, QUOTA_CORES);
  if (doubts.length > 0 && busyShare > IDLE_SHARE) {
    verdicts.skip('without a quota: doubts', `others kept the machine ${Math.round(busyShare * 100)} % busy; run it again on an idle one (${nameRules(doubts)})`);
  } else {
    verdicts.equal('without a quota: doubts', '', nameRules(doubts));
  }
  await checkQuota(bench, verdicts);
}

/** @param {Bench} bench @param {Verdicts} verdicts */
async function checkQuota(bench, verdicts) {
  let quota;
  try {
    quota = new CpuQuota(QUOTA_CORES);
    const confined = quota;
    const { summary } = await bench.run('starved', [], STARVING_LOAD, { confine: (argv) => confined.confine(argv) });
    verdicts.moreThan('a tenth of a core: number of doubts', summary.doubts.length, 0);
    verdicts.show('a tenth of a core: of what rules', nameRules(summary.doubts));
  } catch (error) {
    if (!(error instanceof NoQuota)) throw error;
    verdicts.skip('a tenth of a core: number of doubts', error.message);
  } finally {
    await quota?.remove();
  }
}

/** @type {[string, Check][]} */
export const CHECKS = [
  ['stall', checkStall],
  ['delay', checkDelay],
  ['drop', checkDrop],
  ['close', checkClose],
  ['duplicate', checkCounted('duplicate', 'duplicated', 'duplicate')],
  ['reorder', checkCounted('reorder', 'reordered', 'out_of_order')],
  ['corrupt', checkCounted('corrupt', 'corrupted', 'wrong')],
  ['tls', checkTls],
  ['deflate', checkDeflate],
  ['starved', checkStarved],
];
