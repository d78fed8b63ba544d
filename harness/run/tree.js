/** The suite's current files for other hosts: every file git would keep, in one archive named by the hash of its content. */
import { lstatSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { formatHashes, hashFiles, listCode, locateCode, sha256 } from '../common/code.js';
import { UserError } from '../common/failure.js';
import { ROOT } from '../common/places.js';
import { lastWords, runProgram } from '../common/programs.js';

/** @typedef {{hash: string, archive: string}} Tree */

/** Not needed for runs on other hosts. */
const LEFT_HERE = /^(records|plots|test)\//;

/** @returns {string[]} existing files of the tree, tracked or new @throws {UserError} outside a checkout */
function listFiles() {
  const listed = runProgram(['git', 'ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: ROOT });
  if (listed.status !== 0) throw new UserError(`HOSTS: the suite's tree can't be listed: ${lastWords(listed)}; run it from a checkout of git`);
  const names = [...new Set(listed.stdout.split('\0').filter(Boolean))];
  return names.filter((name) => !LEFT_HERE.test(name) && lstatSync(join(ROOT, name), { throwIfNoEntry: false })).sort();
}

/** @param {string} name @returns {string} a line with everything of the file that reaches a host */
function describe(name) {
  const path = join(ROOT, name);
  const stat = lstatSync(path);
  const content = stat.isSymbolicLink() ? readlinkSync(path) : readFileSync(path);
  return `${sha256(content)} ${stat.isSymbolicLink() ? 'link' : stat.mode & 0o111 ? 'program' : 'file'} ${name}\n`;
}

/** @param {string} folder to write the archive into @returns {Tree} */
export function packTree(folder) {
  const names = listFiles();
  const archive = join(folder, 'tree.tar.gz');
  const packed = runProgram(['tar', '-C', ROOT, '--owner=0', '--group=0', '-czf', archive, '--null', '--no-recursion', '-T', '-'], { input: names.join('\0') });
  if (packed.status !== 0) throw new UserError(`HOSTS: the suite's tree can't be packed: ${lastWords(packed)}; make room in ${folder}`);
  return { hash: sha256(names.map(describe).join('')).slice(0, 16), archive };
}

/** @returns {string} hash of all code except the experiments; only the coordinator reads those */
export function hashSuite() {
  const roots = Object.fromEntries(Object.entries(locateCode('none')).filter(([name]) => !name.startsWith('experiments/')));
  return sha256(formatHashes(hashFiles(listCode(roots))));
}
