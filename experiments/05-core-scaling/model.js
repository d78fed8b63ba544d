/**
 * How long a message should take in a server that runs whole, by what it takes each role alone.
 *
 * Mean value analysis of an open network of queues: a message that comes to a core finds there as many as there are on
 * average, so that it stays D / (1 - U), D what it takes of the core, U the core's load (M. Reiser, S. S. Lavenberg,
 * Mean-Value Analysis of Closed Multichain Queuing Networks, Journal of the ACM 27(2), 1980; open networks are its
 * simplest case). A core is shared by turns (M/G/1-PS), for what runs there are several processes: then the mean is the
 * same however costs spread, as F. Baskett and others show (Journal of the ACM 22(2), 1975); first come, first served,
 * would need the spread of the costs, which is not measured, and gives the same where it is exponential. Several cores
 * that share their processes stay D / (1 - (U / c)^c): exact for one and for two. D is of the role's own curve at that
 * rate, from the sweep in which it has a core to itself in the same block, and of roles that never have one, and of the
 * client, from sweeps of others.
 *
 * What no account of CPU holds is not in it: the way from a wake-up to the first instruction, pauses of a collector,
 * and answers that wait for each other.
 */
import { sum } from 'd3-array';
import { Curve, stands } from '../../analysis/statistics/curve.js';

/** @typedef {Record<string, string>} Row */
/**
 * @typedef {Map<string, {role: string, count: number}[]>} Roles of each engine, in the order of a mix, and how many of each where a
 *   setting does not say it
 */
/**
 * @typedef {{hz: number, mean_ms?: number, p50_ms?: number, loads: Map<string, number>}} Measured in one block: of each
 *   role its cores
 */
/**
 * @typedef {{engine: string, era: string, workload: string, setting: string, place: string, total_rate_hz: string, counts?:
 *   number[], blocks: Map<string, Measured>, isRefused: boolean}} Point
 */
/** @typedef {{load: number, busiest: number, seconds: number}} Predicted `seconds`: 0 where a core is too full */

/** The load of the fullest core from which on nothing is predicted. */
const BUSIEST_MAX = 0.95;

/** @param {Row} row */
export const roleOf = ({ side, role }) => (side === 'client' ? 'client' : role);

/** The curves of an engine's roles, block by block: alone on a core, or where a role never is, beside others. */
export class Demands {
  /** @param {Row[]} steps with batch = 1 and a place */
  constructor(steps) {
    /** @type {Map<string, Curve>} by era, engine, block, role and how */
    this.curves = new Map();
    /** Roles that have a core to themselves somewhere. */
    this.alone = new Set();
    for (const row of steps) this.#learn(row);
  }

  /** One process, or its share of a role's load is not known. @param {Row} row */
  #learn(row) {
    const [place, role] = [row['setting.cores'] ?? '', roleOf(row)];
    if (role === 'server' || Number(row.processes) !== 1 || !place.startsWith('alone-') || !stands(row.backlog_s)) return;
    const how = place === `alone-${role}` ? 'alone' : 'beside';
    if (how === 'alone') this.alone.add(`${row.era} ${row.engine} ${role}`);
    const name = [row.era, row.engine, row.block, role, how].join(' ');
    const curve = this.curves.get(name) ?? new Curve();
    this.curves.set(name, curve);
    curve.add(Number(row.total_rate_hz), Number(row.received_hz), Number(row.cpu_cores));
  }

  /** @param {string} era @param {string} engine @param {string} role */
  isAlone(era, engine, role) {
    return this.alone.has(`${era} ${engine} ${role}`);
  }

  /** @param {string} era @param {string} engine @param {string} block @param {string} role */
  curveOf(era, engine, block, role) {
    const curve = this.curves.get([era, engine, block, role, this.isAlone(era, engine, role) ? 'alone' : 'beside'].join(' '));
    return curve && curve.points.length >= 2 ? curve : undefined;
  }
}

/**
 * @param {{used: number, queues: number, servers: number}[]} stations `used` cores spread over so many queues, each served by so many cores
 * @param {number} total_rate_hz @returns {{busiest: number, seconds: number}} the residence time of a message
 */
function residenceOf(stations, total_rate_hz) {
  const full = stations.map(({ used, queues, servers }) => used / queues / servers);
  const seconds = sum(stations, ({ used, servers }, index) => (full[index] < 1 ? used / total_rate_hz / (1 - full[index] ** servers) : 0));
  const busiest = Math.max(0, ...full);
  return { busiest, seconds: busiest >= BUSIEST_MAX ? 0 : seconds };
}

export class Model {
  /** @param {Roles} roles @param {Demands} demands @param {number} cores of the machine */
  constructor(roles, demands, cores) {
    this.roles = roles;
    this.demands = demands;
    this.cores = cores;
  }

  /** Does its load at a place come from where it is alone? @param {Pick<Point, 'era' | 'engine' | 'place'>} at @param {string} role */
  isPredicted({ era, engine, place }, role) {
    return this.demands.isAlone(era, engine, role) && place !== `alone-${role}`;
  }

  /**
   * @param {{era: string, engine: string, place: string, counts?: number[]}} point @param {string} block @param {number} total_rate_hz
   * @returns {Predicted | undefined} none where a role, or the client, was not measured
   */
  predict(point, block, total_rate_hz) {
    const { era, engine, place, counts } = point;
    const roles = [...(this.roles.get(engine) ?? []).map(({ role }, index) => ({ role, each: counts?.[index] ?? 1 })), { role: 'client', each: 1 }];
    const used = roles.flatMap(({ role, each }) => {
      const curve = this.demands.curveOf(era, engine, block, role);
      return curve ? [{ role, each, cores: each * curve.coresAt(total_rate_hz / each) }] : [];
    });
    if (used.length < roles.length) return undefined;
    const load = sum(used, ({ role, cores }) => (this.isPredicted(point, role) ? cores : 0));
    return { load, ...residenceOf(this.#stations(place, used), total_rate_hz) };
  }

  /** @param {string} place @param {{role: string, each: number, cores: number}[]} used */
  #stations(place, used) {
    if (place === 'own') return used.map(({ each, cores }) => ({ used: cores, queues: each, servers: 1 }));
    const isOwn = (/** @type {string} */ role) => (place === 'one' ? role !== 'client' : place === `alone-${role}`);
    const [own, rest] = [used.filter(({ role }) => isOwn(role)), used.filter(({ role }) => !isOwn(role))];
    const left = place === 'shared' ? this.cores : this.cores - 1;
    const beside = sum(rest, ({ each }) => each);
    return [
      { used: sum(own, ({ cores }) => cores), queues: 1, servers: 1 },
      { used: sum(rest, ({ cores }) => cores), queues: 1, servers: Math.min(beside, left) },
    ];
  }

  /** @param {Point} point @param {Measured} measured */
  measuredLoad(point, { loads }) {
    return sum(this.roles.get(point.engine) ?? [], ({ role }, index) =>
      this.isPredicted(point, role) ? (point.counts?.[index] ?? 1) * (loads.get(role) ?? 0) : 0,
    );
  }
}
