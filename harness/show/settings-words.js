/** A setting (setting.js) in words, as figures and tables show it beside its engine. */
import { parseSetting } from '../spec/setting.js';

/** @typedef {(value: string, roles: string[]) => string} Describe */

/** @param {string | number} value @returns {string} with a comma at each thousand, whatever the locale: "25,000" */
const grouped = (value) => String(value).replace(/\B(?=(\d{3})+$)/g, ',');

/** @param {string} value @param {string} noun @param {string} [plural] @returns {string} such as "2 workers" */
const counted = (value, noun, plural = `${noun}s`) => `${grouped(value)} ${value === '1' ? noun : plural}`;

/** @type {Record<string, string>} places for the processes on cores, as harness/agent/cores.js knows them */
const PLACEMENTS = {
  shared: 'all cores shared',
  one: 'all on one core',
  own: 'a core a process',
  apart: 'the load apart',
  link: 'the link apart',
};

/** @param {string} placement such as "alone-worker" @returns {string} */
const describeAlone = (placement) => (placement.startsWith('alone-') ? `the ${placement.slice(6)} alone on a core` : `cores ${placement}`);

/** @type {Record<string, string>} of servers/transports */
const HTTP_TRANSPORTS = { 'long-polling': 'long polling', sse: 'Server-Sent Events' };
/** @type {Record<string, string>} what an Engine.IO client comes by */
const TRANSPORTS = { polling: 'long polling', websocket: 'WebSocket', upgrade: 'long polling, then WebSocket' };
/** @type {Record<string, string>} files of clients/updates/headers */
const HEADERS = { source: "the source's 871 B of headers", bare: 'no headers but Host' };

/** @type {Record<string, Describe>} the words for a value, by key; in the order in which they are said */
const WORDS = {
  processes: (mix, roles) => mix.split('+').map((count, index) => counted(count, roles[index] ?? 'process', roles[index] ? undefined : 'processes')).join(', '),
  cores: (placement) => PLACEMENTS[placement] ?? describeAlone(placement),
  connections: (count) => counted(count, 'connection'),
  connect_rate_hz: (rate) => `${grouped(rate)} opened a second`,
  client_processes: (count) => counted(count, 'client process', 'client processes'),
  client_addresses: (count) => `clients of ${counted(count, 'address', 'addresses')}`,
  period_ms: (period) => (Number(period) < 1000 ? `each ${period} ms` : `each ${Number(period) / 1000} s`),
  transport: (transport) => HTTP_TRANSPORTS[transport] ?? transport,
  transports: (transports) => TRANSPORTS[transports] ?? transports,
  poll_period_ms: (period) => `a poll each ${Number(period) < 1000 ? `${period} ms` : `${Number(period) / 1000} s`}`,
  headers: (headers) => HEADERS[headers] ?? `${headers} headers`,
  payload_b: (bytes) => `${grouped(bytes)} B`,
  nodelay: (value) => (value === 'on' ? 'TCP_NODELAY' : 'Nagle\'s algorithm'),
  behaviour: (behaviour) => behaviour,
  fault: (fault) => fault.replaceAll('-', ' '),
  rtt_us: (rtt) => (Number(rtt) < 1000 ? `${rtt} us of round trip added` : `${Number(rtt) / 1000} ms of round trip added`),
  rate_mbit: (rate) => (rate === '1000' ? 'a gigabit a second' : `${grouped(rate)} Mbit a second`),
  timestamps: (timestamps) => `TCP timestamps ${timestamps}`,
  tls: (version) => (version === 'none' ? 'without TLS' : `TLS ${version}`),
  generator: (generator) => `by ${generator}`,
};

/**
 * @param {string} setting such as "cores=one,processes=2+2+1"
 * @param {string[]} roles of the engine, in the order of its engine.toml
 * @returns {string} such as "2 balancers, 2 workers, 1 store, all on one core"; "" for the setting "-". An option of the
 *   engine is its name and its value: "balancing smart"
 */
export function describeSetting(setting, roles) {
  const pairs = parseSetting(setting);
  const known = Object.keys(WORDS).filter((key) => key in pairs);
  const options = Object.keys(pairs).filter((key) => !(key in WORDS));
  return [...known.map((key) => WORDS[key](pairs[key], roles)), ...options.map((key) => `${key.replaceAll('_', ' ')} ${pairs[key]}`)].join(', ');
}
