/** What a command of ./wscale is, and checks of what several are given. */
import { existsSync } from 'node:fs';

/**
 * @typedef {object} Command
 * @property {string} name words after ./wscale; two where it belongs to a group, such as `ec2 up`
 * @property {string} group heading in --help
 * @property {string} summary
 * @property {string[]} operands names in capitals, as make gives them; one that ends with ? may be left out, with ... may be several
 * @property {import('../options.js').OptionOf[]} options
 * @property {string[]} examples arguments of two or more
 * @property {(given: any, operands: string[]) => unknown} [check] throws where the operands or the options do not go together: before
 *   anything is installed
 * @property {(given: any, operands: string[]) => string[] | Promise<string[]>} needs of the machine (provide.js)
 * @property {(given: any, operands: string[], rest: string[]) => Promise<number | void> | number | void} run exit code, else 0
 * @property {boolean} [passes] hands what follows to another program
 */

/**
 * @typedef {Pick<Command, 'name' | 'summary' | 'examples' | 'run'> & Partial<Omit<Command, 'needs'>>
 *   & {needs?: string[] | Command['needs']}} Given
 */

/** What a run needs of the machine, and what reads its tables. */
export const MEASURES = ['run', 'yardstick', 'figures'];
export const REDUCES = ['figures', 'records'];

/** @param {string} group @param {Given} given @returns {Command} */
export function command(group, { operands = [], options = [], needs = [], ...rest }) {
  return { operands, options, needs: typeof needs === 'function' ? needs : () => needs, ...rest, group };
}

/** @param {string[]} words of which each may hold several, as make gives them @returns {string[]} */
export const splitWords = (words) => words.flatMap((word) => word.split(/\s+/)).filter(Boolean);

/** @param {(string | undefined)[]} paths of bundles, or of folders that hold some @throws {UserError} of one that is not there */
export async function checkBundles(...paths) {
  const absent = paths.find((path) => path !== undefined && path !== 'record' && !existsSync(path));
  if (absent !== undefined) (await import('../../common/bundle.js')).openBundle(absent);
}

/** @param {string | undefined} path of hosts.toml @throws {UserError} with every problem */
export const checkHosts = async (path) => void (path && (await import('../../spec/hosts.js')).readHosts(path));
