/**
 * Judges a bundle or a record again by today's claims, intervals and, if it has captures, validity rules. No trial is run.
 */
import { existsSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { checkEnded, openBundle, readFlags, trialFolder } from '../harness/common/bundle.js';
import { locateCode } from '../harness/common/code.js';
import { readCommit } from '../harness/common/commit.js';
import { UserError } from '../harness/common/failure.js';
import { readJson, readTsv, writeJson, writeTsv } from '../harness/common/files.js';
import { figuresOf } from '../harness/common/places.js';
import { REFLAGGED, REJUDGED, UNCOMMITTED, keepHashes, noteRejudging } from '../harness/records/provenance.js';
import { isPacked, packTables, unpackTables } from '../harness/common/tables.js';
import { drawRecord, writeThesisResults } from './record.js';
import { describeComparison } from './summary.js';
import { isKept } from '../harness/records/sources.js';
import { makeSpec } from '../harness/spec/spec.js';
import { judgeOnLink } from '../harness/spec/spread.js';
import { analyse } from '../analysis/analyse.js';
import { judgeBundle, writeComparisons } from '../analysis/claims/verdict.js';
import { judgeTrial } from '../analysis/trials/validity.js';
import { formatTable } from '../harness/common/format.js';

/** @typedef {import('../analysis/claims/verdict.js').Verdict} Verdict */
/**
 * @typedef {{revision: string, claim: string, era: string, workload: string, what: string, criterion: string, before: string,
 *   after: string}} Change
 */

/** @typedef {{revision: string, trial: string, before: string, after: string}} Reflagged the rules that flag it, or "none" */

/** Files of every reduced bundle. */
const NEEDED = ['comparisons.tsv', 'reduced/trials.tsv', 'verdict.json'];
const REVISION_CHARS = 12;
const CHANGE_COLUMNS = ['revision', 'claim', 'era', 'workload', 'what', 'criterion', 'before', 'after'];
const REFLAGGED_COLUMNS = ['revision', 'trial', 'before', 'after'];

/**
 * @param {string} path a run, or a record; a record's figures and texts are rewritten too
 * @throws {UserError} when the bundle was not reduced
 */
export async function rejudgeBundle(path) {
  const { spec } = openBundle(path);
  const isRecord = isKept(spec, path);
  const isKeptPacked = isPacked(path) || isRecord;
  unpackTables(path);
  try {
    await judgeAnew(path, spec, isRecord);
  } finally {
    if (isKeptPacked) packTables(path);
  }
  if (existsSync(join(path, 'record.sha256'))) keepHashes(path); // a record, a further run of one, or another machine's
  if (!isRecord) return void rmSync(figuresOf(path), { recursive: true, force: true }); // they are of the tables before
  await drawRecord(spec);
  writeThesisResults();
}

/** @param {string} path of a bundle with unpacked tables @param {any} spec @param {boolean} isRecord @throws {UserError} */
async function judgeAnew(path, spec, isRecord) {
  checkEnded(path, NEEDED);
  const { verdicts: before } = readJson(join(path, 'verdict.json'));
  const revision = describeRevision(spec.experiment);
  if (revision === UNCOMMITTED && isRecord) {
    throw new UserError(`${path}: would be judged by code that is no commit's; commit it, then judge it again`);
  }
  noteRejudging(path, revision); // before any change: from here on the bundle differs from the run
  const hasCaptures = existsSync(join(path, 'trials'));
  const present = askAnew(path, spec, hasCaptures);
  const flagged = judgeTrialsAnew(path, present, revision);
  await analyse(path, flagged.changes.length > 0); // other trials are valid now
  const changes = listChanges(before, judgeBundle(path, { isAnew: true }), revision);
  addRows(join(path, REJUDGED), CHANGE_COLUMNS, changes);
  printChanges(path, changes, flagged);
}

/** After those of earlier judgings. @param {string} path of a table @param {string[]} columns @param {Record<string, unknown>[]} rows */
function addRows(path, columns, rows) {
  if (rows.length) writeTsv(path, columns, [...readTsv(path), ...rows]);
}

/** @param {string} folder of a trial @returns {string} */
const describeFlags = (folder) => readFlags(folder).join(', ') || 'none';

/**
 * Applies today's rules of validity to the captures of a bundle, if it has some.
 * @param {string} bundle @param {any} spec with today's bounds @param {string} revision of the code that judges
 * @returns {{changes: Reflagged[], unread: string[]}} `changes`: trials with other flags than before; `unread`: trials with captures that
 *   today's rules can't read, and why (they keep their flags)
 */
function judgeTrialsAnew(bundle, spec, revision) {
  const changes = /** @type {Reflagged[]} */ ([]);
  const unread = /** @type {string[]} */ ([]);
  for (const { trial } of readTsv(join(bundle, 'plan.tsv'))) {
    const folder = trialFolder(bundle, trial);
    const validity = join(folder, 'validity.tsv');
    if (!existsSync(validity) || statSync(validity).size === 0) continue; // not judged
    const before = describeFlags(folder);
    try {
      judgeTrial(folder, spec);
    } catch (error) {
      unread.push(`${trial}: ${/** @type {Error} */ (error).message}`);
    }
    const after = describeFlags(folder);
    if (after !== before) changes.push({ revision, trial, before, after });
  }
  addRows(join(bundle, REFLAGGED), REFLAGGED_COLUMNS, changes);
  return { changes, unread };
}

/** Up to this form only names differ, which are written anew. Later ones differ in how numbers are made, and these stay. */
const NAMES_UP_TO = 3;

/**
 * Replaces the bundle's claims by those of the present manifest. A comparison without trials becomes a row "not run". If the bundle has
 * captures to check, the manifest's bounds of validity replace the bundle's, too.
 * @param {string} folder @param {any} spec the bundle's @param {boolean} hasCaptures
 * @returns {any} the spec of today
 */
function askAnew(folder, spec, hasCaptures) {
  const { environment: { cores }, hosts } = spec;
  const room = hosts ? { cores: cores - (hosts[0].leave_cores ?? 0), isSpread: true } : { cores };
  const { claims, points, beyond, validity } = makeSpec(spec.experiment, spec.profile, spec.seed, undefined, room);
  const asked = { claims: keepReduced(hosts ? claims.map(judgeOnLink) : claims, spec.claims), ...(beyond && { beyond }) };
  const present = { ...spec, ...(spec.form && { form: Math.max(spec.form, NAMES_UP_TO) }), ...asked, ...(hasCaptures && { validity }) };
  writeJson(join(folder, 'spec.json'), present);
  writeComparisons(folder, { ...present, points });
  return present;
}

/**
 * A claim's note on reduced load describes the run, so the bundle's note is kept, unless the source turns out to name no load.
 * @param {any[]} claims of today @param {any[]} run those of the bundle @returns {any[]}
 */
export const keepReduced = (claims, run) => claims.map((claim) => {
  const { reduced } = run.find(({ id }) => id === claim.id) ?? {};
  return reduced && !claim.any_load ? { ...claim, reduced } : claim;
});

/** @param {string} experiment @returns {string} the commit of the judging code, or "uncommitted" */
function describeRevision(experiment) {
  const { commit, changed } = readCommit(locateCode(experiment));
  return commit && changed.length === 0 ? commit.slice(0, REVISION_CHARS) : UNCOMMITTED;
}

/** @param {Verdict} row @returns {string} a key that identifies it */
const nameRow = (row) => [row.claim, row.era, row.workload, describeComparison(row), row.metric, row.criterion].join('\t');

/**
 * @param {Verdict[]} before @param {Verdict[]} after @param {string} revision
 * @returns {Change[]} the rows whose verdict changed; "-" for a row missing before or after
 */
export function listChanges(before, after, revision) {
  const [was, is] = [before, after].map((rows) => new Map(rows.map((row) => [nameRow(row), row])));
  const names = [...new Set([...is.keys(), ...was.keys()])];
  return names.filter((name) => was.get(name)?.verdict !== is.get(name)?.verdict).map((name) => {
    const row = /** @type {Verdict} */ (is.get(name) ?? was.get(name));
    const { claim, era, workload, criterion } = row;
    const [verdict, present] = [was, is].map((rows) => rows.get(name)?.verdict ?? '-');
    return { revision, claim, era, workload, what: describeComparison(row), criterion, before: verdict, after: present };
  });
}

/** @param {string} path @param {Change[]} changes @param {ReturnType<typeof judgeTrialsAnew>} flagged */
function printChanges(path, changes, flagged) {
  const tabulate = (/** @type {string[]} */ [, ...columns], /** @type {Record<string, string>[]} */ rows) =>
    `\n${formatTable(columns, rows.map((row) => columns.map((column) => row[column])))}`;
  console.log(`${path}: judged anew${changes.length ? tabulate(CHANGE_COLUMNS, changes) : ', every verdict as before'}`);
  if (flagged.changes.length) console.log(`trials that other rules flag than before:${tabulate(REFLAGGED_COLUMNS, flagged.changes)}`);
  for (const line of flagged.unread) console.error(`warning: ${path}: today's rules can't read the captures of ${line}; it stays as it was judged`);
}
