/** The commit of the code, and the files of code that differ from it. */
import { isCode, listCode, listDifferences } from './code.js';
import { Interrupted } from './failure.js';
import { ROOT } from './places.js';
import { runProgram } from './programs.js';

/**
 * @typedef {{commit: string, changed: string[]} | {commit: null, changed: null, why: string}} Commit `changed`: files of code that differ
 *   from the commit, or are not in it; `why`: git's error
 */

/**
 * Compares the files themselves, not git's index, to notice changes in files that git was told to ignore.
 * @param {Record<string, string>} roots of the code (locateCode) @param {string} [root] of the checkout
 * @returns {Commit}
 */
export function readCommit(roots, root = ROOT) {
  try {
    const commit = git(root, ['rev-parse', '--verify', 'HEAD']).trim();
    const tree = git(root, ['ls-tree', '-r', '-z', commit, '--', ...Object.keys(roots)]).split('\0').filter(Boolean).map((line) => line.split('\t'));
    const then = new Map(tree.filter(([, name]) => isCode(name)).map(([entry, name]) => [name, entry.split(' ')[2]]));
    return { commit, changed: listDifferences(then, hashObjects(root, listCode(roots))).map(({ name }) => name) };
  } catch (error) {
    if (error instanceof Interrupted) throw error;
    return { commit: null, changed: null, why: /** @type {Error} */ (error).message };
  }
}

/** @param {string} root @param {Map<string, string>} code @returns {Map<string, string>} git's hash of each file, by name */
function hashObjects(root, code) {
  if (code.size === 0) return new Map();
  const hashes = git(root, ['hash-object', '--no-filters', '--stdin-paths'], [...code.values()].join('\n')).trim().split('\n');
  return new Map([...code.keys()].map((name, index) => [name, hashes[index]]));
}

/** @param {string} root @param {string[]} argv @param {string} [input] @returns {string} @throws {Error} with git's reason */
function git(root, argv, input) {
  const { status, stdout, stderr, error } = runProgram(['git', '-C', root, ...argv], { input });
  if (status === 0) return stdout;
  if (/** @type {NodeJS.ErrnoException | undefined} */ (error)?.code === 'ENOENT') throw new Error('git is not installed');
  throw new Error((stderr.trim() || String(error?.message)).split('\n')[0].replace(/^fatal: /, ''));
}
