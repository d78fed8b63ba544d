/** The one file that a client or a companion is told what to do by: read, and checked as a whole. */
import { readFileSync } from 'node:fs';
import { EXIT, Failure, messageOf } from './failure.js';

/**
 * @param {string | undefined} path of a JSON file
 * @param {string} who is told, for the error
 * @param {(config: any) => string[]} findErrors all that is wrong with it
 * @returns {any} what it holds
 * @throws {Failure} 64, with all that is wrong
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
