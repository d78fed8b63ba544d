/**
 * Clocks of several hosts. What is compared are times of the server's host and times of the others, so it is their clocks that are told
 * from one another: before and after each trial the agent of each other host exchanges with the agent of the server's, on the network of
 * the load (harness/agent/clock-service.js). Of some round trips the least one, in the middle of which, give or take half of it, the
 * server's host read its clock (D. L. Mills, RFC 5905, section 8). How far away the coordinator is plays no part.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { writeTsv } from '../common/files.js';
import { settleEach, valuesOf } from './side-by-side.js';

/** @typedef {{at_us: number, offset_us: number, rtt_us: number}} Reading of a host's clock less another's, at a time of who asked */
/** @typedef {{name: string, address: string, agent: import('./agent.js').Agent}} Place of a host on the network of the load */
/** @typedef {{host: string, before: Reading, after: Reading}} HostClock of a host, over a trial */

/** With each host, each time. */
export const EXCHANGES = 20;
const SIDE_BY_SIDE = 4; // hosts that exchange at a time: more would keep each other waiting

/** @returns {number} the coordinator's clock, µs; it never steps */
export const nowUs = () => performance.now() * 1000;

/** @param {import('./agent.js').Agent} agent @param {number} [exchanges] of which the shortest counts @returns {Promise<Reading>} */
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

/** @param {Place[]} places the server's host first @returns {Promise<Map<string, Reading>>} of each other host's clock */
export async function compareClocks([server, ...others]) {
  if (others.length === 0) return new Map();
  const { address } = server;
  const port = await server.agent.ask('serveClock', { address });
  const read = async (/** @type {Place} */ { name, address: own, agent }) =>
    /** @type {[string, Reading]} */ ([name, await agent.ask('compareClock', { own, address, port, exchanges: EXCHANGES })]);
  const ends = await settleEach(others, SIDE_BY_SIDE, read);
  await server.agent.ask('endClock').catch(() => {}); // one that is gone serves no more
  return new Map(valuesOf(ends));
}

/** @param {HostClock} clock @returns {number} ppm: by how much it is faster than the server's, as far as the exchanges tell */
export const driftOf = ({ before, after }) => ((after.offset_us - before.offset_us) / (after.at_us - before.at_us)) * 1e6;

/** @param {HostClock} clock @returns {number} µs by which `before` may be wrong in the trial: half a trip, and the change */
export const boundOf = ({ before, after }) => Math.max(before.rtt_us, after.rtt_us) / 2 + Math.abs(after.offset_us - before.offset_us);

/** @param {HostClock[]} all @returns {number} µs: the worst that a time of the server's, less one of another host's, may be off */
export const boundOfAll = (all) => Math.max(0, ...all.map(boundOf));

const COLUMNS = ['host', 'when', 'at_us', 'offset_us', 'rtt_us', 'bound_us', 'drift_ppm'];

const TRIPS = 10; // so many of the longest round trips for every host to be told when to begin, beside the lead

/** Of the hosts of one trial. */
export class Clocks {
  /** @param {Place[]} places the server's host first */
  constructor(places) {
    this.places = places;
    this.before = /** @type {Map<string, Reading>} */ (new Map());
    this.after = /** @type {Map<string, Reading>} */ (new Map());
    this.server_us = NaN; // the server's clock less the coordinator's: it places the start, and is in no number
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

  /** @param {number} lead_us from now @returns {(host: string) => number} one instant, by the clock of a host */
  agree(lead_us) {
    const start_us = nowUs() + lead_us + TRIPS * this.longest_us + this.server_us;
    return (host) => Math.round(start_us + this.#offset(host));
  }

  /** Write clocks.tsv, a line a host and comparison, and metrics.tsv. @param {string} raw folder of the trial's captures */
  write(raw) {
    const all = [...this.before].flatMap(([host, before]) => {
      const after = this.after.get(host);
      return after ? [{ host, before, after }] : [];
    });
    const own = join(raw, 'clocks');
    mkdirSync(own, { recursive: true });
    const rows = all.flatMap((clock) => /** @type {const} */ (['before', 'after']).map((when) => ({
      host: clock.host, when, ...rounded(clock[when]), bound_us: boundOf(clock).toFixed(1), drift_ppm: driftOf(clock).toFixed(2),
    })));
    writeTsv(join(own, 'clocks.tsv'), COLUMNS, rows);
    const drift_ppm = Math.max(0, ...all.map((clock) => Math.abs(driftOf(clock))));
    const metrics = { clock_bound_ms: boundOfAll(all) / 1000, clock_drift_ppm: drift_ppm };
    writeTsv(join(own, 'metrics.tsv'), ['metric', 'value'], Object.entries(metrics).map(([metric, value]) => ({ metric, value: value.toFixed(4) })));
  }
}

/** @param {Reading} reading */
const rounded = (reading) => Object.fromEntries(Object.entries(reading).map(([name, us]) => [name, us.toFixed(1)]));
