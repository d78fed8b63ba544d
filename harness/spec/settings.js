/**
 * The settings a point may have. Each entry holds the values a manifest may give, their effect, their words in captions, and the setting's
 * line in the manual (`make settings`). Any other setting is an option of an engine, with values in engine.toml.
 */
import { group } from '../common/format.js';
import { ALONE, PLACEMENT_SCHEMA, describePlacement } from '../common/placements.js';
import { ARRIVALS } from './arrivals.js';
import { BEHAVIOURS } from './behaviours.js';
import { seededRandom } from '../common/random.js';
import { NAME, distinct, whole } from './schema/pieces.js';

/** @typedef {import('./points.js').Conditions} Conditions */
/** @typedef {import('./engines.js').Engine} Engine */
/**
 * @typedef {object} Setting
 * @property {any} [schema] of one value in `[[points]]`; absent for an option of engines
 * @property {string} [values] in words, if the schema does not show them
 * @property {string} [default] value for clients at points without the setting
 * @property {string} [usual] in words, the usual condition, if there is no default
 * @property {string} [meaning] together with `usual`, its line in the manual
 * @property {(value: string, roles: string[]) => string} words for captions, which follow the order of the entries
 * @property {(value: string, made: Conditions) => Partial<Conditions>} [resolve] conditions it overrides
 * @property {(value: string, seed: number) => Record<string, unknown>} [client] keys of the client's configuration, for generators
 *   with them in `takes`
 * @property {(value: string) => string[]} [needs] of the machine, as harness/cli/provide.js takes it
 * @property {'loopback' | 'veth'} [network] the only network it works on
 * @property {(value: string, engine: Engine, generators: string[]) => string | undefined} [fits] problem with a value
 */

/** @param {string} value @param {string} noun @param {string} [plural] @returns {string} such as "2 workers" */
const counted = (value, noun, plural = `${noun}s`) => `${group(value)} ${value === '1' ? noun : plural}`;
/** @param {string} ms @returns {string} such as "250 ms" or "2.5 s" */
const lasting = (ms) => (Number(ms) < 1000 ? `${ms} ms` : `${Number(ms) / 1000} s`);

/** @param {number} maximum */
const countTo = (maximum) => whole(1, maximum);
/** Usual conditions, where the manifest sets a value for all points. */
const ofProfile = (/** @type {string} */ key) => `the profile's \`${key}\``;
const ofLoad = (/** @type {string} */ key) => `\`${key}\` of \`[load]\``;

/** @type {Record<string, string>} transports of an HTTP server of updates */
const HTTP_TRANSPORTS = { 'long-polling': 'long polling', sse: 'Server-Sent Events' };
/** @type {Record<string, string>} transports of an Engine.IO client */
const ENGINE_IO_TRANSPORTS = { polling: 'long polling', websocket: 'WebSocket', upgrade: 'long polling, then WebSocket' };
/** @type {Record<string, string>} */
const HEADERS_WORDS = { source: "the source's 871 B of headers", bare: 'no headers but Host' };

/** @param {number[]} counts @param {import('./engines.js').Role[]} roles */
const fitsRoles = (counts, roles) =>
  counts.length === roles.length && roles.every(({ min, max }, at) => counts[at] >= min && counts[at] <= max);

