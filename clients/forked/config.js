import { readChecked } from '../common/config-file.js';
import { check, findErrors as findSharedErrors, libraryRules, isTable, isWholeFrom } from '../common/config.js';

/** @typedef {import('../common/config.js').Config & {library_settings: {agent_sockets: 'default' | number}}} Config see README.md */

/** @type {import('../common/config.js').Rules} optional settings beyond the contract, for the environment of the client library */
const LIBRARY_SETTINGS = {
  agent_sockets: [(value) => value === 'default' || isWholeFrom(1)(value), '"default" or a whole number from 1'],
};

/**
 * Reads and checks the client's configuration.
 * @param {string | undefined} path of a JSON file, as CONTRACT.md lists it
 * @returns {Config} the configuration, with defaults for missing `library_settings`
 * @throws {import('../common/failure.js').Failure} 64, with a line for each error
 */
export function readConfig(path) {
  const config = readChecked(path, 'clients/forked', findErrors);
  return { ...config, library_settings: { agent_sockets: 'default', ...config.library_settings } };
}

/** @param {any} config @returns {string[]} each `<what, with the value>; <next step>` */
export function findErrors(config) {
  const wrong = findSharedErrors(config, libraryRules('clients/forked'));
  return config?.library_settings === undefined ? wrong : [...wrong, ...checkLibrarySettings(config.library_settings)];
}

/** @param {any} settings */
function checkLibrarySettings(settings) {
  if (!isTable(settings)) return [`library_settings is ${JSON.stringify(settings)}; set it to an object`];
  const given = Object.keys(settings);
  const unknown = given.filter((key) => !Object.hasOwn(LIBRARY_SETTINGS, key));
  const known = given.filter((key) => Object.hasOwn(LIBRARY_SETTINGS, key));
  return [
    ...unknown.map((key) => `library_settings.${key} is unknown; use ${Object.keys(LIBRARY_SETTINGS).join(', ')}`),
    ...check('library_settings.', settings, Object.fromEntries(known.map((key) => [key, LIBRARY_SETTINGS[key]]))),
  ];
}
