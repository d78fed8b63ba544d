/** The search for saturation (search.js) carried out against a running server: one client, whose connections stay, makes all probes. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { clientConfig } from './client-config.js';
import { monotonicUs, sleepUntil } from '../agent/clock.js';
import { TrialError } from '../common/failure.js';
import { writeTsv } from '../common/files.js';
import { finishClient, startClient } from './parties.js';
import { ReadyLines, WordLines, waitForLine, waitUntilReady } from '../agent/ready.js';
import { OFFERS_MAX, SEARCH_COLUMNS, findSaturation } from '../plan/search.js';

/** No sampler is to be started: a short lead from "ready" to the first connection. */
const START_LEAD_US = 100_000;
/** Before each probe's window its load runs for a while, until the server has taken it up; behind it, until all is answered. */
const PROBE_LEAD_S = 0.25;
const PROBE_DRAIN_S = 2;
/** A probe begins with so many of its connections at least: what is due on the others is not sent, and no matter of falling behind. */
const CONNECTED_SHARE_MIN = 0.9;
/** Where fewer are up, the probe is made again; so often at most in a trial. */
const REPEATS_MAX = 3;
/** So much longer than it is asked to take, a probe's answer may be late. */
const PATIENCE_S = 10;
/** What keeps any server busy: so many messages out on each connection. */
const CLOSED = { kind: 'closed', outstanding: 32 };

/**
 * @param {import('./trial.js').Running & {url: string}} running
 * @returns {Promise<number>} the rate to measure at, over all connections
 */
export async function saturate(running) {
  const wanted = /** @type {import('../spec/spec.js').Search} */ (running.conditions.search);
  const folder = join(running.raw, 'search');
  mkdirSync(folder, { recursive: true });
  const prober = await startProber(running, wanted, folder);
  const { saturation_hz, steps } = await findSaturation(wanted, prober.probe);
  await prober.end();
  writeTsv(join(folder, 'search.tsv'), SEARCH_COLUMNS, steps);
  writeTsv(join(folder, 'metrics.tsv'), ['metric', 'value'], [{ metric: 'saturation_hz', value: saturation_hz }]);
  return saturation_hz * wanted.measured_share;
}

/** @param {import('./trial.js').Running & {url: string}} running @param {import('../spec/spec.js').Search} wanted @param {string} folder */
async function startProber({ host, spec, planned, conditions, cores, network, url, signal }, { ramp_s, probe_s, connections }, folder) {
  const longest_s = PROBE_LEAD_S + probe_s + PROBE_DRAIN_S;
  const hold_s = Math.ceil((OFFERS_MAX + 1 + REPEATS_MAX) * (longest_s + PATIENCE_S));
  const whole = clientConfig({ spec, planned, conditions, url, out: folder, rate_hz: 1 });
  const config = { ...whole, probes: true, warmup_s: 0, settle_s: 0, hold_s, drain_s: 0 };
  const client = await startClient(host, conditions.generator, config, folder, network.inside.client);
  cores.placeClient((await waitUntilReady(client, new ReadyLines(client), 'the client of the search', signal)).processes);
  const startUs = Math.round(monotonicUs() + START_LEAD_US);
  client.child.stdin?.write(`go ${startUs}\n`);
  await sleepUntil(startUs + ramp_s * 1e6, signal);
  const lines = new WordLines(client, 'probed');
  let repeats = 0;
  /** @param {number} [rate_hz] @returns {Promise<import('../plan/search.js').Probed>} */
  const probe = async (rate_hz) => {
    const arrivals = rate_hz === undefined ? CLOSED : { kind: 'poisson', rate_hz: rate_hz / connections };
    client.child.stdin?.write(`probe ${JSON.stringify({ arrivals, lead_s: PROBE_LEAD_S, hold_s: probe_s, drain_s: PROBE_DRAIN_S })}\n`);
    const { connected, due, received, hold_s: held_s } = JSON.parse(await waitForLine(client, lines, 'the client of the search has', 'told of its probe', signal, longest_s + PATIENCE_S));
    if (connected < CONNECTED_SHARE_MIN * connections) {
      if (repeats++ < REPEATS_MAX) return probe(rate_hz);
      throw new TrialError(`a probe began with ${connected} of ${connections} connections: the server lets them in too slowly; take fewer in search.connections`);
    }
    return { offered_hz: rate_hz ?? received / held_s, due, answered: received, answered_hz: received / held_s };
  };
  const end = async () => {
    client.child.stdin?.end();
    await finishClient(client, 'the client of the search', 0, signal);
  };
  return { probe, end };
}
