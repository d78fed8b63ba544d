/** The checks. Each runs swarm against a fault, and compares its report with the effect that the fault must have had. */
import { join } from 'node:path';
import { CpuQuota, NoQuota } from '../../../harness/agent/cpu-quota.js';
import { sumCpuS } from './bench.js';
import { OTHERS_MAX } from './company.js';
import { NO_OPENSSL, makeCertificate } from './certificate.js';
import { checkCounts, checkDeflated, checkSecured } from './counts.js';
import { FOREIGN_CHECKS } from './foreign.js';
import { PEERS, install } from './peers.js';
import { findNoise, nameRules } from './quiet.js';
import { checkDelay, checkStall, checkStallOverTls } from './times.js';

/** @typedef {import('./bench.js').Bench} Bench */
/** @typedef {import('./bench.js').Found} Found */
/** @typedef {import('./bench.js').Load} Load */
/** @typedef {import('./verdicts.js').Verdicts} Verdicts */
/** @typedef {(bench: Bench, verdicts: Verdicts) => Promise<void>} Check */

const COUNTED_PERIOD_MS = 25;
/** Some 30,000 messages: 10,000 a second. @type {Load} */
const COUNTED_LOAD = { connections: 250, arrivals: { kind: 'constant', period_ms: COUNTED_PERIOD_MS }, hold_s: 2 };
const ONE_IN = 1000;

/** @type {Check} */
async function checkDrop(bench, verdicts) {
  const found = await bench.run('drop', ['--drop', String(ONE_IN)], COUNTED_LOAD);
  checkCounts(verdicts, 'drop', found, { missing: found.counts.dropped });
  verdicts.moreThan('drop: dropped by the server', found.counts.dropped, 0);
  // If swarm matched by order, every answer after a dropped one would seem a period late: some 5 % of all.
  const noise = findNoise(found);
  if (noise) verdicts.skip('drop: latency p99, us', noise);
  else verdicts.atMost('drop: latency p99, us', found.latency.percentile(99), (COUNTED_PERIOD_MS * 1000) / 2);
}

/** @type {Load} */
const CLOSED_LOAD = { connections: 500, arrivals: { kind: 'constant', period_ms: 500 }, hold_s: 3 };
const CLOSED_ONE_IN = 100;

/** @param {Verdicts} verdicts @param {string} run @param {Found} found of `CLOSED_LOAD` */
function checkClosed(verdicts, run, found) {
  const { connections, closed_by_peer: closedByPeer } = found.summary;
  const { closed } = found.counts;
  checkCounts(verdicts, run, found, {});
  verdicts.equal(`${run}: closed by peer, by code`, { 1001: closed }, closedByPeer);
  verdicts.equal(`${run}: connections dropped, remote`, closed, connections.dropped_remote);
  verdicts.equal(`${run}: connections dropped or failed, local`, 0, connections.dropped_local + connections.failed_local);
  verdicts.equal(`${run}: connections open at the end`, CLOSED_LOAD.connections - closed, connections.open_at_end);
  verdicts.equal(`${run}: connections closed by the server`, CLOSED_LOAD.connections / CLOSED_ONE_IN, closed);
}

/** @type {Check} */
async function checkClose(bench, verdicts) {
  checkClosed(verdicts, 'close', await bench.run('close', ['--close', String(CLOSED_ONE_IN)], CLOSED_LOAD));
}

/** Option of the server, its count, and swarm's counter. @type {[fault: string, count: import('./bench.js').Count, counter: string][]} */
const COUNTED = [
  ['drop', 'dropped', 'missing'],
  ['duplicate', 'duplicated', 'duplicate'],
  ['reorder', 'reordered', 'out_of_order'],
  ['corrupt', 'corrupted', 'wrong'],
];

/** @param {(typeof COUNTED)[number]} what @returns {Check} */
const checkCounted = (...[fault, count, counter]) => async (bench, verdicts) => {
  const found = await bench.run(fault, [`--${fault}`, String(ONE_IN)], COUNTED_LOAD);
  checkCounts(verdicts, fault, found, { [counter]: found.counts[count] });
  verdicts.moreThan(`${fault}: ${count} by the server`, found.counts[count], 0);
};

/**
 * The same faults over TLS, with a verified certificate, must be found exactly too.
 * @type {Check}
 */
