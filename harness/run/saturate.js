/** Runs the search for saturation (search.js) against a running server. One client makes all probes and keeps its connections. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { clientConfig } from './client-config.js';
import { TrialError } from '../common/failure.js';
import { writeTsv } from '../common/files.js';
import { DIR } from '../common/protocol.js';
import { sleep } from '../common/timers.js';
import { LEAD_US, finishClient, startClient, waitForLine, waitUntilReady } from './lifecycle.js';
import { OFFERS_MAX, SEARCH_COLUMNS, findSaturation } from '../plan/search.js';

/** Load runs this long before a probe's window, for the server to adapt; PROBE_DRAIN_S follows it, until everything is answered. */
const PROBE_LEAD_S = 0.25;
const PROBE_DRAIN_S = 2;
/** A probe begins only with this share of its connections. Messages due on missing ones are never sent, which is not falling behind. */
const CONNECTED_SHARE_MIN = 0.9;
/** If a window lasts longer by more than this share, the client was kept from running, and its numbers say nothing of the server. */
const LATE_SHARE_MAX = 0.1;
/** A rate whose sends were late is probed again if the client's cores were not full. After this many retries it is the client's limit. */
const LATE_MAX = 2;
const REPEATS_MAX = 3; // probes repeated per trial because of a fault (findFault)
const PATIENCE_S = 10; // a probe's answer may be this late
const CLOSED_OUT = 12_800; // outstanding messages of the closed loop over all connections: enough to keep any server busy

const FOLDER = 'search'; // in the session and among the captures

/**
 * @typedef {{session: import('./session.js').Session, split: (config: Record<string, any>) => import('./trial.js').Share[],
 *   spec: import('../spec/spec.js').Spec, planned: import('../plan/plan.js').Planned, conditions: import('../spec/points.js').Conditions,
 *   url: string, raw: string, ca?: string}} Searched `session`: the server's; `split` divides the load among the client hosts; `url`: the
 *   server's; `raw`: the trial's folder of captures; `ca`: authority of the server's certificate, over TLS
 */

/** @param {Searched} searched @returns {Promise<number>} the server's saturation rate, over all connections */
export async function saturate(searched) {
  const wanted = /** @type {import('../spec/spec.js').Search} */ (searched.conditions.search);
  const prober = await startProber(searched, wanted);
  const bounds = { ...wanted, late_share_max: searched.spec.validity.late_share_max };
  const folder = join(searched.raw, FOLDER);
  mkdirSync(folder, { recursive: true });
  const steps = /** @type {import('../plan/search.js').Step[]} */ ([]);
  const { saturation_hz, at_least } = await findSaturation(bounds, (rateHz) => prober.probe(rateHz), steps)
    .finally(() => writeTsv(join(folder, 'search.tsv'), SEARCH_COLUMNS, steps)); // written even if the search fails, to show why
  await prober.end();
  const metrics = [{ metric: 'saturation_hz', value: saturation_hz }, { metric: 'saturation_at_least', value: Number(at_least) }];
  writeTsv(join(folder, 'metrics.tsv'), ['metric', 'value'], metrics);
  return saturation_hz;
}

/**
 * @typedef {{connected: number, due: number, received: number, hold_s: number, cpu_s: number, latency_p99_us?: number, lost: number,
 *   late: number}} Probed One client's report of a probe
 */

const WHO = 'the client of the search';

/** @param {Probed[]} all from the clients of all hosts; the greatest p99 counts @param {number} threads of each client */
function addProbes(all, threads) {
  const sum = (/** @type {'connected' | 'due' | 'received' | 'lost' | 'late'} */ name) =>
    all.reduce((total, each) => total + each[name], 0);
  return {
    connected: sum('connected'), received: sum('received'), lost: sum('lost'), hold_s: Math.max(...all.map(({ hold_s }) => hold_s)),
    late_share: sum('late') / Math.max(1, sum('due')),
    p99_ms: Math.max(...all.map(({ latency_p99_us = Infinity }) => latency_p99_us / 1000)),
    generator_cpu: Math.max(...all.map(({ hold_s, cpu_s }) => cpu_s / hold_s / threads)),
  };
}

