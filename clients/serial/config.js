import { readChecked } from '../common/config-file.js';
import { findErrors, libraryRules } from '../common/config.js';

/**
 * A valid configuration (CONTRACT.md).
 * @typedef {import('../common/config.js').Config & {sizes_b: number[], nodelay?: 'on' | 'off',
 *   reading?: 'stream' | 'whole', tls?: string, ca?: string}} Config
 */

const isSize = (/** @type {unknown} */ value) => Number.isInteger(value) && Number(value) >= 1;

/**
 * @param {string | undefined} path of a JSON file, as CONTRACT.md lists it
 * @returns {Config}
 * @throws {import('../common/failure.js').Failure} 64, with a line for each error
 */
export function readConfig(path) {
  return readChecked(path, 'clients/serial', findSerialErrors);
}

/** @param {any} config @returns {string[]} each `<what, with the value>; <next step>` */
export function findSerialErrors(config) {
  const wrong = findErrors(config, libraryRules('clients/serial'));
  const { behaviour, connections, processes, sizes_b, nodelay = 'on', reading = 'stream' } = config ?? {};
  if (behaviour !== 'echo') wrong.push(`behaviour is ${JSON.stringify(behaviour)}; set it to echo`);
  if (connections !== 1 || processes !== 1) wrong.push(`${connections} connections from ${processes} processes are asked for; set both to 1`);
  if (!Array.isArray(sizes_b) || sizes_b.length === 0 || !sizes_b.every(isSize)) wrong.push(`sizes_b is ${JSON.stringify(sizes_b)}; set it to a list of whole numbers from 1`);
  if (!['on', 'off'].includes(nodelay)) wrong.push(`nodelay is ${JSON.stringify(nodelay)}; set it to on or off`);
  if (!['stream', 'whole'].includes(reading)) wrong.push(`reading is ${JSON.stringify(reading)}; set it to stream or whole`);
  return wrong;
}
