/** The type of a command of ./wscale, and checks that several share. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/**
 * @typedef {object} Command
 * @property {string} name words after ./wscale; two where it belongs to a group, such as `ec2 up`
 * @property {string} group heading in --help
 * @property {string} summary
 * @property {string[]} operands names in capitals, as make gives them, in commander's brackets
 * @property {import('commander').Option[]} options
 * @property {string[]} examples two or more, without ./wscale
 * @property {(given: any, operands: string[]) => unknown} [check] throws if operands or options are wrong, before anything
 *   is installed
 * @property {(given: any, operands: string[]) => string[] | Promise<string[]>} needs of the machine (provide.js)
 * @property {(given: any, operands: string[], rest: string[]) => Promise<number | void> | number | void} run exit code, else 0
 * @property {boolean} [passes] passes further arguments to another program
 */

/**
 * @typedef {Pick<Command, 'name' | 'summary' | 'examples' | 'run'> & Partial<Omit<Command, 'needs'>>
 *   & {needs?: string[] | Command['needs']}} Given
 */

/** For examples: a bundle of `run 3 --profile default`, and a record that every checkout has. */
export const BUNDLE = 'results/03-engineio-vs-socketcluster/20261122T110951Z-default';
export const RECORD = 'records/03-engineio-vs-socketcluster/default';

/** Needs of a run, and of commands that read its tables. */
export const MEASURES = ['run', 'yardstick', 'figures'];
export const REDUCES = ['figures', 'records'];

/** @param {string} group @param {Given} given @returns {Command} */
export function command(group, { operands = [], options = [], needs = [], ...rest }) {
  return { operands, options, needs: typeof needs === 'function' ? needs : () => needs, ...rest, group };
}

/** @param {string[]} words each may hold several, as make gives them @returns {string[]} */
export const splitWords = (words) => words.flatMap((word) => word.split(/\s+/)).filter(Boolean);

/** @param {string | undefined} path of a bundle @throws {UserError} if it is none */
export const checkBundle = async (path) => void (path !== undefined && (await import('../../common/bundle.js')).openBundle(path));

/** @param {string | undefined} path of a bundle @throws {UserError} if it is none, or a run that did not end */
export async function checkReduced(path) {
  if (path === undefined) return;
  const { checkEnded, openBundle } = await import('../../common/bundle.js');
  openBundle(path);
  if (existsSync(join(path, 'trials'))) checkEnded(path, ['reduced/points.tsv']);
}

/** @param {(string | undefined)[]} paths as `report` takes them @throws {UserError} if one was not judged */
export async function checkSources(...paths) {
  const { checkSource } = await import('../../records/sources.js');
  for (const path of paths) if (path !== undefined) checkSource(path);
}

/** @param {string} path of hosts.toml @returns {Promise<string[]>} needs to reach its hosts; programs of `exec` are the user's own */
export async function needsOfHosts(path) {
  const { hosts } = (await import('../../spec/hosts.js')).readHosts(path);
  return hosts.some(({ ssh }) => ssh !== undefined) ? ['hosts'] : [];
}

/** @param {string | undefined} path of hosts.toml @throws {UserError} with every problem */
export const checkHosts = async (path) => void (path && (await import('../../spec/hosts.js')).readHosts(path));
