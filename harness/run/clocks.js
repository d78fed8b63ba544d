/**
 * Clock offsets between hosts. A trial compares times of the server's host with times of the other hosts. So before and after each trial,
 * the agent of each other host exchanges timestamps with the agent of the server's host, over the network of the load
 * (harness/agent/clock-service.js). The shortest round trip counts: the server's host read its clock in the middle, give or take half the
 * trip (D. L. Mills, RFC 5905, section 8). The coordinator's distance plays no part.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { writeTsv } from '../common/files.js';
import { settleEach, valuesOf } from './side-by-side.js';

/** @typedef {{at_us: number, offset_us: number, rtt_us: number}} Reading One host's clock less another's; `at_us` is the asker's clock */
/** @typedef {{name: string, address: string, agent: import('./agent.js').Agent}} Place A host on the network of the load */
/** @typedef {{host: string, before: Reading, after: Reading}} HostClock A host's clock around a trial */

/** Exchanges with each host, before and again after a trial. */
export const EXCHANGES = 20;
const SIDE_BY_SIDE = 4; // hosts exchanging at once; more would delay each other

/** @returns {number} the coordinator's clock, µs; it never steps */
const nowUs = () => performance.now() * 1000;

/** @param {import('./agent.js').Agent} agent @param {number} [exchanges] the shortest counts @returns {Promise<Reading>} */
export async function readClock(agent, exchanges = EXCHANGES) {
  /** @type {Reading | undefined} */
  let best;
  for (let exchange = 0; exchange < exchanges; exchange++) {
    const asked_us = nowUs();
    const host_us = await agent.ask('clock');
    const rtt_us = nowUs() - asked_us;
    const at_us = asked_us + rtt_us / 2;
    if (!best || rtt_us < best.rtt_us) best = { at_us, offset_us: host_us - at_us, rtt_us };
  }
  return /** @type {Reading} */ (best);
}

/** @param {Place[]} places the server's host first @returns {Promise<Map<string, Reading>>} the other hosts' clocks, by host */
export async function compareClocks([server, ...others]) {
  if (others.length === 0) return new Map();
  const { address } = server;
  const port = await server.agent.ask('serveClock', { address });
  const read = async (/** @type {Place} */ { name, address: own, agent }) =>
    /** @type {[string, Reading]} */ ([name, await agent.ask('compareClock', { own, address, port, exchanges: EXCHANGES })]);
  const ends = await settleEach(others, SIDE_BY_SIDE, read);
  await server.agent.ask('endClock').catch(() => {}); // a lost agent serves no longer
  return new Map(valuesOf(ends));
}

/** @param {HostClock} clock @returns {number} ppm by which this clock runs faster than the server's, as the exchanges show it */
export const driftOf = ({ before, after }) => ((after.offset_us - before.offset_us) / (after.at_us - before.at_us)) * 1e6;

/** @param {HostClock} clock @returns {number} possible error of `before` in the trial, in µs: half a trip, plus the drift */
export const boundOf = ({ before, after }) => Math.max(before.rtt_us, after.rtt_us) / 2 + Math.abs(after.offset_us - before.offset_us);

const COLUMNS = ['host', 'when', 'at_us', 'offset_us', 'rtt_us', 'bound_us', 'drift_ppm'];

const TRIPS = 10; // beyond the lead, this many of the longest round trips are allowed to tell every host when to begin

/** Clocks of the hosts of one trial. */
export class Clocks {
  /** @param {Place[]} places the server's host first */
  constructor(places) {
    this.places = places;
    this.before = /** @type {Map<string, Reading>} */ (new Map());
    this.after = /** @type {Map<string, Reading>} */ (new Map());
    this.server_us = NaN; // the server's clock less the coordinator's; sets the start time, enters no result
    this.longest_us = NaN;
  }

  async readBefore() {
    const readings = await Promise.all(this.places.map(({ agent }) => readClock(agent, 1)));
    [this.server_us, this.longest_us] = [readings[0].offset_us, Math.max(...readings.map(({ rtt_us }) => rtt_us))];
    this.before = await compareClocks(this.places);
  }

  async readAfter() {
    this.after = await compareClocks(this.places);
  }

  /** @param {string} host @returns {number} its clock less the server's */
  #offset(host) {
    return host === this.places[0].name ? 0 : this.before.get(host)?.offset_us ?? NaN;
  }

  /** @param {string} host @returns {number | undefined} µs: the server's clock less the host's */
  offsetToServer(host) {
    return Number.isNaN(this.server_us) ? undefined : Math.round(-this.#offset(host));
  }

  /** @param {number} lead_us from now @returns {(host: string) => number} the same instant on each host's clock */
  agree(lead_us) {
    const start_us = nowUs() + lead_us + TRIPS * this.longest_us + this.server_us;
    return (host) => Math.round(start_us + this.#offset(host));
  }

  /** Write clocks.tsv, one line per host and comparison, and metrics.tsv. @param {string} raw folder of the trial's captures */
  write(raw) {
    const all = [...this.before].map(([host, before]) => ({ host, before, after: /** @type {Reading} */ (this.after.get(host)) }));
    const own = join(raw, 'clocks');
    mkdirSync(own, { recursive: true });
    const rows = all.flatMap((clock) => /** @type {const} */ (['before', 'after']).map((when) => ({
      host: clock.host, when, ...rounded(clock[when]), bound_us: boundOf(clock).toFixed(1), drift_ppm: driftOf(clock).toFixed(2),
    })));
    writeTsv(join(own, 'clocks.tsv'), COLUMNS, rows);
    const most = (/** @type {(clock: HostClock) => number} */ of) => Math.max(0, ...all.map(of));
    const metrics = { clock_bound_ms: most(boundOf) / 1000, clock_drift_ppm: most((clock) => Math.abs(driftOf(clock))) };
    writeTsv(join(own, 'metrics.tsv'), ['metric', 'value'], Object.entries(metrics).map(([metric, value]) => ({ metric, value: value.toFixed(4) })));
  }
}

/** @param {Reading} reading */
const rounded = (reading) => Object.fromEntries(Object.entries(reading).map(([name, us]) => [name, us.toFixed(1)]));
