/** What a command of ./wscale is, and checks of what several are given. */

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

/** In examples: what `run 3 --profile default` left, told at its end, and a result of record, which every checkout has. */
export const BUNDLE = 'results/03-engineio-vs-socketcluster/20261122T110951Z-default';
export const RECORD = 'records/03-engineio-vs-socketcluster/default';

/** What a run needs of the machine, and what reads its tables. */
export const MEASURES = ['run', 'yardstick', 'figures'];
export const REDUCES = ['figures', 'records'];

/** @param {string} group @param {Given} given @returns {Command} */
export function command(group, { operands = [], options = [], needs = [], ...rest }) {
  return { operands, options, needs: typeof needs === 'function' ? needs : () => needs, ...rest, group };
}

/** @param {string[]} words of which each may hold several, as make gives them @returns {string[]} */
export const splitWords = (words) => words.flatMap((word) => word.split(/\s+/)).filter(Boolean);

/** @param {string | undefined} path of a bundle @throws {UserError} of what is none */
export const checkBundle = async (path) => void (path !== undefined && (await import('../../common/bundle.js')).openBundle(path));

/** @param {(string | undefined)[]} paths as `report` takes them @throws {UserError} of what was not judged */
export async function checkSources(...paths) {
  const { checkSource } = await import('../../records/sources.js');
  for (const path of paths) if (path !== undefined) checkSource(path);
}

/** @param {string} path of hosts.toml @returns {Promise<string[]>} what reaches its hosts: the programs of `exec` are the user's own */
export async function needsOfHosts(path) {
  const { hosts } = (await import('../../spec/hosts.js')).readHosts(path);
  return hosts.some(({ ssh }) => ssh !== undefined) ? ['hosts'] : [];
}

/** @param {string | undefined} path of hosts.toml @throws {UserError} with every problem */
export const checkHosts = async (path) => void (path && (await import('../../spec/hosts.js')).readHosts(path));