/** @type {Record<string, Setting>} */
export const SETTINGS = {
  processes: {
    schema: { type: 'string', pattern: '^[0-9]+([+][0-9]+)*$' },
    values: 'a number a role, in the order of engine.toml: `2+2+1`',
    usual: '`[processes.<engine>]`, or engine.toml',
    meaning: "the server's processes of each role",
    words: (mix, roles) => mix.split('+').map((count, at) => counted(count, roles[at] ?? 'process', roles[at] ? undefined : 'processes')).join(', '),
    resolve: (mix, { processes }) => ({ processes: parseMix(processes, mix) }),
    fits: (mix, { roles }) => (fitsRoles(mix.split('+').map(Number), Object.values(roles)) ? undefined
      : `"${mix}" is no mix of its roles; use ${Object.entries(roles).map(([role, { min, max }]) => `${role} ${min} to ${max}`).join(' + ')}`),
  },
  cores: {
    schema: PLACEMENT_SCHEMA,
    values: '`shared`, `apart`, `one`, `own`, `link`, `alone-<role>`',
    usual: '`placement` of `[cores]`, or `shared`',
    meaning: 'where processes run (docs/method.md, Cores)',
    words: describePlacement, resolve: (placement) => ({ placement }),
    fits: (placement, { roles }) => (!placement.startsWith(ALONE) || placement.slice(ALONE.length) in roles ? undefined
      : `"${placement}" names no role of it; use one of ${Object.keys(roles).map((role) => `${ALONE}${role}`).join(', ')}`),
  },
  connections: {
    schema: countTo(1000000), usual: ofProfile('connections'), meaning: 'connections in all',
    words: (count) => counted(count, 'connection'), resolve: (count) => ({ connections: Number(count) }),
  },
  connect_rate_hz: {
    schema: countTo(100000), usual: ofProfile('connect_rate_hz'), meaning: 'connections opened a second',
    words: (rate) => `${group(rate)} opened a second`, resolve: (rate) => ({ connect_rate_hz: Number(rate) }),
  },
  client_processes: {
    schema: countTo(256), usual: ofLoad('client_processes'), meaning: 'processes that make the load',
    words: (count) => counted(count, 'client process', 'client processes'),
    resolve: (count) => ({ client_processes: Number(count) }),
  },
  client_addresses: {
    schema: countTo(65536), usual: "1, the kernel's choice",
    meaning: "addresses of loopback, drawn by the trial's seed, from which clients connect in turn: what a hash of the address spreads",
    words: (count) => `clients of ${counted(count, 'address', 'addresses')}`,
    client: (count, seed) => ({ local_addresses: drawAddresses(Number(count), seed) }),
    network: 'loopback',
  },
  period_ms: {
    schema: countTo(86400000), usual: "that of the workload's `arrivals`", meaning: 'ms between the messages of a connection, on average',
    words: (period) => `each ${lasting(period)}`,
    resolve: (period, { arrivals }) => ({ arrivals: ARRIVALS[arrivals.kind].atPeriod?.(arrivals, Number(period)) ?? arrivals }),
  },
  messages: {
    schema: countTo(1000), usual: "that of the workload's `arrivals`", meaning: 'messages of a connection at each burst',
    words: (count) => `${counted(count, 'message')} each`,
    resolve: (count, { arrivals }) => ({ arrivals: { ...arrivals, messages: Number(count) } }),
  },
  transport: { words: (transport) => HTTP_TRANSPORTS[transport] ?? transport },
  transports: { words: (transports) => ENGINE_IO_TRANSPORTS[transports] ?? transports, client: (transport) => ({ transport }) },
  poll_period_ms: {
    schema: countTo(86400000), default: '1000', meaning: 'ms between the polls of a client that waits for updates',
    words: (period) => `a poll each ${lasting(period)}`, client: (period) => ({ poll_period_ms: Number(period) }),
  },
  headers: {
    schema: { enum: ['chromium', 'source', 'bare'] }, default: 'chromium', meaning: 'headers of the requests of a client that waits for updates',
    words: (headers) => HEADERS_WORDS[headers] ?? `${headers} headers`, client: (headers) => ({ headers }),
  },
  browser: {
    schema: { enum: ['chromium', 'firefox'] }, usual: '`chromium`', meaning: 'what loads the pages',
    words: (browser) => (browser === 'firefox' ? 'Firefox' : 'Chromium'), client: (browser) => ({ browser }),
    needs: (browser) => (browser === 'firefox' ? ['firefox'] : []),
  },
  cache: {
    schema: { enum: ['off', 'on'] }, usual: '`off`', meaning: 'whether the browser that loads a page has its scripts already',
    words: (cache) => (cache === 'on' ? 'scripts in the cache' : 'an empty cache'), client: (cache) => ({ cache }),
  },
  http: { words: (version) => `HTTP/${version}` },
  database: { words: (database) => `documents of ${database}` },
  payload_b: {
    schema: countTo(16777216), usual: ofLoad('payload'), meaning: 'bytes of a message',
    words: (bytes) => `${group(bytes)} B`,
    resolve: (bytes, { payload }) => ({ payload: { ...payload, bytes: Number(bytes) } }),
  },
  nodelay: { words: (value) => (value === 'on' ? 'TCP_NODELAY' : 'Nagle\'s algorithm') },
  behaviour: {
    schema: { enum: BEHAVIOURS },
    values: 'a behaviour of the engine', usual: ofLoad('behaviour'), meaning: 'what the server does (servers/CONTRACT.md)',
    words: (behaviour) => behaviour, resolve: (behaviour) => ({ behaviour }),
    fits: (name, { behaviours }) => (behaviours.includes(name) ? undefined : `it has no "${name}"; use one of ${behaviours.join(', ')}`),
  },
  fault: {
    schema: { enum: ['kill-worker'] }, usual: 'none', meaning: 'what is done to the server in the window (docs/method.md, Faults)',
    words: (fault) => fault.replaceAll('-', ' '), resolve: (fault) => ({ fault }),
  },
  rtt_us: {
    schema: whole(0, 10000000), usual: 'nothing added',
    meaning: 'µs that the link adds to a round trip, half each way: between namespaces',
    words: (rtt) => (Number(rtt) < 1000 ? `${rtt} us of round trip added` : `${Number(rtt) / 1000} ms of round trip added`),
    resolve: (rtt_us, { link }) => ({ link: { ...link, rtt_us } }), network: 'veth',
  },
  rate_mbit: {
    schema: countTo(1000000), usual: 'no limit but the CPU', meaning: 'Mbit/s of the link, each way: between namespaces',
    words: (rate) => (rate === '1000' ? 'a gigabit a second' : `${group(rate)} Mbit a second`),
    resolve: (rate_mbit, { link }) => ({ link: { ...link, rate_mbit } }), network: 'veth',
  },
  network: {
    schema: { enum: ['loopback'] }, usual: 'that of the manifest', meaning: 'where server and client meet, in the place of namespaces',
    words: () => 'on loopback', resolve: () => ({ isOnLoopback: true }),
  },
  timestamps: {
    schema: { enum: ['on', 'off'] }, usual: "the machine's own", meaning: 'whether TCP segments carry timestamps: between namespaces',
    words: (timestamps) => `TCP timestamps ${timestamps}`,
    resolve: (timestamps, { link }) => ({ link: { ...link, tcp_timestamps: timestamps === 'on' ? '1' : '0' } }),
    network: 'veth',
  },
  capture: {
    schema: { enum: ['on'] }, usual: '`capture` of `[network]`', meaning: "whether packets are recorded at the client's end: between namespaces",
    words: () => 'packets captured', resolve: () => ({ isCaptured: true }), network: 'veth',
  },
  tls: { words: (version) => (version === 'none' ? 'without TLS' : `TLS ${version}`) },
  generator: {
    schema: NAME, values: 'a folder of clients/ with a generator.toml', usual: `${ofLoad('generator')}, or the engines' own clients`,
    meaning: 'what makes the load',
    words: (generator) => `by ${generator}`, resolve: (generator) => ({ generator }),
    fits: (name, _engine, generators) => (
      generators.includes(name) ? undefined : `"${name}" is not a generator; use one of ${generators.join(', ')}`),
  },
};

