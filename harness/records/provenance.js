/** The origin of a record: the commit and code that ran, hashes of its captures, and what was changed since. */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { formatHashes, hashFile, hashFiles, listDifferences, listFiles, parseHashes, sha256, tellNames } from '../common/code.js';
import { UserError } from '../common/failure.js';
import { readJson, readTsv, writeAtomically, writeJson } from '../common/files.js';

/**
 * @typedef {{commit?: string, code_hash?: string, raw_hash?: string, rejudged?: string[]}} Provenance `raw_hash`: of
 *   raw.sha256; `rejudged`: the revisions that judged it again, in order. A run has only this
 */

const PROVENANCE = 'provenance.json';
/** One line per trial. */
const RAW = 'raw.sha256';
/** One line per file of the record, except this one. */
const RECORD = 'record.sha256';
/** `make figures` draws into this folder of a record; it stays out of the tree. */
const DRAWN = 'figures/';

/** @param {string} hash or commit */
const shorten = (hash) => hash.slice(0, 12);

/** @param {any} environment of spec.json @returns {string} why its run can't become a record, and what to do; '' if it can */
export function refuseEnvironment({ suite, client_quota }) {
  if (client_quota !== undefined) return `its load was held to ${client_quota} of a core on purpose; run it again without WSCALE_CLIENT_QUOTA`;
  if (!suite?.code_hash) return 'the hash of the code that ran was not kept (form 1); run it again with this version';
  if (!suite.commit) return `the commit of the code is not known (git: ${suite.why}); run it from a checkout, with git`;
  if (suite.changed.length) return `code differs from commit ${shorten(suite.commit)}: ${tellNames(suite.changed)}; commit it, then run again`;
  return '';
}

/** Files of a bundle that was judged again: the verdicts that changed, and the trials that got other flags. */
export const REJUDGED = 'rejudged.tsv';
export const REFLAGGED = 'reflagged.tsv';

/** The revision of uncommitted code. */
export const UNCOMMITTED = 'uncommitted';

/** @param {string} bundle @returns {string} why it can't become a record, and what to do; '' if it can */
export function refuseBundle(bundle) {
  const { environment } = readJson(join(bundle, 'spec.json'));
  const isOfNoCommit = readProvenance(bundle).rejudged?.at(-1) === UNCOMMITTED;
  return refuseEnvironment(environment) || (isOfNoCommit ? 'it was judged anew by code that is no commit\'s; commit it, then judge it again (./wscale rejudge)' : '');
}

/** @param {string} bundle @returns {Provenance} */
const readProvenance = (bundle) => (existsSync(join(bundle, PROVENANCE)) ? readJson(join(bundle, PROVENANCE)) : {});

/** @param {string} bundle as it was run @param {string} record a folder @throws {UserError} when a trial has no captures */
export async function writeProvenance(bundle, record) {
  const { environment: { suite: { commit, code_hash } } } = readJson(join(bundle, 'spec.json'));
  const raw = formatHashes(await hashCaptures(bundle));
  writeAtomically(join(record, RAW), raw);
  const { rejudged = [] } = readProvenance(bundle);
  writeJson(join(record, PROVENANCE), { commit, code_hash, raw_hash: sha256(raw), rejudged });
}

/**
 * @param {string} bundle
 * @returns {Promise<Map<string, string>>} a hash for the captures of each trial, with failed attempts. In a trial's folder this
 *   gives the same: `cd raw && find . -type f | LC_ALL=C sort | xargs sha256sum | sha256sum`
 * @throws {UserError} if a trial has none
 */
export async function hashCaptures(bundle) {
  const planned = readTsv(join(bundle, 'plan.tsv')).map(({ trial }) => trial);
  const run = existsSync(join(bundle, 'trials')) ? readdirSync(join(bundle, 'trials')) : [];
  const trials = new Set([...planned, ...run]);
  const hashes = new Map();
  for (const trial of [...trials].sort()) {
    const folder = join(bundle, 'trials', trial, 'raw');
    if (!existsSync(folder)) throw new UserError(`${folder}: is missing, and a record holds a hash of its captures; give the bundle with them`);
    hashes.set(`trials/${trial}`, await hashFolder(folder));
  }
  return hashes;
}

