/** The search for saturation (search.js) carried out against a running server: each probe is a client of its own. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { clientConfig } from './client-config.js';
import { monotonicUs } from './clock.js';
import { TrialError } from './failure.js';
import { readTsv, writeJson, writeTsv } from './files.js';
import { ReadyLines, finishClient, startClient, waitUntilReady } from './parties.js';
import { SEARCH_COLUMNS, findSaturation } from './search.js';

/** A probe has a short lead: no sampler is to be started. */
const PROBE_LEAD_US = 100_000;
/** Of its connections, a probe begins with so many at least: what is due on the others is not sent, and no matter of falling behind. */
const CONNECTED_SHARE_MIN = 0.9;
/** Where fewer are up, the probe is made again with a second more to open them; so often at most in a trial. */
const MORE_RAMPS_MAX = 3;
/** @typedef {import('./search.js').Probed & {connected: number}} Connected with the connections that were up when the window began */

/** What keeps any server busy. */
const CLOSED = { kind: 'closed', outstanding: 32 };

/**
 * @param {import('./trial.js').Running & {url: string}} running
 * @returns {Promise<number>} the rate to measure at, over all connections
 */
export async function saturate(running) {
  const { conditions, raw } = running;
  const wanted = /** @type {import('./spec.js').Search} */ (conditions.search);
  const folder = join(raw, 'search');
  let [count, more_s] = [0, 0];
  const { saturation_hz, steps } = await findSaturation(wanted, async (rate_hz) => {
    for (count++; ; more_s++) {
      const out = join(folder, more_s ? `${count}-ramp-${wanted.ramp_s + more_s}-s` : String(count));
      const { connected, ...probed } = await probe(running, out, wanted.probe_s, wanted.ramp_s + more_s, rate_hz);
      if (connected >= CONNECTED_SHARE_MIN * wanted.connections) return probed;
      if (more_s === MORE_RAMPS_MAX) throw new TrialError(`a probe began with ${connected} of ${wanted.connections} connections after ${wanted.ramp_s + more_s} s: the server lets them in too slowly; take fewer in search.connections`);
    }
  });
  writeTsv(join(folder, 'search.tsv'), SEARCH_COLUMNS, steps);
  writeTsv(join(folder, 'metrics.tsv'), ['metric', 'value'], [{ metric: 'saturation_hz', value: saturation_hz }]);
  return saturation_hz * wanted.measured_share;
}

/**
 * @param {import('./trial.js').Running & {url: string}} running
 * @param {string} out @param {number} hold_s @param {number} ramp_s
 * @param {number} [rate_hz] of an open loop; a closed one when there is none
 * @returns {Promise<Connected>}
 */
async function probe({ host, spec, planned, conditions, cores, url, signal }, out, hold_s, ramp_s, rate_hz) {
  mkdirSync(out, { recursive: true });
  const whole = clientConfig({ spec, planned, conditions, url, out, rate_hz: rate_hz ?? 1 });
  const config = { ...whole, warmup_s: 0, ramp_s, settle_s: 0, hold_s, drain_s: 0, ...(rate_hz === undefined && { arrivals: CLOSED }) };
  const client = await startClient(host, conditions.generator, config, out);
  cores.placeClient((await waitUntilReady(client, new ReadyLines(client), 'the client of a probe', signal)).processes);
  client.child.stdin?.write(`go ${Math.round(monotonicUs() + PROBE_LEAD_US)}\n`);
  await finishClient(client, 'the client of a probe', config.ramp_s + hold_s, signal);
  return readProbe(out, config, rate_hz);
}

/**
 * @param {string} out @param {{ramp_s: number, hold_s: number}} config @param {number} [rate_hz]
 * @returns {Connected}
 */
function readProbe(out, { ramp_s, hold_s }, rate_hz) {
  const rows = readTsv(join(out, 'intervals.tsv')).filter(({ t_s }) => Number(t_s) >= ramp_s && Number(t_s) < ramp_s + hold_s);
  const sum = (/** @type {string} */ column) => rows.reduce((total, row) => total + Number(row[column]), 0);
  const answered = sum('received');
  const answered_hz = answered / hold_s;
  const probed = { connected: Number(rows[0]?.connected ?? 0), offered_hz: rate_hz ?? answered_hz, due: sum('sent'), answered, answered_hz };
  writeJson(join(out, 'probe.json'), probed);
  return probed;
}
