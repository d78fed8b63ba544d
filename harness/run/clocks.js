/**
 * Clocks of several hosts. Each is told from the coordinator's by an exchange before and after each trial: of some round trips the least
 * one, in the middle of which, give or take half of it, the host read its clock (D. L. Mills, RFC 5905, section 8).
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { writeTsv } from '../common/files.js';

/**
 * @typedef {{at_us: number, offset_us: number, rtt_us: number}} Reading `offset_us`: the host's clock less the coordinator's, at
 *   `at_us` of that
 */
/** @typedef {{host: string, before: Reading, after: Reading}} HostClock of a host, over a trial */

/** With each host, each time. */
export const EXCHANGES = 20;
/** Hosts that exchange at a time: more would keep each other waiting. */
const SIDE_BY_SIDE = 4;

/** @returns {number} the coordinator's clock, µs; it never steps */
export const nowUs = () => performance.now() * 1000;

/** @param {import('./agent.js').Agent} agent @returns {Promise<Reading>} */
export async function readClock(agent) {
  /** @type {Reading | undefined} */
  let best;
  for (let exchange = 0; exchange < EXCHANGES; exchange++) {
    const asked_us = nowUs();
    const host_us = await agent.ask('clock');
    const rtt_us = nowUs() - asked_us;
    const at_us = asked_us + rtt_us / 2;
    if (!best || rtt_us < best.rtt_us) best = { at_us, offset_us: host_us - at_us, rtt_us };
  }
  return /** @type {Reading} */ (best);
}

/** @param {import('./agent.js').Agent[]} agents @returns {Promise<Map<string, Reading>>} by host */
export async function readClocks(agents) {
  const waiting = [...agents];
  /** @type {Map<string, Reading>} */
  const readings = new Map();
  const readNext = async () => {
    for (let agent = waiting.shift(); agent; agent = waiting.shift()) readings.set(agent.name, await readClock(agent));
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, readNext));
  return readings;
}

/**
 * @param {HostClock} clock
 * @returns {number} ppm: by how much the host's clock is faster than the coordinator's, as far as the exchanges tell
 */
export const driftOf = ({ before, after }) => ((after.offset_us - before.offset_us) / (after.at_us - before.at_us)) * 1e6;

/**
 * @param {HostClock} clock
 * @returns {number} µs by which the offset that was taken before the trial may be wrong at any time in it: half a round trip, and
 *   what the
 *   offset changed
 */
export const boundOf = ({ before, after }) => Math.max(before.rtt_us, after.rtt_us) / 2 + Math.abs(after.offset_us - before.offset_us);

/**
 * @param {HostClock[]} all @param {string} server
 * @returns {number} µs: the worst that a time of the server's, less one of a client's, may be off
 */
export function boundOfAll(all, server) {
  const bounds = new Map(all.map((clock) => [clock.host, boundOf(clock)]));
  const others = all.filter(({ host }) => host !== server).map(({ host }) => bounds.get(host) ?? NaN);
  return others.length ? (bounds.get(server) ?? NaN) + Math.max(...others) : 0;
}

const COLUMNS = ['host', 'when', 'at_us', 'offset_us', 'rtt_us', 'bound_us', 'drift_ppm'];

/** So many of the longest round trips for every host to be told when to begin, beside the lead. */
const TRIPS = 10;

/** Of the hosts of one trial. */
export class Clocks {
  /** @param {import('./agent.js').Agent[]} agents @param {string} server name of its host */
  constructor(agents, server) {
    this.agents = agents;
    this.server = server;
    /** @type {Map<string, Reading>} */
    this.before = new Map();
    /** @type {Map<string, Reading>} */
    this.after = new Map();
  }

  async readBefore() {
    this.before = await readClocks(this.agents);
  }

  async readAfter() {
    this.after = await readClocks(this.agents);
  }

  /** @param {string} host @returns {number} its clock less the coordinator's */
  #offset(host) {
    return this.before.get(host)?.offset_us ?? NaN;
  }

  /** @param {string} host @returns {number | undefined} µs: the server's clock less the host's */
  offsetToServer(host) {
    return this.before.size ? Math.round(this.#offset(this.server) - this.#offset(host)) : undefined;
  }

  /** @param {number} lead_us from now @returns {(host: string) => number} one instant, by the clock of a host */
  agree(lead_us) {
    const longest_us = Math.max(...[...this.before.values()].map(({ rtt_us }) => rtt_us));
    const start_us = nowUs() + lead_us + TRIPS * longest_us;
    return (host) => Math.round(start_us + this.#offset(host));
  }

  /** @param {string} raw folder of the trial's captures */
  write(raw) {
    const all = [...this.before].flatMap(([host, before]) => {
      const after = this.after.get(host);
      return after ? [{ host, before, after }] : [];
    });
    writeClocks(raw, all, this.server);
  }
}

/**
 * Write clocks.tsv, a line a host and exchange, and metrics.tsv.
 * @param {string} raw folder of the trial's captures @param {HostClock[]} all @param {string} server the host
 */
export function writeClocks(raw, all, server) {
  const own = join(raw, 'clocks');
  mkdirSync(own, { recursive: true });
  const rows = all.flatMap((clock) => /** @type {const} */ (['before', 'after']).map((when) => ({
    host: clock.host, when, ...rounded(clock[when]), bound_us: boundOf(clock).toFixed(1), drift_ppm: driftOf(clock).toFixed(2),
  })));
  writeTsv(join(own, 'clocks.tsv'), COLUMNS, rows);
  const drift_ppm = Math.max(...all.map((clock) => Math.abs(driftOf(clock))));
  const metrics = { clock_bound_ms: boundOfAll(all, server) / 1000, clock_drift_ppm: drift_ppm };
  writeTsv(join(own, 'metrics.tsv'), ['metric', 'value'], Object.entries(metrics).map(([metric, value]) => ({ metric, value: value.toFixed(4) })));
}

/** @param {Reading} reading */
const rounded = (reading) => Object.fromEntries(Object.entries(reading).map(([name, us]) => [name, us.toFixed(1)]));
