/**
 * Judge a bundle or a result of record anew, by the claims, the intervals and, where its captures are there, the rules of validity of
 * today. No trial is run.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openBundle } from '../harness/common/bundle.js';
import { locateCode } from '../harness/common/code.js';
import { readCommit } from '../harness/common/commit.js';
import { UserError } from '../harness/common/failure.js';
import { readJson, readTsv, writeJson, writeTsv } from '../harness/common/files.js';
import { UNCOMMITTED, keepHashes, noteRejudging } from '../harness/records/provenance.js';
import { REFLAGGED_COLUMNS, judgeTrialsAnew } from '../harness/records/reflag.js';
import { isPacked, packTables, unpackTables } from '../harness/common/tables.js';
import { drawRecord, writeThesisResults } from './record.js';
import { describeComparison } from './summary.js';
import { isKept } from '../harness/records/sources.js';
import { makeSpec } from '../harness/spec/spec.js';
import { judgeOnLink } from '../harness/spec/spread.js';
import { analyse } from '../analysis/analyse.js';
import { judgeBundle, writeComparisons } from '../analysis/claims/verdict.js';
import { formatTable } from '../harness/common/format.js';

/** @typedef {import('../analysis/claims/verdict.js').Verdict} Verdict */
/**
 * @typedef {{revision: string, claim: string, era: string, workload: string, what: string, criterion: string, before: string,
 *   after: string}} Change
 */

/** What every bundle has that was reduced. */
const NEEDED = ['comparisons.tsv', 'reduced/trials.tsv', 'verdict.json'];
const REVISION_CHARS = 12;
const CHANGE_COLUMNS = ['revision', 'claim', 'era', 'workload', 'what', 'criterion', 'before', 'after'];

/**
 * @param {string} path a run, or the record of an experiment, whose figures and words are then made anew, too
 * @throws {UserError} when the bundle was not reduced
 */
export async function rejudgeBundle(path) {
  const { folder, spec } = openBundle(path);
  const isKeptPacked = isPacked(folder) || isKept(spec, folder);
  unpackTables(folder);
  try {
    await judgeAnew(path);
  } finally {
    if (isKeptPacked) packTables(folder);
  }
  if (!isKept(spec, folder)) return;
  keepHashes(folder);
  await drawRecord(spec);
  writeThesisResults();
}

/** @param {string} path of a bundle whose tables are a folder @throws {UserError} when there is none, for it was not reduced */
async function judgeAnew(path) {
  const { folder, spec } = openBundle(path);
  for (const name of NEEDED) {
    if (!existsSync(join(folder, name))) throw new UserError(`${path}: ${name} is missing: the run did not end; go on with RESUME=1`);
  }
  /** @type {{verdicts: Verdict[]}} */
  const { verdicts: before } = readJson(join(folder, 'verdict.json'));
  const revision = describeRevision(spec.experiment);
  if (revision === UNCOMMITTED && isKept(spec, folder)) {
    throw new UserError(`${path}: would be judged by code that is no commit's; commit it, then judge it again`);
  }
  noteRejudging(folder, revision); // first: what is changed from here on is not as it was run
  const hasCaptures = existsSync(join(folder, 'trials'));
  const present = askAnew(folder, spec, hasCaptures);
  const flagged = hasCaptures ? judgeTrialsAnew(folder, present, revision) : { changes: [], unread: [] };
  await analyse(folder, flagged.changes.length > 0); // other trials stand
  const changes = listChanges(before, judgeBundle(folder, { isAnew: true }), revision);
  const note = join(folder, 'rejudged.tsv');
  const changed = [...readTsv(note), ...changes]; // with what was found by those before
  if (changed.length) writeTsv(note, CHANGE_COLUMNS, changed);
  printChanges(path, changes, flagged);
}

/**
 * The claims of the present manifest take the place of those that the bundle was run with. What they compare and the bundle has no trial of
 * is a row that was not run. Its bounds of validity take the place of the bundle's where there are captures to hold against them.
 * @param {string} folder @param {any} spec the bundle's @param {boolean} hasCaptures
 * @returns {any} the spec of today
 */
function askAnew(folder, spec, hasCaptures) {
  const { environment: { cores }, hosts } = spec;
  const room = hosts ? { cores: cores - (hosts[0].leave_cores ?? 0), isSpread: true } : { cores };
  const { claims, points, beyond, validity } = makeSpec(spec.experiment, spec.profile, spec.seed, undefined, room);
  const asked = { claims: keepReduced(hosts ? claims.map(judgeOnLink) : claims, spec.claims), ...(beyond && { beyond }) };
  const present = { ...spec, ...asked, ...(hasCaptures && { validity }) };
  writeJson(join(folder, 'spec.json'), present);
  writeComparisons(folder, { ...present, points });
  return present;
}

/**
 * What a claim says of a reduced load tells what was run, not what is asked of it.
 * @param {any[]} claims of today @param {any[]} run those of the bundle @returns {any[]}
 */
export const keepReduced = (claims, run) => claims.map((claim) => {
  const { reduced } = run.find(({ id }) => id === claim.id) ?? {};
  return reduced ? { ...claim, reduced } : claim;
});

/** @param {string} experiment @returns {string} the commit of the code that judges, or "uncommitted" where that is none's */
function describeRevision(experiment) {
  const { commit, changed } = readCommit(locateCode(experiment));
  return commit && changed.length === 0 ? commit.slice(0, REVISION_CHARS) : UNCOMMITTED;
}

/** @param {Verdict} row @returns {string} what tells it from the others */
const nameRow = (row) => [row.claim, row.era, row.workload, describeComparison(row), row.metric, row.criterion].join('\t');

/**
 * @param {Verdict[]} before @param {Verdict[]} after @param {string} revision
 * @returns {Change[]} the rows whose verdict is another one; "-" where there is no such row
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
