/** What a command of ./wscale is. */

/**
 * @typedef {object} Command
 * @property {string} name words after ./wscale; two where it belongs to a group, such as `ec2 up`
 * @property {string} group heading in --help
 * @property {string} summary
 * @property {string[]} operands names in capitals, as make gives them; one that ends with ? may be left out, with ... may be several
 * @property {import('../options.js').OptionOf[]} options
 * @property {string[]} examples arguments of two or more
 * @property {(given: any, operands: string[]) => string[] | Promise<string[]>} needs of the machine (provide.js)
 * @property {(given: any, operands: string[], rest: string[]) => Promise<number | void> | number | void} run exit code, else 0
 * @property {boolean} [passes] hands what follows to another program
 */

/**
 * @typedef {Pick<Command, 'name' | 'summary' | 'examples' | 'run'> & Partial<Omit<Command, 'needs'>>
 *   & {needs?: string[] | Command['needs']}} Given
 */

/** What a run needs of the machine, and what reads its tables. */
export const MEASURES = ['run', 'figures'];
export const REDUCES = ['figures', 'records'];

/** @param {string} group @param {Given} given @returns {Command} */
export function command(group, { operands = [], options = [], needs = [], ...rest }) {
  return { operands, options, needs: typeof needs === 'function' ? needs : () => needs, ...rest, group };
}

/** @param {string[]} words of which each may hold several, as make gives them @returns {string[]} */
export const splitWords = (words) => words.flatMap((word) => word.split(/\s+/)).filter(Boolean);
