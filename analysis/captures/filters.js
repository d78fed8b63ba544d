/** Runs awk filters on the output of the thesis's samplers. */
import { join } from 'node:path';
import { parseTsv } from '../../harness/common/files.js';
import { lastWords, runProgram } from '../../harness/common/programs.js';

/**
 * @param {string} filter of this folder @param {string[]} files @param {Record<string, string | number>} [variables]
 * @returns {Record<string, string>[]} the table that it writes @throws {Error}
 */
export function awkRows(filter, files, variables = {}) {
  const given = Object.entries(variables).flatMap(([name, value]) => ['-v', `${name}=${value}`]);
  const argv = ['awk', ...given, '-f', join(import.meta.dirname, filter), ...files];
  const ended = runProgram(argv, { env: { ...process.env, LC_ALL: 'C' } });
  if (ended.status !== 0) throw new Error(`${argv.join(' ')}: ${lastWords(ended)}`);
  return parseTsv(ended.stdout);
}
