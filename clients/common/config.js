/** The rules of clients/CONTRACT.md for every configuration. A client adds its own rules, or uses only some of these. */
import { statSync } from 'node:fs';

/**
 * A valid configuration (CONTRACT.md).
 * @typedef {object} Config
 * @property {string} url
 * @property {string} library
 * @property {string} out
 * @property {'pingpong' | 'echo' | 'idle' | 'file' | 'file-listed'} behaviour
 * @property {number} processes
 * @property {number} connections
 * @property {number} connect_rate_hz
 * @property {number} warmup_s
 * @property {number} ramp_s
 * @property {number} settle_s
 * @property {number} hold_s
 * @property {{kind: string}} arrivals
 * @property {{type: string, bytes: number}} payload
 * @property {number} seed
 * @property {number} late_ms
 * @property {number} drain_s
 */

/** @typedef {(value: any) => boolean} Predicate */
/** @typedef {Object<string, [Predicate, string]>} Rules by key: whether its value is valid, and a valid value in words */

/** The behaviours that need the library `delivery`. */
export const FILES = ['file', 'file-listed'];

const MAX_PAYLOAD_B = 2 ** 26;

/** @type {Predicate} */
const isNumber = (value) => typeof value === 'number' && Number.isFinite(value);
/** @type {Predicate} */
const isFromZero = (value) => isNumber(value) && value >= 0;
/** @type {Predicate} */
const isStaircase = (value) => Array.isArray(value) && value.length > 0
  && value.every((step) => isFromZero(step?.rate_hz_per_connection) && isFromZero(step.grid_ms ?? 0));
/** @type {(least: number) => Predicate} */
export const isWholeFrom = (least) => (value) => Number.isInteger(value) && value >= least;
/** @type {Predicate} */
const isPositive = (value) => isNumber(value) && value > 0;
/** @type {(...values: any[]) => Predicate} */
export const isOneOf = (...values) => (value) => values.includes(value);
/** @type {Predicate} */
const isText = (value) => typeof value === 'string' && value !== '';

/** @type {Rules} the keys of CONTRACT.md */
export const KEYS = {
  url: [(value) => /^(wss?|tcp|tls):\/\/[^/:]+:\d+$/.test(value), 'ws://host:port, or tcp://host:port'],
  out: [isFolder, 'an existing folder'],
  behaviour: [isOneOf('pingpong', 'echo', 'idle', ...FILES), `pingpong, echo, idle, ${FILES.join(' or ')}`],
  processes: [isWholeFrom(1), 'a whole number from 1'],
  connections: [isWholeFrom(1), 'a whole number from 1'],
  connect_rate_hz: [isPositive, 'a number above 0'],
  warmup_s: [(value) => isNumber(value) && value >= 0, 'a number from 0'],
  ramp_s: [isWholeFrom(0), 'a whole number from 0'],
  settle_s: [isWholeFrom(0), 'a whole number from 0'],
  hold_s: [isWholeFrom(1), 'a whole number from 1'],
  seed: [(value) => isWholeFrom(0)(value) && value < 2 ** 32, 'a whole number from 0 to 4294967295'],
  late_ms: [(value) => isNumber(value) && value >= 0, 'a number from 0'],
  drain_s: [(value) => isNumber(value) && value >= 0, 'a number from 0'],
};

/** @param {string} folder with one subfolder for each library @returns {Rules} for a client that drives one of these libraries */
export const libraryRules = (folder) => ({ library: [isText, `a folder of ${folder}/`] });

/** @type {Object<string, Rules>} by kind */
const ARRIVALS = {
  'uniform-interval': { max_ms: [isPositive, 'a number above 0'] },
  constant: { period_ms: [isPositive, 'a number above 0'] },
  poisson: { rate_hz_per_connection: [isPositive, 'a number above 0'] },
  closed: { outstanding: [isWholeFrom(1), 'a whole number from 1'] },
  staircase: {
    from_s: [isFromZero, 'a number from 0'],
    step_s: [isPositive, 'a number above 0'],
    steps: [isStaircase, 'a list of {"rate_hz_per_connection": a number from 0, "grid_ms": a number from 0, or left out}'],
  },
};

/** @type {Rules} */
const PAYLOAD = {
  type: [isOneOf('text', 'binary'), 'text or binary'],
  bytes: [(value) => isWholeFrom(1)(value) && value <= MAX_PAYLOAD_B, `a whole number from 1 to ${MAX_PAYLOAD_B}`],
};

/**
 * Finds every error in a configuration.
 * @param {*} config @param {Rules} [more] the client's own
 * @returns {string[]} each `<what, with the value>; <next step>`
 */
export function findErrors(config, more = {}) {
  if (!isTable(config)) return [`${JSON.stringify(config)} is not an object; see clients/CONTRACT.md`];
  const wrong = check('', config, { ...KEYS, ...more });
  if (config.behaviour !== 'idle') wrong.push(...checkArrivals(config.arrivals));
  if (['echo', ...FILES].includes(config.behaviour)) wrong.push(...checkTable('payload', config.payload, PAYLOAD));
  return wrong.length ? wrong : checkRamp(config);
}

/** @param {any} arrivals */
function checkArrivals(arrivals) {
  const kind = arrivals?.kind;
  if (Object.hasOwn(ARRIVALS, kind)) return check('arrivals.', arrivals, ARRIVALS[kind]);
  return [`arrivals.kind is ${JSON.stringify(kind)}; set it to ${Object.keys(ARRIVALS).join(', ')}`];
}

/**
 * The last connection must be due before the load ends.
 * @param {Config} config
 */
export function checkRamp({ connections, connect_rate_hz, ramp_s, settle_s, hold_s }) {
  const last_s = (connections - 1) / connect_rate_hz;
  const end_s = ramp_s + settle_s + hold_s;
  if (last_s < end_s) return [];
  return [`connection ${connections} would be due at ${last_s} s, after the end at ${end_s} s; raise connect_rate_hz (${connect_rate_hz})`];
}

/**
 * @param {string} name
 * @param {any} table
 * @param {Rules} rules
 */
function checkTable(name, table, rules) {
  return isTable(table) ? check(`${name}.`, table, rules) : [`${name} is ${JSON.stringify(table)}; set it to an object`];
}

/**
 * @param {string} prefix of the keys' names in the errors
 * @param {any} table
 * @param {Rules} rules
 */
export function check(prefix, table, rules) {
  return Object.entries(rules)
    .filter(([key, [isRight]]) => !isRight(table[key]))
    .map(([key, [, wanted]]) => `${prefix}${key} is ${JSON.stringify(table[key])}; set it to ${wanted}`);
}

/** @param {any} value */
export function isTable(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** @param {any} path */
function isFolder(path) {
  return isText(path) && statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
