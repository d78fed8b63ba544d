/** The suite as it stands here, for other hosts: what git would keep of it, in one archive, under the hash of what is in it. */
import { lstatSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { formatHashes, hashFiles, listCode, locateCode, sha256 } from '../common/code.js';
import { UserError } from '../common/failure.js';
import { ROOT } from '../common/places.js';
import { lastWords, runProgram } from '../common/programs.js';

/** @typedef {{hash: string, archive: string}} Tree */

/** No run of another host reads these. */
const LEFT_HERE = /^(records|plots|test)\//;

/** @returns {string[]} the files of the tree, tracked and new ones, that are there @throws {UserError} outside a checkout */
function listFiles() {
  const listed = runProgram(['git', 'ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: ROOT });
  if (listed.status !== 0) throw new UserError(`HOSTS: the suite's tree can't be listed: ${lastWords(listed)}; run it from a checkout of git`);
  const names = [...new Set(listed.stdout.split('\0').filter(Boolean))];
  return names.filter((name) => !LEFT_HERE.test(name) && lstatSync(join(ROOT, name), { throwIfNoEntry: false })).sort();
}

/** @param {string} name @returns {string} a line that changes with all that a host gets of the file */
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

/** @returns {string} the hash of all code but the experiments', which the coordinator alone reads */
export function hashSuite() {
  const roots = Object.fromEntries(Object.entries(locateCode('none')).filter(([name]) => !name.startsWith('experiments/')));
  return sha256(formatHashes(hashFiles(listCode(roots))));
}