/**
 * @param {string} record @param {string} bundle with captures of its trials @param {string[]} trials
 * @returns {Promise<string[]>} those with captures that do not match the record's hashes
 */
export async function listChangedCaptures(record, bundle, trials) {
  const hashes = parseHashes(readFileSync(join(record, RAW), 'utf8'));
  const changed = [];
  for (const trial of trials) if (await hashFolder(join(bundle, 'trials', trial, 'raw')) !== hashes.get(`trials/${trial}`)) changed.push(trial);
  return changed;
}

/** @param {string} folder @returns {Promise<string>} */
async function hashFolder(folder) {
  const hashes = new Map();
  for (const name of listFiles(folder)) hashes.set(`./${name}`, await hashFile(join(folder, name)));
  return sha256(formatHashes(hashes));
}

/** Note that a bundle or a record was judged again. @param {string} folder @param {string} revision */
export function noteRejudging(folder, revision) {
  const { rejudged = [], ...rest } = readProvenance(folder);
  if (rejudged.at(-1) !== revision) writeJson(join(folder, PROVENANCE), { ...rest, rejudged: [...rejudged, revision] });
}

/** @param {string} record @returns {Map<string, string>} the hash of each file of it, by its name */
function hashRecord(record) {
  const files = listFiles(record).filter((name) => name !== RECORD && !name.startsWith(DRAWN));
  return hashFiles(new Map(files.map((name) => [name, join(record, name)])));
}

/** Write the hash of each file of a record, to detect later edits. @param {string} record its tables packed */
export const keepHashes = (record) => writeAtomically(join(record, RECORD), formatHashes(hashRecord(record)));

/** @param {string} record @returns {string[]} files changed since it was recorded or judged; empty without hashes */
export function findEdited(record) {
  const path = join(record, RECORD);
  return existsSync(path) ? listDifferences(parseHashes(readFileSync(path, 'utf8')), hashRecord(record)).map(({ name }) => name) : [];
}

/**
 * @param {string} record @param {{isCommitTold?: boolean}} [how] `isCommitTold`: the reader knows its commit
 * @returns {string[]} lines about its origin
 */
export function describeProvenance(record, { isCommitTold = false } = {}) {
  const { environment: { suite }, began } = readJson(join(record, 'spec.json'));
  const edited = findEdited(record);
  return [
    `Run on ${began.slice(0, 10)}${isCommitTold ? '' : ` from commit ${shorten(suite.commit)}`}`,
    ...(edited.length ? [`Edited since it was recorded: ${edited.join(', ')}`] : []),
    ...describeRejudgings(record),
  ];
}

/** Words that say that nothing was measured, or judged. */
const WITHOUT_DATA = ['-', 'not run', 'needs more cores'];

/** @param {string} record @returns {Record<string, string>[]} rows of rejudged.tsv in which data got another verdict than at the run */
export const listOtherVerdicts = (record) =>
  readTsv(join(record, REJUDGED)).filter(({ before, after }) => ![before, after].every((word) => WITHOUT_DATA.includes(word)));

/** @param {string} record @returns {string[]} */
function describeRejudgings(record) {
  const changes = listOtherVerdicts(record);
  const last = readProvenance(record).rejudged?.at(-1) ?? changes.at(-1)?.revision;
  const claims = [...new Set(changes.map(({ claim, era }) => `${claim} of ${era}`))].join(', ');
  const count = changes.length ? `; ${changes.length === 1 ? '1 row' : `${changes.length} rows`} (${claims}) got another verdict since the run` : '';
  return last ? [`Judged anew, last by ${last === UNCOMMITTED ? 'code of no commit' : `commit ${last}`}${count}`] : [];
}
