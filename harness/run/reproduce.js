/** All experiments of a profile, one after the other, into one folder: results/reproduce/<stamp>-<profile>/<NN-name>/. */
import { existsSync, rmdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { sum } from 'd3-array';
import { readClaims } from '../common/claim-tables.js';
import { findNewestBundle, isOutdated, lockMachine, makeBundle, readStatus } from '../common/bundle.js';
import { UserError } from '../common/failure.js';
import { readJson, readTsv, writeTsv } from '../common/files.js';
import { ROOT } from '../common/places.js';
import { WORDS } from '../../analysis/claims/verdict.js';
import { estimateHereS } from '../plan/plan.js';
import { describeClaim, describeComparison, MEAN } from '../../report/summary.js';
import { runExperiment } from './run.js';
import { withWatch } from './watched.js';
import { listExperiments } from '../spec/spec.js';
import { formatDuration, formatTable } from '../common/format.js';
import { describeNumber } from '../../report/cards.js';

/** @typedef {import('../../analysis/claims/verdict.js').Verdict & {to_setting?: string}} Verdict */
/** @typedef {import('../spec/spec.js').Profile} Profile */
/** @typedef {{profile: Profile, feed: import('../watch/feed.js').Feed, hosts?: string, patience_s?: number}} Shared by all experiments */
/** @typedef {{run: typeof runExperiment, estimateS: typeof estimateHereS, list: () => string[]}} Suite */

const REPRODUCE = 'reproduce'; // folder of results/ for runs of all experiments
const PLAN_COLUMNS = ['order', 'experiment', 'seed'];

/** The experiments, how to run one, and how long one takes. @type {Suite} */
const SUITE = { run: runExperiment, estimateS: estimateHereS, list: listExperiments };

/**
 * Run every experiment, even if an earlier one failed, and print all verdicts.
 * @param {{profile: Profile, resume: boolean, seed?: number, hosts?: string, watch?: number, patience_s?: number}} options `resume`:
 * continue the newest such run of the profile; `watch`: the port of the watch page, see parseWatch; `patience_s`: for each experiment, see
 * replaceFlagged
 * @param {Suite} [suite] @returns {Promise<number>} exit code: 0, or 1 if a trial failed or an experiment could not run
 * @throws {UserError} before anything starts, if a manifest is invalid; Interrupted at once
 */
export async function reproduceAll({ profile, resume, seed, hosts, watch, patience_s = 0 }, suite = SUITE) {
  lockMachine()(); // reports another running measurement once, not per experiment
  const folder = resume ? findNewestBundle(REPRODUCE, profile) : startRun(profile, seed, suite);
  const plan = readTsv(join(folder, 'plan.tsv'));
  if (resume && seed !== undefined && plan.some((row) => Number(row.seed) !== seed)) {
    throw new UserError(`SEED: ${relative(ROOT, folder)} began with seed ${plan[0].seed}, not ${seed}; go on without SEED, or run without RESUME=1`);
  }
  const lefts = plan.map(({ experiment, seed: own }) =>
    suite.estimateS(experiment, profile, Number(own)) * shareLeft(join(folder, experiment)));
  printTimes(folder, plan, lefts);
  const shared = { profile, ...(hosts && { hosts }), ...(patience_s && { patience_s }) };
  const problems = await withWatch(watch, (feed) => runEach(folder, plan, lefts, { ...shared, feed }, suite));
  printVerdicts(folder, plan.map(({ experiment }) => join(folder, experiment)));
  for (const problem of problems) console.error(`error: ${problem}; go on with RESUME=1`);
  return problems.length ? 1 : 0;
}

/**
 * @param {string} folder @param {Record<string, string>[]} plan @param {number[]} lefts estimated seconds of each @param {Shared} options
 * @param {Suite} suite @returns {Promise<string[]>} problems, one per failed experiment
 */
async function runEach(folder, plan, lefts, options, suite) {
  const problems = [];
  for (const [index, { experiment, seed: own }] of plan.entries()) {
    const bundle = join(folder, experiment);
    const place = `[${index + 1}/${plan.length}] ${experiment}`;
    if (isWhole(bundle) && !options.patience_s) { // with patience, its flagged trials are rerun
      console.log(`\n${place}: done before`);
      continue;
    }
    console.log(`\n${place}: about ${formatDuration(lefts[index])}, with those after it ${formatDuration(sum(lefts.slice(index)))}`);
    const problem = await runOne(experiment, bundle, { ...options, seed: Number(own) }, suite);
    if (problem) problems.push(`${experiment}: ${problem}`);
  }
  return problems;
}

/** @param {Profile} profile @param {number | undefined} seed @param {Suite} suite @returns {string} the new folder, with its plan */
function startRun(profile, seed = Math.floor(Math.random() * 4294967296), suite) {
  const experiments = suite.list();
  if (experiments.length === 0) throw new UserError('experiments: there is none to run; add experiments/NN-name/experiment.toml');
  checkManifests(experiments, profile, seed, suite);
  const folder = makeBundle(REPRODUCE, profile, new Date());
  rmdirSync(join(folder, 'trials')); // the trials are in the bundle of each experiment
  writeTsv(join(folder, 'plan.tsv'), PLAN_COLUMNS, experiments.map((experiment, index) => ({ order: index + 1, experiment, seed })));
  return folder;
}

/** Runs before the first trial. @param {string[]} experiments @param {Profile} profile @param {number} seed @param {Suite} suite */
function checkManifests(experiments, profile, seed, { estimateS }) {
  const problems = experiments.flatMap((experiment) => {
    try {
      estimateS(experiment, profile, seed);
      return [];
    } catch (error) {
      if (error instanceof UserError) return error.problems;
      throw error;
    }
  });
  if (problems.length) throw new UserError([...new Set(problems)]);
}

/** @param {string} bundle @returns {number} share of trials still to do */
function shareLeft(bundle) {
  const plan = readTsv(join(bundle, 'plan.tsv'));
  return plan.length ? plan.filter(({ trial }) => readStatus(bundle, trial) !== 'done').length / plan.length : 1;
}

/** @param {string} bundle @returns {boolean} whether nothing is left to do */
const isWhole = (bundle) => existsSync(join(bundle, 'verdict.json')) && shareLeft(bundle) === 0 && !isOutdated(bundle);

/** @param {string} folder @param {Record<string, string>[]} plan @param {number[]} lefts seconds */
function printTimes(folder, plan, lefts) {
  const rows = plan.map(({ experiment }, index) => [experiment, formatDuration(lefts[index])]);
  console.log(`${relative(ROOT, folder)}, seed ${plan[0].seed}\n${formatTable(['experiment', 'about'], [...rows, ['all', formatDuration(sum(lefts))]])}`);
}

/**
 * @param {string} experiment @param {string} folder its bundle @param {Shared & {seed: number}} options @param {Suite} suite
 * @returns {Promise<string>} the problem, or ''; later experiments run regardless
 */
async function runOne(experiment, folder, options, { run }) {
  try {
    const resume = existsSync(join(folder, 'plan.tsv'));
    return await run(experiment, { ...options, resume, plan: false, folder }) ? 'trials failed' : '';
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    for (const problem of error.problems) console.error(`error: ${problem}`);
    return 'was not carried out (see above)';
  }
}

/** @param {string} folder @param {string[]} bundles */
function printVerdicts(folder, bundles) {
  const paths = bundles.map((bundle) => join(bundle, 'verdict.json')).filter((path) => existsSync(path));
  /** @type {Verdict[]} */
  const verdicts = paths.flatMap((path) => readJson(path).verdicts);
  /** @type {import('../../analysis/claims/summary.js').ClaimVerdict[]} */
  const judged = paths.flatMap((path) => readJson(path).claims);
  const claims = readClaims().map(({ claim }) => claim);
  const sorted = claims.flatMap((claim) => verdicts.filter((row) => row.claim === claim));
  const rows = sorted.map((row) => [row.claim, row.era, `${row.workload === '-' ? '' : `${row.workload}: `}${describeComparison(row)}`, row.criterion, describeNumber(row), String(row.n), row.verdict, row.decided_by ?? '']);
  if (rows.length) console.log(`\n${formatTable(['claim', 'era', 'what', 'criterion', MEAN, 'n', 'verdict', 'what would decide it'], rows)}`);
  for (const claim of claims) for (const own of judged.filter((each) => each.claim === claim)) console.log(describeClaim(own));
  const counts = WORDS.map((word) => `${sorted.filter(({ verdict }) => verdict === word).length} ${word}`);
  const missing = claims.filter((claim) => !sorted.some((row) => row.claim === claim));
  console.log(`\nclaims judged: ${claims.length - missing.length} of ${claims.length}, in ${sorted.length} comparisons: ${counts.join(', ')}`);
  if (missing.length) console.log(`claims without a comparison here, not run: ${missing.join(', ')}`);
  console.log(`run     ${relative(process.cwd(), folder)}`);
}
