/** Awk filters for the output of the thesis's samplers. */
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseTsv } from '../../harness/common/files.js';
import { lastWords, runProgram } from '../../harness/common/programs.js';

/** @typedef {Record<string, string>} Row */

const HERE = dirname(fileURLToPath(import.meta.url));

/** @param {string[]} argv @returns {string} its output @throws {Error} */
export function runFilter(argv) {
  const ended = runProgram(argv, { env: { ...process.env, LC_ALL: 'C' } });
  if (ended.status !== 0) throw new Error(`${argv.join(' ')}: ${lastWords(ended)}`);
  return ended.stdout;
}

/**
 * @param {string[]} programs of this folder, or whole paths @param {string[]} files @param {Record<string, string | number>} [variables]
 * @returns {string} awk's output
 */
export const awk = (programs, files, variables = {}) =>
  runFilter([
    'awk',
    ...Object.entries(variables).flatMap(([name, value]) => ['-v', `${name}=${value}`]),
    ...programs.flatMap((name) => ['-f', join(HERE, name)]),
    ...files,
  ]);

/** @param {string[]} programs @param {string[]} files @param {Record<string, string | number>} [variables] @returns {Row[]} */
export const awkRows = (programs, files, variables) => parseTsv(awk(programs, files, variables));
