/** The checks. Each runs swarm against a fault, and compares its report with the effect that the fault must have had. */
import { join } from 'node:path';
import { CpuQuota, NoQuota } from '../../../harness/agent/cpu-quota.js';
import { sumCpuS } from './bench.js';
import { OTHERS_MAX } from './company.js';
import { checkCounts, checkSecured } from './counts.js';
import { FOREIGN_CHECKS } from './foreign.js';
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
 * @param {string} fault option of the server @param {keyof Found['counts']} count the server's @param {string} counter swarm's
 * @returns {Check}
 */
const checkCounted = (fault, count, counter) => async (bench, verdicts) => {
  const found = await bench.run(fault, [`--${fault}`, String(ONE_IN)], COUNTED_LOAD);
  checkCounts(verdicts, fault, found, { [counter]: found.counts[count] });
  verdicts.moreThan(`${fault}: ${count} by the server`, found.counts[count], 0);
};

/**
 * The same faults over TLS, with a verified certificate, must be found exactly too.
 * @type {Check}
 */
async function checkTls(bench, verdicts) {
  for (const [fault, count, counter] of /** @type {const} */ ([['drop', 'dropped', 'missing'], ['corrupt', 'corrupted', 'wrong']])) {
    const ca = join(bench.folder, `tls-${fault}.pem`);
    const found = await bench.run(`tls-${fault}`, ['--tls', ca, `--${fault}`, String(ONE_IN)], { ...COUNTED_LOAD, tls: { ca } });
    checkCounts(verdicts, `tls, ${fault}`, found, { [counter]: found.counts[count] });
    checkSecured(verdicts, `tls, ${fault}`, found, COUNTED_LOAD.connections);
  }
}

const QUOTA_CORES = 0.1;
/** 20,000 messages a second, more than a tenth of a core can send. @type {Load} */
const STARVING_LOAD = { connections: 100, arrivals: { kind: 'constant', period_ms: 5 }, hold_s: 4 };

/** @type {Check} */
async function checkStarved(bench, verdicts) {
  const { summary, others } = await bench.run('starved-not', [], STARVING_LOAD);
  const rules = nameRules(summary.doubts);
  verdicts.moreThan('without a quota: cores that swarm used', sumCpuS(summary) / STARVING_LOAD.hold_s, QUOTA_CORES);
  if (rules && others > OTHERS_MAX) { // then swarm's doubts are justified
    verdicts.skip('without a quota: doubts', `others took ${Math.round(others * 100)} % of the cores; run it again on an idle machine (${rules})`);
  } else {
    verdicts.equal('without a quota: doubts', '', rules);
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
  ['stall-tls', checkStallOverTls],
  ...FOREIGN_CHECKS,
  ['starved', checkStarved],
];
