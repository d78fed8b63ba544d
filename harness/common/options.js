/** Values of the command line, as a person gives them: to `make experiment-N`, and to `make ec2-run`, which passes them on. */
import { UserError } from './failure.js';

/** @param {string | undefined} text @returns {number | undefined} @throws {UserError} */
export function parseSeed(text) {
  if (text === undefined) return undefined;
  const seed = Number(text);
  if (Number.isInteger(seed) && seed >= 0 && seed < 2 ** 32) return seed;
  throw new UserError(`SEED: "${text}" is not a whole number from 0 to 4294967295; give one`);
}

/**
 * @param {string} name @param {string | undefined} text @param {number} [digits] at most
 * @returns {number | undefined} @throws {UserError}
 */
export function parseCount(name, text, digits = 5) {
  if (text === undefined) return undefined;
  if (/^[1-9]\d*$/.test(text) && text.length <= digits) return Number(text);
  throw new UserError(`${name}: "${text}" is not a whole number from 1 to ${'9'.repeat(digits)}; give one`);
}

/** @param {string | undefined} text minutes @returns {number} seconds @throws {UserError} */
export const parsePatience = (text) => 60 * (parseCount('PATIENCE', text, 3) ?? 0);

/** @param {string | undefined} text @returns {string[] | undefined} */
export const parseNames = (text) => text?.split(/[\s,]+/).filter(Boolean);
