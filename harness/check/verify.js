/**
 * `wscale verify`: reduces an archive again elsewhere. Checks every file against its hash, and every number against the captures. Of a
 * published record, recomputes the numbers of one block from the raw captures in the tree.
 */
import { existsSync, readFileSync, readdirSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { sum } from 'd3-array';
import { openBundle, renameRules } from '../common/bundle.js';
import { hashFiles, formatHashes, listCode, locateCode, sha256 } from '../common/code.js';
import { UserError } from '../common/failure.js';
import { readTsv } from '../common/files.js';
import { tablesOf } from '../common/tables.js';
import { makeTemporary, removeTemporary } from '../common/temporary.js';
import { TRIAL_COLUMNS } from '../../analysis/trials/bundle.js';
import { judgeTrial } from '../../analysis/trials/validity.js';
import { analyse } from '../../analysis/analyse.js';
import { judgeBundle } from '../../analysis/claims/verdict.js';
import { GIVE_ARCHIVE, checkZip, findWrongFiles, listArchived, unzip } from '../records/archives.js';
import { hasCaptures as holdsCaptures, unpackCaptures } from '../records/captures.js';
import { listChangedCaptures } from '../records/provenance.js';
import { compareText, printSome } from './same-numbers.js';

/** @typedef {{numbers: number, files: number, differing: string[], how: string, hasCaptures: boolean}} Verified */

/** Tables with numbers of single trials, all read together: today's rules may flag other trials than the rules of that day. */
const TABLES = ['trials', 'flagged', 'reference'];
/** More trials are not named. */
const TOLD_MAX = 4;

/** @param {string} path of an archive, or of a published record @throws {UserError} if it is neither */
export async function checkArchive(path) {
  if (holdsCaptures(path)) return;
  if (existsSync(join(path, 'record.sha256'))) throw new UserError(`${path}: holds no captures, for it is older than they are kept; ${GIVE_ARCHIVE}`);
  await checkZip(path);
}

/** @param {string} path that checkArchive takes @returns {Promise<number>} exit code: 0 if all is the same, else 1 */
export async function verifyArchive(path) {
  const folder = makeTemporary('verify');
  try {
    const isSame = holdsCaptures(path) ? await verifyRecord(path, folder) : await verifyZip(path, folder);
    return isSame ? 0 : 1;
  } finally {
    removeTemporary(folder);
  }
}

/** @param {string} path @param {string} folder a temporary one @returns {Promise<boolean>} is all the same? */
async function verifyZip(path, folder) {
  await unzip(path, folder);
  const wrong = await checkHashes(folder);
  const found = [];
  for (const name of listArchived(folder)) found.push(await verifyRun(join(folder, name)));
  const isSame = wrong.length === 0 && found.every(({ differing }) => differing.length === 0);
  const without = found.filter(({ hasCaptures }) => !hasCaptures).length;
  if (without) console.log(`NOT checked: whether the numbers of single trials are those of the captures; ${without} of ${found.length} runs came without captures`);
  console.log(isSame ? `${path}: every number is the same (${sum(found, ({ numbers }) => numbers)})` : `${path}: NOT the same`);
  return isSame;
}

/** @param {string} record with captures @param {string} folder a temporary one @returns {Promise<boolean>} is all the same? */
async function verifyRecord(record, folder) {
  const trials = unpackCaptures(record, folder);
  const changed = await listChangedCaptures(record, folder, trials);
  printSome(changed.map((trial) => `${trial}: its captures are not those of the run (raw.sha256)`));
  await analyse(folder);
  const { numbers, differing } = compareText('trials', readNumbers(tablesOf(record), trials), readNumbers(join(folder, 'reduced'), trials));
  printSome(differing);
  const isSame = changed.length + differing.length === 0;
  console.log(`${record}: ${numbers} numbers of ${trials.length} trials of the first block${trials.length <= TOLD_MAX ? ` (${trials.join(', ')})` : ''}, from the captures: ${isSame ? 'all the same' : 'NOT the same'}`);
  return isSame;
}

/** @param {string} folder of tables @param {string[]} trials @returns {string} all their rows, as one table */
function readNumbers(folder, trials) {
  const rows = TABLES.flatMap((name) => readTsv(join(folder, `${name}.tsv`)));
  const lines = rows.filter(({ trial }) => trials.includes(trial)).map((row) => TRIAL_COLUMNS.map((column) => row[column]).join('\t'));
  return [TRIAL_COLUMNS.join('\t'), ...lines.sort()].join('\n');
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
