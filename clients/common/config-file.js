/** Reads and validates the configuration file of a client or a companion. */
import { readFileSync } from 'node:fs';
import { EXIT, Failure, messageOf } from './failure.js';

/**
 * @param {string | undefined} path of a JSON file
 * @param {string} who the program, named in the error
 * @param {(config: any) => string[]} findErrors lists every error in it
 * @returns {any} the parsed configuration
 * @throws {Failure} 64, with a line for each error
 */
export function readChecked(path, who, findErrors) {
  if (!path) throw new Failure(EXIT.settings, [`${who}: no configuration given; give the path of a JSON file as the one argument`]);
  let config;
  try {
    config = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new Failure(EXIT.settings, [`${path}: ${messageOf(error)}; give the path of a JSON file`]);
  }
  const wrong = findErrors(config);
  if (wrong.length) throw new Failure(EXIT.settings, wrong.map((line) => `${path}: ${line}`));
  return config;
}
