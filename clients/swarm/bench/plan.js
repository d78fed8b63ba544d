/** The plan of bench-swarm: loads, the generators of each load, and their order. */
import { seededRandom, shuffle } from '../../../harness/common/random.js';

/** @typedef {{kind: 'closed', outstanding: number, connections: number, isSecured?: boolean, isDeflated?: boolean}} Closed */
/**
 * @typedef {object} Open
 * @property {'open'} kind
 * @property {'constant' | 'poisson'} arrivals
 * @property {number} rate_hz per connection
 * @property {number} connections
 * @property {number} [coalesce_us] swarm's --coalesce; its default if absent
 */
/** @typedef {{kind: 'idle', connections: number}} Idle */
/** @typedef {{kind: 'handshakes', connections: number}} Handshakes of TLS, one at a time; `connections`: more than fit into the window */
/** @typedef {Closed | Open | Idle | Handshakes} Load */
/**
 * @typedef {'limit' | 'tcp' | 'ws' | 'baseline' | 'uws' | 'k6' | 'tls-limit' | 'wss' | 'deflate-limit' | 'deflate' | 's-time'
 *   | 'tls'} Generator see GENERATORS
 */
/** @typedef {{repeat: number, load: string, generator: Generator}} Planned */
/** @typedef {{peers: boolean, baseline?: string}} Beside what to measure besides swarm: k6, another build of swarm (its path) */

/** The generators. The server is the Rust echo server, if none is named. @type {Record<Generator, string>} */
export const GENERATORS = {
  limit: 'raw-TCP limit',
  tcp: 'swarm tcp://',
  ws: 'swarm ws://',
  baseline: 'another swarm ws://',
  uws: 'swarm ws://, uWebSockets (Bun)',
  k6: 'k6',
  'tls-limit': 'bare client on rustls',
  wss: 'swarm wss://',
  'deflate-limit': 'bare client on zlib-rs',
  deflate: 'swarm --deflate',
  's-time': 'openssl s_time',
  tls: 'swarm tls://',
};

/** Bytes of a message. */
export const MESSAGE_B = 20;
/** Idle connections in one process. They fit easily under a limit of 20,000 descriptors. */
export const IDLE_CONNECTIONS = 15_000;

const OUTSTANDING = [1, 16];
const CONNECTIONS = [100, 1000, 5000];
/** Connections at which k6 is measured too, with one outstanding. */
const K6_CONNECTIONS = [100, 1000];

/** The load whose share of the limit is asked for most exactly: swarm and its limit run three times as often, as pairs. */
export const PAIRED = 'k1-c5000';
const PAIRED_TIMES = 3;

/** @returns {[string, Closed][]} */
function listClosed() {
  return OUTSTANDING.flatMap((outstanding) => CONNECTIONS.map((connections) =>
    /** @type {[string, Closed]} */ ([`k${outstanding}-c${connections}`, { kind: 'closed', outstanding, connections }])));
}

/** @returns {[string, Closed][]} over TLS */
function listSecured() {
  return listClosed().map(([id, load]) => [`tls-${id}`, { ...load, isSecured: true }]);
}

/** @returns {[string, Closed][]} compressed */
function listDeflated() {
  return listClosed().map(([id, load]) => [`deflate-${id}`, { ...load, isDeflated: true }]);
}

/** @type {Record<string, Load>} every load by its id */
export const LOADS = Object.fromEntries([
  ...listClosed(),
  // the cost of recording and framing over TLS: both sides of the ratio use the same TLS library
  ...listSecured(),
  // without context takeover, so that the server sends back what came, and only the client's work is measured
  ...listDeflated(),
  ['open-constant', { kind: 'open', arrivals: 'constant', rate_hz: 50, connections: 1000 }],
  ['open-poisson', { kind: 'open', arrivals: 'poisson', rate_hz: 50, connections: 1000 }],
  // the cost of an exact schedule: most of a send is the kernel's work to wake a sleeping server
  ['open-coalesced', { kind: 'open', arrivals: 'constant', rate_hz: 50, connections: 1000, coalesce_us: 500 }],
  // full, verified handshakes of TLS 1.3; one library is compared with another, so there is no limit
  ['handshakes', { kind: 'handshakes', connections: IDLE_CONNECTIONS }],
  ['idle-one', { kind: 'idle', connections: 1 }],
  ['idle-many', { kind: 'idle', connections: IDLE_CONNECTIONS }],
]);

/** @param {string} id @param {Beside} beside @returns {Generator[]} of a load; the first is the denominator of shares */
export function listGenerators(id, { peers, baseline }) {
  const load = LOADS[id];
  if (load.kind === 'handshakes') return ['s-time', 'tls'];
  if (load.kind !== 'closed') return ['ws'];
  if (load.isSecured) return ['tls-limit', 'wss'];
  if (load.isDeflated) return ['deflate-limit', 'deflate'];
  const withK6 = peers && load.outstanding === 1 && K6_CONNECTIONS.includes(load.connections);
  if (baseline) return ['baseline', 'ws'];
  return ['limit', 'tcp', 'ws', 'uws', ...(withK6 ? /** @type {const} */ (['k6']) : [])];
}

/**
 * Each block has the loads in random order, and for each load its generators in random order. Numerator and denominator of a
 * ratio thus run within seconds of each other. Among several loads, the paired one has further repeats in each block.
 * @param {number} blocks @param {number} seed @param {Beside} beside @param {string[]} [loads] by id
 * @returns {Planned[]} in the order of running
 */
export function planRuns(blocks, seed, beside, loads = Object.keys(LOADS)) {
  const random = seededRandom(seed);
  const isPaired = loads.length > 1 && loads.includes(PAIRED) && !beside.baseline;
  const all = loads.map((load) => ({ load, nth: 0, generators: listGenerators(load, beside) }));
  const pairs = Array.from({ length: isPaired ? PAIRED_TIMES - 1 : 0 }, (_, index) =>
    ({ load: PAIRED, nth: index + 1, generators: /** @type {Generator[]} */ (['limit', 'ws']) }));
  return Array.from({ length: blocks }, (_, index) => index + 1).flatMap((block) =>
    shuffle([...all, ...pairs], random).flatMap(({ load, nth, generators }) =>
      shuffle(generators, random).map((generator) => ({ repeat: block + nth * blocks, load, generator }))));
}

/** @param {Planned} planned @returns {string} name of the run's folder */
export const nameRun = ({ repeat, load, generator }) => `r${String(repeat).padStart(2, '0')}-${load}-${generator}`;

/** @param {Load} load @returns {string} in words */
export function describeLoad(load) {
  const connections = `${load.connections.toLocaleString('en')} connection${load.connections === 1 ? '' : 's'}`;
  if (load.kind === 'closed') return `${load.outstanding} outstanding, ${connections}${load.isSecured ? ', TLS' : ''}${load.isDeflated ? ', deflate' : ''}`;
  if (load.kind === 'handshakes') return 'handshakes of TLS 1.3, one at a time';
  if (load.kind === 'idle') return `idle, ${connections}`;
  const coalesced = load.coalesce_us === undefined ? '' : `, --coalesce ${load.coalesce_us}us`;
  return `${(load.rate_hz * load.connections).toLocaleString('en')} a second (${load.arrivals}${coalesced}), ${connections}`;
}