async function checkTls(bench, verdicts) {
  const run = (/** @type {string} */ fault, /** @type {number} */ oneIn, /** @type {Load} */ load) => {
    const ca = join(bench.folder, `tls-${fault}.pem`);
    return bench.run(`tls-${fault}`, ['--tls', ca, `--${fault}`, String(oneIn)], { ...load, tls: { ca } });
  };
  for (const [fault, count, counter] of COUNTED) {
    const found = await run(fault, ONE_IN, COUNTED_LOAD);
    checkCounts(verdicts, `tls, ${fault}`, found, { [counter]: found.counts[count] });
    checkSecured(verdicts, `tls, ${fault}`, found, COUNTED_LOAD.connections);
  }
  const found = await run('close', CLOSED_ONE_IN, CLOSED_LOAD);
  checkClosed(verdicts, 'tls, close', found);
  checkSecured(verdicts, 'tls, close', found, CLOSED_LOAD.connections);
}

/** Node compresses some 5,000 messages a second. @type {Load} */
const DEFLATED_LOAD = { ...COUNTED_LOAD, connections: 50, payload: { type: 'text', bytes: 500 }, deflate: {} };
const DEFLATED_ONE_IN = 100;

/**
 * The same faults over TLS with compression. Node's ws has them: truth-server does not compress.
 * @type {Check}
 */
async function checkTlsAndDeflate(bench, verdicts) {
  const [ws] = PEERS;
  const files = makeCertificate(bench.folder);
  const lack = await install(ws, bench.signal) ?? (files ? undefined : NO_OPENSSL);
  if (lack || !files) return verdicts.skip('tls and deflate', String(lack));
  const tls = { ca: files.certificate };
  const serve = (/** @type {string[]} */ ...faults) => ({ server: [...ws.argv, '0', files.certificate, files.key, ...faults] });
  for (const [fault, count, counter] of COUNTED.filter(([each]) => each !== 'corrupt')) { // which checkPeer has
    const run = `tls and deflate, ${fault}`;
    const found = await bench.run(`tls-deflate-${fault}`, [], { ...DEFLATED_LOAD, tls }, serve(`--${fault}`, String(DEFLATED_ONE_IN)));
    checkCounts(verdicts, run, found, { [counter]: found.counts[count] });
    verdicts.moreThan(`${run}: ${count} by the server`, found.counts[count], 0);
    checkSecured(verdicts, run, found, DEFLATED_LOAD.connections);
    checkDeflated(verdicts, run, found);
  }
  const closed = await bench.run('tls-deflate-close', [], { ...CLOSED_LOAD, deflate: {}, tls }, serve('--close', String(CLOSED_ONE_IN)));
  checkClosed(verdicts, 'tls and deflate, close', closed);
}

const QUOTA_CORES = 0.1;
/** 20,000 messages a second, more than a tenth of a core can send. @type {Load} */
const STARVING_LOAD = { connections: 100, arrivals: { kind: 'constant', period_ms: 5 }, hold_s: 4 };

/** @type {Check} */
async function checkStarved(bench, verdicts) {
  const { summary, others } = await bench.run('starved-not', [], STARVING_LOAD);
  const rules = nameRules(summary.warnings);
  verdicts.moreThan('without a quota: cores that swarm used', sumCpuS(summary) / STARVING_LOAD.hold_s, QUOTA_CORES);
  if (rules && others > OTHERS_MAX) { // then swarm's warnings are justified
    verdicts.skip('without a quota: warnings', `others took ${Math.round(others * 100)} % of the cores; run it again on an idle machine (${rules})`);
  } else {
    verdicts.equal('without a quota: warnings', '', rules);
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
    verdicts.moreThan('a tenth of a core: number of warnings', summary.warnings.length, 0);
    verdicts.show('a tenth of a core: of what rules', nameRules(summary.warnings));
  } catch (error) {
    if (!(error instanceof NoQuota)) throw error;
    verdicts.skip('a tenth of a core: number of warnings', error.message);
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
  ...COUNTED.filter(([fault]) => fault !== 'drop').map((each) => /** @type {[string, Check]} */ ([each[0], checkCounted(...each)])),
  ['tls', checkTls],
  ['tls-and-deflate', checkTlsAndDeflate],
  ['stall-tls', checkStallOverTls],
  ...FOREIGN_CHECKS,
  ['starved', checkStarved],
];
