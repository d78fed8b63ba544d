/** What a report, an archive or an export is made from: a run of one experiment, one of all, a result of record, or all of these. */
import { existsSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { openBundle } from '../common/bundle.js';
import { tellNames } from '../common/code.js';
import { UserError } from '../common/failure.js';
import { readJson, readTsv } from '../common/files.js';
import { RESULTS, recordOf } from '../common/places.js';
import { tablesOf } from '../common/tables.js';
import { listExperiments } from '../spec/spec.js';

/**
 * @typedef {object} Run of one experiment, reduced and judged
 * @property {string} experiment
 * @property {string} folder
 * @property {boolean} isRecord
 * @property {string} reduced the folder of all its tables, to be read
 * @property {any} spec
 * @property {Record<string, string>[]} plan
 * @property {Record<string, string>[]} dropped
 * @property {import('../../analysis/claims/verdict.js').Verdict[]} verdicts
 * @property {import('../../analysis/claims/summary.js').ClaimVerdict[]} claims
 */
/** @typedef {{name: string, from: string, runs: Run[]}} Source `name`: for a file that is made of it; `from`: as a command names it */

/** The word for all results of record. */
const RECORD = 'record';

/** @typedef {import('../spec/spec.js').Profile} Profile */

/** @returns {{experiment: string, profile: Profile}[]} what is kept: the records that are judged, and those beside them */
export const listKept = () => listRecorded().flatMap((experiment) => /** @type {Profile[]} */ (['default', 'paper'])
  .filter((profile) => existsSync(recordOf(experiment, profile))).map((profile) => ({ experiment, profile })));

/** @param {{experiment: string, profile: Profile}} spec @param {string} folder @returns {boolean} is that a result of record? */
export const isKept = ({ experiment, profile }, folder) => resolve(folder) === resolve(recordOf(experiment, profile));

/** @returns {string[]} the experiments that have a result of record */
export const listRecorded = () => listExperiments().filter((name) => existsSync(join(recordOf(name), 'verdict.json')));

/**
 * @param {string} from as a person gave it: a folder, or `record` @returns {Source}
 * @throws {UserError} when there is nothing that was judged
 */
export function readSource(from) {
  if (from === RECORD && !existsSync(join(from, 'plan.tsv'))) {
    const recorded = listRecorded().map((name) => recordOf(name));
    if (recorded.length === 0) throw new UserError('FROM=record: there is no result of record; make one with: ./wscale record results/…');
    return { name: RECORD, from, runs: recorded.map(readRun) };
  }
  const folders = listFolders(from);
  return { name: nameOf(resolve(from)), from: relative(process.cwd(), resolve(from)) || '.', runs: folders.map(readRun) };
}

/**
 * It reads no table.
 * @param {string} from a folder @returns {string[]} of one experiment, or of each of a run of all that was judged
 * @throws {UserError} when there is nothing that was judged
 */
function listFolders(from) {
  const plan = readTsv(join(from, 'plan.tsv'));
  if (plan.length === 0 || !('experiment' in plan[0])) {
    openBundle(from);
    if (existsSync(join(from, 'verdict.json'))) return [from];
    throw new UserError(`${from}: verdict.json is missing: the run did not end; go on with RESUME=1`);
  }
  const judged = plan.map(({ experiment }) => join(from, experiment)).filter((folder) => existsSync(join(folder, 'verdict.json')));
  if (judged.length) return judged;
  throw new UserError(`${from}: none of its experiments ended; go on with RESUME=1`);
}

/** Before anything is installed for it. @param {string} from as of readSource @throws {UserError} as it does */
export function checkSource(from) {
  if (from !== RECORD) listFolders(from);
}

/** @param {string} folder whole @returns {string} such as "03-name-20261121T100000Z-default", "03-name-default" or "reproduce-…-quick" */
const nameOf = (folder) => `${basename(dirname(folder))}-${basename(folder)}`;

/** @param {string} folder of one experiment, judged @returns {Run} */
export function readRun(folder) {
  const { spec, plan } = openBundle(folder);
  const reduced = tablesOf(folder);
  const { verdicts, claims } = readJson(join(folder, 'verdict.json'));
  return { experiment: spec.experiment, folder, isRecord: isKept(spec, folder), reduced, spec, plan, dropped: readTsv(join(reduced, 'dropped.tsv')), verdicts, claims };
}

/**
 * A claim that a run of `paper` judges is judged by it, for it has the source's own load; the others by the record.
 * @param {string} experiment @returns {Run} its result of record, with those claims and their rows in the place of its own, or behind them
 */
export function readJudging(experiment) {
  const run = readRun(recordOf(experiment));
  if (!existsSync(recordOf(experiment, 'paper'))) return run;
  const paper = readRun(recordOf(experiment, 'paper'));
  const keyOf = (/** @type {{claim: string, era: string}} */ { claim, era }) => `${claim} ${era}`;
  const whole = new Set(paper.claims.filter(({ verdict }) => verdict !== 'not run').map(keyOf));
  const own = new Set(run.claims.map(keyOf));
  const isTaken = (/** @type {{claim: string, era: string}} */ each) => whole.has(keyOf(each)) || !own.has(keyOf(each));
  const choose = (/** @type {any[]} */ rows, /** @type {any[]} */ others) => [
    ...rows.filter((each) => !whole.has(keyOf(each))), ...others.filter(isTaken),
  ];
  const others = paper.claims.map((each) => ({ ...each, isOfPaper: true }));
  return { ...run, claims: choose(run.claims, others), verdicts: choose(run.verdicts, paper.verdicts) };
}

/**
 * @param {Pick<Run, 'experiment' | 'spec'> & {isRecord?: boolean}} run
 * @returns {string} what to type to run it again, of the same code with the same draws of load; behind it, as a comment, what that lacks
 */
export function commandOf({ experiment, isRecord, spec: { profile, seed, axes, phases, chosen = {}, hosts, environment } }) {
  const { suite: { commit, changed, elsewhere } = /** @type {any} */ ({}), client_quota } = environment;
  const given = {
    PROFILE: profile, GENERATOR: axes.generator?.[1], ENGINES: chosen.engines?.join(' '), BLOCKS: chosen.blocks ?? (isRecord ? phases.repeats : undefined), BYTES: chosen.bytes,
    SEED: seed, HOSTS: hosts && 'hosts.toml',
  };
  const variables = Object.entries(given).filter(([, value]) => value !== undefined).map(([name, value]) => `${name}=${quoteWords(String(value))}`);
  const checkout = commit ? `git checkout ${commit.slice(0, 12)} && ` : '';
  const lacks = [
    ...(changed?.length ? [`code that is not in the commit: ${tellNames(changed)}`] : []), ...(commit ? [] : ['the commit of its code is not known']),
    ...(elsewhere?.length ? [`${elsewhere.join(' and ')} were those of another folder`] : []),
    ...(client_quota === undefined ? [] : [`with WSCALE_CLIENT_QUOTA=${client_quota}`]),
  ];
  return `${checkout}make experiment-${Number(experiment.split('-')[0])} ${variables.join(' ')}${lacks.length ? ` # ${lacks.join('; ').replaceAll(/[^ -~]/g, '?')}` : ''}`;
}

/** @param {string} text @returns {string} as a shell reads it as one word */
const quoteWords = (text) => (/^[\w.,/-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

/** @param {string} kind such as "reports" @param {string} file its name @returns {string} where what is made of runs goes */
export const placeFor = (kind, file) => join(RESULTS, kind, file);
