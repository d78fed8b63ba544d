import { statSync } from 'node:fs';
import { readChecked } from '../common/config-file.js';

/**
 * The companion's configuration: the keys of clients/CONTRACT.md that it uses. It ignores the others.
 * @typedef {object} Config
 * @property {string} url of the page
 * @property {string} out an existing folder for the records
 * @property {number} ramp_s
 * @property {number} settle_s
 * @property {number} hold_s
 * @property {number} drain_s
 * @property {number} seed for the random sampling times
 */

/** @typedef {[(value: any) => boolean, string]} Rule whether a value is valid, and a valid value in words */

/** @type {Rule} */
const SECONDS = [(value) => Number.isFinite(value) && value >= 0, 'a number of seconds from 0'];

/** @type {Record<string, Rule>} */
const KEYS = {
  url: [(value) => /^http:\/\/[^/:]+:\d+\/?$/.test(value), 'http://host:port/'],
  out: [isFolder, 'an existing folder'],
  ramp_s: SECONDS,
  settle_s: SECONDS,
  hold_s: [(value) => Number.isFinite(value) && value > 0, 'a number of seconds above 0'],
  drain_s: SECONDS,
  seed: [(value) => Number.isInteger(value) && value >= 0 && value < 2 ** 32, 'a whole number from 0 to 4294967295'],
};

/**
 * @param {string | undefined} path of a JSON file
 * @returns {Config}
 * @throws {import('../common/failure.js').Failure} 64, with a line for each error
 */
export const readConfig = (path) => readChecked(path, 'clients/browser', findErrors);

/**
 * @param {any} config
 * @returns {string[]} every error in it, each `<what, with the value>; <next step>`
 */
export function findErrors(config) {
  if (typeof config !== 'object' || config === null || Array.isArray(config)) {
    return [`${JSON.stringify(config)} is not an object; see clients/browser/README.md`];
  }
  return Object.entries(KEYS)
    .filter(([key, [isRight]]) => !isRight(config[key]))
    .map(([key, [, wanted]]) => `${key} is ${JSON.stringify(config[key])}; set it to ${wanted}`);
}

/** @param {any} path */
function isFolder(path) {
  return typeof path === 'string' && statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
