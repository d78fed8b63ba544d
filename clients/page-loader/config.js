import { KEYS, check, checkRamp, isOneOf, isTable, isWholeFrom } from '../common/config.js';
import { readChecked } from '../common/config-file.js';
import { PATIENCE_S } from './order.js';

/**
 * The keys of clients/CONTRACT.md that this client uses.
 * @typedef {object} Config
 * @property {string} url
 * @property {string} out
 * @property {'page-delivery' | 'idle'} behaviour
 * @property {number} connections pages loaded concurrently
 * @property {number} connect_rate_hz
 * @property {number} warmup_s
 * @property {number} ramp_s
 * @property {number} settle_s
 * @property {number} hold_s
 * @property {number} drain_s
 * @property {number} late_ms
 * @property {number} seed
 * @property {{type: string, bytes: number}} payload
 * @property {Group[] | undefined} loads if undefined, the page without data is loaded repeatedly
 * @property {'chromium' | 'firefox'} browser
 * @property {'off' | 'on'} cache
 * @property {number} patience_s
 * @property {string} [ca] path of the certificate to trust
 */
/** @typedef {{scenario: string, x: number[], workflows: string[], times?: number}} Group each x with each workflow, `times` times (1) */

const isWord = (/** @type {unknown} */ value) => typeof value === 'string' && /^[a-z]+$/.test(value);
/** @param {unknown} list @param {(value: any) => boolean} isRight */
const isListOf = (list, isRight) => Array.isArray(list) && list.length > 0 && list.every(isRight);
const isGroup = (/** @type {any} */ group) => isTable(group) && isWord(group.scenario) && isListOf(group.x, isWholeFrom(0))
  && isListOf(group.workflows, isWord) && isWholeFrom(1)(group.times ?? 1);

/** @type {import('../common/config.js').Rules} */
const RULES = {
  ...KEYS,
  url: [(value) => /^(ws|https?):\/\/[^/:]+:\d+$/.test(value), 'http://host:port or https://host:port'],
  behaviour: [isOneOf('page-delivery', 'idle'), 'page-delivery'],
  loads: [(value) => value === undefined || isListOf(value, isGroup), 'a list of {scenario, x: [...], workflows: [...]}'],
  browser: [isOneOf('chromium', 'firefox'), 'chromium or firefox'],
  cache: [isOneOf('off', 'on'), 'off or on'],
  patience_s: [isWholeFrom(1), 'a whole number from 1'],
};

/** Values of optional keys. */
const DEFAULTS = { browser: 'chromium', cache: 'off', patience_s: PATIENCE_S };

/**
 * @param {string | undefined} path of a JSON file, as clients/CONTRACT.md lists it
 * @returns {Config}
 * @throws {import('../common/failure.js').Failure} 64, with a line for each error
 */
export function readConfig(path) {
  return { ...DEFAULTS, ...readChecked(path, 'clients/page-loader', findErrors) };
}

/** @param {any} given @returns {string[]} each `<what, with the value>; <next step>` */
export function findErrors(given) {
  if (!isTable(given)) return [`${JSON.stringify(given)} is not an object; see clients/CONTRACT.md`];
  const config = { ...DEFAULTS, ...given };
  const wrong = check('', config, RULES);
  return wrong.length ? wrong : checkRamp(config);
}