/** @param {Record<string, number>} roles in the order of engine.toml @param {string} mix such as "2+2+1" */
export function parseMix(roles, mix) {
  const counts = mix.split('+').map(Number);
  return Object.fromEntries(Object.keys(roles).map((role, at) => [role, counts[at]]));
}

/**
 * Random, because consecutive addresses are spread evenly anyway by a hash that adds up characters.
 * @param {number} count @param {number} seed of the trial @returns {string[]} addresses of loopback, each once
 */
export function drawAddresses(count, seed) {
  const random = seededRandom(seed);
  const drawn = new Set();
  while (drawn.size < count) drawn.add(`127.${[1, 1, 1].map(() => 1 + Math.floor(254 * random())).join('.')}`);
  return [...drawn];
}

/**
 * @param {Record<string, string>} given by a point @param {Record<string, string>} options of its engine @param {number} seed of the trial
 * @param {Record<string, Setting>} [entries] all known settings
 * @returns {Record<string, unknown>} keys of the client's configuration; a generator takes only some
 */
export function tellClient(given, options, seed, entries = SETTINGS) {
  const usual = Object.entries(entries).flatMap(([key, entry]) => (entry.default === undefined ? [] : [[key, entry.default]]));
  const all = { ...options, ...Object.fromEntries(usual), ...given };
  const tell = (/** @type {[string, string]} */ [key, value]) =>
    entries[key]?.client?.(value, seed) ?? (key in options ? { [key]: value } : {});
  return Object.assign({}, ...Object.entries(all).map(tell));
}

/** @returns {Record<string, unknown>} properties for the schema of a `[[points]]` group: each setting is a list of distinct values */
export function schemaOfSettings() {
  const own = Object.entries(SETTINGS).filter(([, { schema }]) => schema);
  return Object.fromEntries(own.map(([key, { schema }]) => [key, distinct(schema)]));
}
