/** `wscale verify`: reduces an archive again elsewhere. Checks every file against its hash, and every number against the captures. */
import { existsSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { sum } from 'd3-array';
import { openBundle, renameRules } from '../common/bundle.js';
import { hashFiles, formatHashes, listCode, locateCode, sha256 } from '../common/code.js';
import { UserError } from '../common/failure.js';
import { judgeTrial } from '../../analysis/trials/validity.js';
import { analyse } from '../../analysis/analyse.js';
import { judgeBundle } from '../../analysis/claims/verdict.js';
import { GIVE_ARCHIVE, checkZip, findWrongFiles, listArchived, unzip } from '../records/archives.js';
import { hasCaptures as holdsCaptures } from '../records/captures.js';
import { compareText, printSome } from './same-numbers.js';
import { verifyRecord } from './verify-captures.js';

/** @typedef {{numbers: number, files: number, differing: string[], how: string, hasCaptures: boolean}} Verified */

/** @param {string} path of an archive, or of a published record @throws {UserError} if it is neither */
export async function checkArchive(path) {
  if (holdsCaptures(path)) return;
  if (existsSync(join(path, 'record.sha256'))) throw new UserError(`${path}: holds no captures, for it is older than they are kept; ${GIVE_ARCHIVE}`);
  await checkZip(path);
}

/**
 * @param {string} path of an archive, or of a published record @returns {Promise<number>} exit code: 0 if all is the same, else 1
 * @throws {UserError} if it was not written by `make archive`
 */
export async function verifyArchive(path) {
  await checkArchive(path);
  if (holdsCaptures(path)) return verifyRecord(path);
  const folder = mkdtempSync(join(tmpdir(), 'wscale-verify-'));
  try {
    await unzip(path, folder);
    const wrong = await checkHashes(folder);
    const runs = listArchived(folder);
    const found = [];
    for (const name of runs) found.push(await verifyRun(join(folder, name)));
    const isSame = wrong.length === 0 && found.every(({ differing }) => differing.length === 0);
    const numbers = sum(found, (each) => each.numbers);
    const without = found.filter(({ hasCaptures }) => !hasCaptures).length;
    if (without) console.log(`NOT checked: whether the numbers of single trials are those of the captures; ${without} of ${found.length} runs came without captures`);
    console.log(isSame ? `${path}: every number is the same (${numbers})` : `${path}: NOT the same`);
    return isSame ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {string} folder @returns {Promise<string[]>} files that do not match their hashes */
async function checkHashes(folder) {
  const { listed, wrong } = await findWrongFiles(folder);
  console.log(`hashes: ${wrong.length ? '' : 'all '}${listed} files${wrong.length ? `, of which ${wrong.length} are not as listed` : ' are as listed'}`);
  printSome(wrong);
  return wrong;
}

/** @param {string} folder of a run in the archive @returns {Promise<Verified>} */
async function verifyRun(folder) {
  const { spec } = openBundle(folder);
  const found = await reduceAnew(folder, spec);
  const same = found.differing.length ? `${found.differing.length} DIFFER` : 'all the same';
  console.log(`${spec.experiment}: ${found.numbers} numbers of ${found.files} files, ${found.how}: ${same}`);
  printSome(found.differing);
  if (found.differing.length) console.log(`  ${describeCode(spec)}`);
  return found;
}

/** @param {any} spec @returns {string} whether another version of the code may explain it */
function describeCode({ experiment, environment: { suite } }) {
  const here = sha256(formatHashes(hashFiles(listCode(locateCode(experiment)))));
  if (!suite?.commit) return 'of which code it is was not kept';
  return suite.code_hash === here ? 'the code here is that of the archive' : `the code here is another than the archive's: git checkout ${suite.commit.slice(0, 12)}, then verify`;
}

/** @param {string} folder @param {any} spec @returns {Promise<Verified>} */
async function reduceAnew(folder, spec) {
  const hasCaptures = existsSync(join(folder, 'trials'));
  const kept = readKept(folder, hasCaptures);
  if (hasCaptures) {
    for (const name of kept.keys()) if (name.endsWith('/validity.tsv')) judgeTrial(join(folder, dirname(name)), spec);
    renameSync(join(folder, 'reduced'), join(folder, 'reduced-before'));
  }
  await analyse(folder, hasCaptures);
  judgeBundle(folder, { isAnew: true });
  const now = readKept(folder, hasCaptures);
  const names = [...new Set([...kept.keys(), ...now.keys()])].sort().reverse(); // reversed: trials before the tables made from them
  const compared = names.map((name) => compareText(name, kept.get(name), now.get(name)));
  return {
    how: hasCaptures ? 'from the captures' : 'from the numbers of each trial, for a result of record holds no captures', hasCaptures,
    files: names.length, numbers: sum(compared, ({ numbers }) => numbers), differing: compared.flatMap(({ differing }) => differing),
  };
}

/** @param {string} folder @param {boolean} hasCaptures @returns {Map<string, string>} files to compute again: text by name */
function readKept(folder, hasCaptures) {
  const tables = readdirSync(join(folder, 'reduced')).filter((name) => name.endsWith('.tsv')).map((name) => `reduced/${name}`);
  const trials = hasCaptures ? readdirSync(join(folder, 'trials')).map((name) => `trials/${name}/validity.tsv`) : [];
  const names = ['verdict.json', ...tables, ...trials.filter((name) => existsSync(join(folder, name)))];
  return new Map(names.map((name) => [name, renameRules(readFileSync(join(folder, name), 'utf8'))]));
}
