import { KEYS, check, checkRamp, isOneOf, isTable, isWholeFrom } from '../common/config.js';
import { readChecked } from '../common/config-file.js';
import { listHeaders } from './headers.js';

/**
 * The keys of clients/CONTRACT.md that this client uses.
 * @typedef {object} Config
 * @property {string} url
 * @property {string} dialect
 * @property {string} out
 * @property {number} processes
 * @property {number} connections
 * @property {number} connect_rate_hz
 * @property {number} ramp_s
 * @property {number} settle_s
 * @property {number} hold_s
 * @property {number} seed
 * @property {number} late_ms
 * @property {number} drain_s
 * @property {string} [transport]
 * @property {number} poll_period_ms
 * @property {string} headers
 * @property {number} clock_offset_us
 */

/** The transports of each dialect; WebSocket has only one. @type {Record<string, (string | undefined)[]>} */
export const TRANSPORTS = {
  http: ['polling', 'long-polling', 'streaming', 'sse'],
  websocket: [undefined],
  'engine.io-4': ['polling', 'websocket', 'upgrade'],
};

/** @type {import('../common/config.js').Rules} */
const RULES = {
  ...KEYS,
  url: [(value) => /^(ws|http):\/\/[^/:]+:\d+$/.test(value), 'ws://host:port or http://host:port'],
  dialect: [isOneOf(...Object.keys(TRANSPORTS)), Object.keys(TRANSPORTS).join(', ')],
  behaviour: [isOneOf('updates', 'idle'), 'updates'],
  processes: [isOneOf(1), '1'],
  poll_period_ms: [isWholeFrom(1), 'a whole number from 1'],
  clock_offset_us: [Number.isInteger, 'a whole number'],
  headers: [(value) => listHeaders().includes(value), `one of ${listHeaders().join(', ')}`],
};

/** Values of optional keys. */
const DEFAULTS = { poll_period_ms: 1000, headers: 'chromium', clock_offset_us: 0 };

/**
 * @param {string | undefined} path of a JSON file, as clients/CONTRACT.md lists it
 * @returns {Config}
 * @throws {import('../common/failure.js').Failure} 64, with a line for each error
 */
export function readConfig(path) {
  const config = readChecked(path, 'clients/updates', findErrors);
  return { ...DEFAULTS, ...config };
}

/** @param {any} given @returns {string[]} each `<what, with the value>; <next step>` */
export function findErrors(given) {
  if (!isTable(given)) return [`${JSON.stringify(given)} is not an object; see clients/CONTRACT.md`];
  const config = { ...DEFAULTS, ...given };
  const wrong = check('', config, RULES);
  if (wrong.length) return wrong;
  const known = TRANSPORTS[config.dialect];
  const isKnown = config.behaviour === 'idle' || known.includes(config.transport);
  return isKnown ? [...checkRamp(config), ...checkDrain(config)] : [`transport is ${JSON.stringify(config.transport)}; set it to ${known.map((name) => name ?? 'nothing').join(', ')}`];
}

/** The drain must include the last poll, up to one period after the end. @param {any} config @returns {string[]} */
function checkDrain({ dialect, transport, poll_period_ms, drain_s }) {
  const isPolling = dialect === 'http' && transport === 'polling';
  if (!isPolling || drain_s * 1000 > poll_period_ms) return [];
  return [`drain_s is ${drain_s}, and the last of polls each ${poll_period_ms} ms comes up to a period after the end; set drain_s above ${poll_period_ms / 1000}`];
}
