/** Parses values of the command line, of `make experiment-N` and of `make ec2-run`, which passes them on. */
import { UserError } from './failure.js';

/** @param {string | undefined} text @returns {number | undefined} @throws {UserError} */
export function parseSeed(text) {
  if (text === undefined) return undefined;
  if (/^\d{1,10}$/.test(text) && Number(text) < 2 ** 32) return Number(text);
  throw new UserError(`SEED: "${text}" is not a whole number from 0 to 4294967295; give one`);
}

/**
 * @param {string} name @param {string | undefined} text @param {number} [digits] at most @returns {number | undefined} @throws {UserError}
 */
export function parseCount(name, text, digits = 5) {
  if (text === undefined) return undefined;
  if (/^[1-9]\d*$/.test(text) && text.length <= digits) return Number(text);
  throw new UserError(`${name}: "${text}" is not a whole number from 1 to ${'9'.repeat(digits)}; give one`);
}

/** More messages a second than any machine answers. */
const RATE_MAX_HZ = 1e9;

/** @param {string | undefined} text messages a second @returns {number} @throws {UserError} */
export function parseRate(text) {
  if (text === undefined) throw new UserError('RATE: is missing; give the messages a second over all connections, such as RATE=5000');
  const total_rate_hz = Number(text);
  if (/^\d{1,10}([.]\d{1,9})?(e\d)?$/i.test(text) && total_rate_hz > 0 && total_rate_hz <= RATE_MAX_HZ) return total_rate_hz;
  throw new UserError(`RATE: "${text}" is not a number of messages a second, above 0 and up to ${RATE_MAX_HZ}; give one, such as RATE=5000`);
}

/** @param {string | undefined} text of EC2 @returns {string} @throws {UserError} */
export function parseRegion(text) {
  if (/^[a-z]{2}(-[a-z]+)+-\d$/.test(text ?? '')) return String(text);
  throw new UserError(`REGION: ${text ? `"${text}" is no region` : 'is not set, nor is there one in your profile'}; give one, such as REGION=us-east-1`);
}

/** @param {string | undefined} text minutes @returns {number} seconds @throws {UserError} */
export const parsePatience = (text) => 60 * (parseCount('PATIENCE', text, 3) ?? 0);

/**
 * @param {Record<string, string | undefined>} given
 * @returns {{engines?: string[], points?: string, blocks?: number, bytes?: number}} what a run measures of its experiment
 * @throws {UserError}
 */
export const parseChoice = ({ engines, points, blocks, bytes }) =>
  ({ engines: parseNames(engines), points: points || undefined, blocks: parseCount('BLOCKS', blocks), bytes: parseCount('BYTES', bytes, 7) });

/** @param {string | undefined} text of ENGINES @returns {string[] | undefined} @throws {UserError} if it names none */
export function parseNames(text) {
  const names = text?.split(/[\s,]+/).filter(Boolean);
  if (names?.length === 0) throw new UserError(`ENGINES: "${text}" names no engine; name some, as \`./wscale engines\` does, or leave it out`);
  return names && [...new Set(names)];
}