/** @param {import('./trial.js').Share} share @param {string} generator to start, and to tell `go` */
async function startShare({ session, config }, generator) {
  const client = await startClient(session, generator, config, FOLDER);
  const { processes } = await waitUntilReady(client, WHO);
  await session.ask('place', { side: 'client', processes });
  await session.ask('go', { pids: [client.pid], lead_us: LEAD_US });
  return client;
}

/**
 * @param {Pick<Probed, 'connected' | 'hold_s'>} probed @param {{connections: number, probe_s: number}} wanted
 * @returns {string | undefined} why the probe is invalid
 */
export function findFault({ connected, hold_s }, { connections, probe_s }) {
  if (connected === 0) return `none of ${connections} connections came up; see whether the server takes any: make check-server`;
  if (connected < CONNECTED_SHARE_MIN * connections) {
    return `a probe began with ${connected} of ${connections} connections: the server lets them in too slowly; take fewer, or open them more slowly (connect_rate_hz)`;
  }
  if (hold_s > (1 + LATE_SHARE_MAX) * probe_s) {
    return `a probe of ${probe_s} s took ${hold_s.toFixed(2)} s: its client was kept from running; stop what else runs on its host`;
  }
  return undefined;
}

/** @param {Searched} searched @param {import('../spec/spec.js').Search} wanted */
async function startProber({ session, split, spec, planned, conditions, url, ca }, { probe_s, generator_cpu_max }) {
  const { connections, ramp_s, settle_s } = conditions;
  const longest_s = PROBE_LEAD_S + probe_s + PROBE_DRAIN_S;
  const hold_s = Math.ceil(((OFFERS_MAX + 1) * (1 + LATE_MAX) + REPEATS_MAX) * (longest_s + PATIENCE_S));
  const atRate = (/** @type {number} */ total_rate_hz) => ({ kind: 'poisson', rate_hz_per_connection: total_rate_hz / connections });
  const whole = clientConfig({ spec, planned, conditions, url, out: `${DIR}/${FOLDER}`, ca });
  const config = { ...whole, arrivals: atRate(1), probes: true, warmup_s: 0, settle_s: 0, hold_s, drain_s: 0 };
  const clients = await Promise.all(split(config).map((share) => startShare(share, conditions.generator)));
  await sleep((LEAD_US / 1e6 + ramp_s + settle_s) * 1000, session.signal);
  let repeats = 0;
  /** @param {number} [total_rate_hz] @param {number} [late] retries so far @returns {Promise<import('../plan/search.js').Probed>} */
  const probe = async (total_rate_hz, late = 0) => {
    const outstanding = Math.max(1, Math.round(CLOSED_OUT / connections));
    const arrivals = total_rate_hz === undefined ? { kind: 'closed', outstanding } : atRate(total_rate_hz);
    const asked = `probe ${JSON.stringify({ arrivals, lead_s: PROBE_LEAD_S, hold_s: probe_s, drain_s: PROBE_DRAIN_S })}`;
    const told = addProbes(await Promise.all(clients.map(async (client) => {
      await client.write(asked);
      return JSON.parse(await waitForLine(client, 'probed', `${WHO} has`, 'reported its probe', longest_s + PATIENCE_S));
    })), conditions.client_threads);
    const fault = findFault(told, { connections, probe_s });
    // Late although its cores were not full: the client was kept from running; the load has not reached its limit
    const isDisturbed = told.late_share > spec.validity.late_share_max && told.generator_cpu <= generator_cpu_max;
    if (fault && repeats++ < REPEATS_MAX) return probe(total_rate_hz, late);
    if (fault) throw new TrialError(fault);
    if (isDisturbed && late < LATE_MAX) return probe(total_rate_hz, late + 1);
    const { connected: _, received, hold_s: held_s, ...rest } = told;
    return { ...rest, offered_hz: total_rate_hz ?? received / held_s, answered: received, answered_hz: received / held_s };
  };
  const end = async () => {
    await Promise.all(clients.map((client) => client.closeInput()));
    for (const client of clients) await finishClient(client, WHO, 0);
  };
  return { probe, end };
}
