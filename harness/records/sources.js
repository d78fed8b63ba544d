/** The input of a report, archive or export: a run of one experiment, a run of all, a record, or all records. */
import { existsSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { checkEnded, openBundle } from '../common/bundle.js';
import { tellNames } from '../common/code.js';
import { UserError } from '../common/failure.js';
import { readJson, readTsv } from '../common/files.js';
import { RESULTS, numberOfExperiment, recordOf } from '../common/places.js';
import { tablesOf } from '../common/tables.js';
import { listOtherVerdicts } from './provenance.js';
import { listExperiments } from '../spec/spec.js';

/**
 * @typedef {object} Run of one experiment, reduced and judged
 * @property {string} experiment
 * @property {string} folder
 * @property {boolean} isRecord
 * @property {string} reduced the folder of all its tables, unpacked
 * @property {any} spec
 * @property {Record<string, string>[]} plan
 * @property {Record<string, string>[]} dropped
 * @property {import('../../analysis/claims/verdict.js').Verdict[]} verdicts
 * @property {import('../../analysis/claims/summary.js').ClaimVerdict[]} claims
 * @property {Run} [paper] the record of `paper` beside this one, of which some claims are
 */
/** @typedef {{name: string, from: string, runs: Run[]}} Source `name`: for output files; `from`: as given in a command */

/** The word for all records. */
const RECORD = 'record';

/** @typedef {import('../spec/spec.js').Profile} Profile */

/** @returns {{experiment: string, profile: Profile}[]} every record, of `default` and of `paper` */
export const listKept = () => listRecorded().flatMap((experiment) => /** @type {Profile[]} */ (['default', 'paper'])
  .filter((profile) => existsSync(recordOf(experiment, profile))).map((profile) => ({ experiment, profile })));

/** @param {{experiment: string, profile: Profile}} spec @param {string} folder @returns {boolean} is it the record? */
export const isKept = ({ experiment, profile }, folder) => resolve(folder) === resolve(recordOf(experiment, profile));

/** @returns {string[]} the experiments that have a record */
export const listRecorded = () => listExperiments().filter((name) => existsSync(join(recordOf(name), 'verdict.json')));

/** @param {string} from a folder, or `record` @returns {Source} @throws {UserError} if nothing in it was judged */
export function readSource(from) {
  if (from === RECORD && !existsSync(join(from, 'plan.tsv'))) {
    const recorded = listRecorded();
    if (recorded.length === 0) throw new UserError('FROM=record: there is no result of record; make one with: ./wscale record results/…');
    return { name: RECORD, from, runs: recorded.map(readJudging) };
  }
  const folders = listFolders(from);
  return { name: nameOf(resolve(from)), from: relative(process.cwd(), resolve(from)) || '.', runs: folders.map(readRun) };
}

/**
 * It reads no reduced table.
 * @param {string} from a folder @returns {string[]} the folder itself, or the judged experiments of a run of all
 * @throws {UserError} if nothing in it was judged
 */
function listFolders(from) {
  const plan = readTsv(join(from, 'plan.tsv'));
  if (plan.length === 0 || !('experiment' in plan[0])) {
    openBundle(from);
    checkEnded(from, ['verdict.json']);
    return [from];
  }
  const judged = plan.map(({ experiment }) => join(from, experiment)).filter((folder) => existsSync(join(folder, 'verdict.json')));
  if (judged.length) return judged;
  throw new UserError(`${from}: none of its experiments ended; go on with RESUME=1`);
}

/** Check a source before anything is installed for it. @param {string} from as in readSource @throws {UserError} like it */
export function checkSource(from) {
  if (from !== RECORD) listFolders(from);
}

/** @param {string} folder full @returns {string} such as "03-name-20261121T100000Z-default", "03-name-default" or "reproduce-…-quick" */
const nameOf = (folder) => `${basename(dirname(folder))}-${basename(folder)}`;

/** @param {string} folder of one experiment, judged @returns {Run} */
export function readRun(folder) {
  const { spec, plan } = openBundle(folder);
  const reduced = tablesOf(folder);
  const { verdicts, claims: judged } = readJson(join(folder, 'verdict.json'));
  const changed = new Set(listOtherVerdicts(folder).map(({ claim, era }) => `${claim} ${era}`));
  const claims = judged.map((/** @type {any} */ each) => (changed.has(`${each.claim} ${each.era}`) ? { ...each, younger: true } : each));
  return { experiment: spec.experiment, folder, isRecord: isKept(spec, folder), reduced, spec, plan, dropped: readTsv(join(reduced, 'dropped.tsv')), verdicts, claims };
}

/**
 * Claims judged by the `paper` record replace those of the `default` record, since `paper` has the source's own load.
 * @param {string} experiment @returns {Run} its `default` record, with claims and rows of `paper` instead of its own, or added
 */
export function readJudging(experiment) {
  const run = readRun(recordOf(experiment));
  if (!existsSync(recordOf(experiment, 'paper'))) return run;
  const paper = readRun(recordOf(experiment, 'paper'));
  const keyOf = (/** @type {{claim: string, era: string}} */ { claim, era }) => `${claim} ${era}`;
  const measured = new Set(paper.verdicts.filter(({ mean }) => mean !== null).map(keyOf)); // else `default` may have a number
  const whole = new Set(paper.claims.filter((each) => each.verdict !== 'not run' && measured.has(keyOf(each))).map(keyOf));
  const own = new Set(run.claims.map(keyOf));
  const isTaken = (/** @type {{claim: string, era: string}} */ each) => whole.has(keyOf(each)) || !own.has(keyOf(each));
  const choose = (/** @type {any[]} */ rows, /** @type {any[]} */ others) => [
    ...rows.filter((each) => !whole.has(keyOf(each))), ...others.filter(isTaken),
  ];
  const others = paper.claims.map((each) => ({ ...each, isOfPaper: true }));
  return { ...run, claims: choose(run.claims, others), verdicts: choose(run.verdicts, paper.verdicts), paper };
}

/** @param {any} spec @returns {Record<string, unknown>} what was chosen for a run, by the name of its option */
export const choicesOf = ({ axes, chosen = {}, hosts }) => ({
  generator: axes.generator?.[1], engines: chosen.engines?.join(' '), points: chosen.points, blocks: chosen.blocks, bytes: chosen.bytes,
  hosts: hosts && 'hosts.toml',
});

/**
 * @param {Pick<Run, 'experiment' | 'spec'> & {isRecord?: boolean}} run
 * @returns {string} the command that repeats it, with the same code and draws of load; a comment in it lists what can't be repeated
 */
export function commandOf({ experiment, isRecord, spec }) {
  const { suite: { commit, changed, elsewhere } = /** @type {any} */ ({}), client_quota } = spec.environment;
  const { blocks = isRecord ? spec.phases.repeats : undefined, ...choices } = choicesOf(spec);
  const given = { profile: spec.profile, ...choices, blocks, seed: spec.seed };
  const variables = Object.entries(given).filter(([, value]) => value !== undefined).map(([name, value]) => `${name.toUpperCase()}=${quoteWord(String(value))}`);
  const checkout = commit ? `git checkout ${commit.slice(0, 12)} && ` : '';
  const lacks = [
    ...(changed?.length ? [`code that is not in the commit: ${tellNames(changed)}`] : []), ...(commit ? [] : ['the commit of its code is not known']),
    ...(elsewhere?.length ? [`${elsewhere.join(' and ')} were those of another folder`] : []),
    ...(client_quota === undefined ? [] : [`with WSCALE_CLIENT_QUOTA=${client_quota}`]),
  ];
  return `${checkout}make experiment-${numberOfExperiment(experiment)} ${variables.join(' ')}${lacks.length ? ` # ${lacks.join('; ').replaceAll(/[^ -~]/g, '?')}` : ''}`;
}

/** @param {string} text @returns {string} quoted as one word for a shell */
export const quoteWord = (text) => (/^[\w.,/-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

/** @param {string} kind such as "reports" @param {string} file its name @returns {string} the path of such an output */
export const placeFor = (kind, file) => join(RESULTS, kind, file);
