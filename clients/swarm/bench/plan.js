/** What bench-swarm measures: loads, the generators that make each, and their order. */
import { seededRandom, shuffle } from '../../../harness/common/random.js';

/** @typedef {{kind: 'closed', outstanding: number, connections: number, isSecured?: boolean, isDeflated?: boolean}} Closed */
/**
 * @typedef {object} Open
 * @property {'open'} kind
 * @property {'constant' | 'poisson'} arrivals
 * @property {number} rate_hz per connection
 * @property {number} connections
 * @property {number} [coalesce_us] what falls due so shortly after other messages goes out with more; swarm's default when absent
 */
/** @typedef {{kind: 'idle', connections: number}} Idle */
/** @typedef {{kind: 'handshakes', connections: number}} Handshakes of TLS, in turn; `connections`: more than there is time for */
/** @typedef {Closed | Open | Idle | Handshakes} Load */
/**
 * @typedef {'limit' | 'tcp' | 'ws' | 'baseline' | 'uws' | 'k6' | 'tls-limit' | 'wss' | 'deflate-limit' | 'deflate' | 's-time'
 *   | 'tls'} Generator see GENERATORS
 */
/** @typedef {{repeat: number, load: string, generator: Generator}} Planned */
/** @typedef {{peers: boolean, baseline?: string}} Beside what is measured beside swarm: k6, another build of swarm by its path */

/** The generators, each with what it runs against. @type {Record<Generator, string>} */
export const GENERATORS = {
  limit: 'raw-TCP limit',
  tcp: 'swarm tcp://, Rust echo server',
  ws: 'swarm ws://, Rust echo server',
  baseline: 'another swarm ws://, Rust echo server',
  uws: 'swarm ws://, uWebSockets (Bun)',
  k6: 'k6, Rust echo server',
  'tls-limit': 'bare client on rustls',
  wss: 'swarm wss://, Rust echo server',
  'deflate-limit': 'bare client on zlib-rs',
  deflate: 'swarm --deflate, Rust echo server',
  's-time': 'openssl s_time, Rust echo server',
  tls: 'swarm tls://, Rust echo server',
};

/** Bytes of a message. */
export const MESSAGE_B = 20;
/** Idle connections in one process: what fits under a limit of 20,000 descriptors with room to spare. */
export const IDLE_CONNECTIONS = 15_000;

const OUTSTANDING = [1, 16];
const CONNECTIONS = [100, 1000, 5000];
/** Where k6 is measured too: one outstanding at these. */
const K6_CONNECTIONS = [100, 1000];

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
  // what recording and framing cost over TLS: both sides of the ratio are one TLS library
  ...listSecured(),
  // neither side keeps a window, so that the server sends back what came, and what is measured is the client
  ...listDeflated(),
  ['open-constant', { kind: 'open', arrivals: 'constant', rate_hz: 50, connections: 1000 }],
  ['open-poisson', { kind: 'open', arrivals: 'poisson', rate_hz: 50, connections: 1000 }],
  // what the precision of the schedule costs: most of a send is the kernel's work to wake a server that sleeps
  ['open-coalesced', { kind: 'open', arrivals: 'constant', rate_hz: 50, connections: 1000, coalesce_us: 500 }],
  // each a whole one, verified, of TLS 1.3; of one library against another, so that there is no limit
  ['handshakes', { kind: 'handshakes', connections: IDLE_CONNECTIONS }],
  ['idle-one', { kind: 'idle', connections: 1 }],
  ['idle-many', { kind: 'idle', connections: IDLE_CONNECTIONS }],
]);

/** @param {string} id @param {Beside} beside @returns {Generator[]} those that make a load, first the one that the others are a share of */
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
 * Loads in random order in each repeat, and the generators of a load next to each other, in random order as well: what is
 * divided by what ran within seconds of it.
 * @param {number} repeats @param {number} seed @param {Beside} beside @param {string[]} [loads] by id
 * @returns {Planned[]} in the order of running
 */
export function planRuns(repeats, seed, beside, loads = Object.keys(LOADS)) {
  const random = seededRandom(seed);
  const blocks = Array.from({ length: repeats }, (_, index) => index + 1);
  return blocks.flatMap((repeat) => shuffle(loads, random).flatMap((load) =>
    shuffle(listGenerators(load, beside), random).map((generator) => ({ repeat, load, generator }))));
}

/** @param {Planned} planned @returns {string} its folder's name */
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
