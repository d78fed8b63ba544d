/** The run stage: creates or reopens a bundle, runs its plan trial by trial, then reduces, plots and judges the results. */
import { existsSync, mkdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { FORM, findNewestBundle, lockMachine, makeBundle, openBundle, readFlags, readStatus, readStepFlags, trialFolder } from '../common/bundle.js';
import { tellNames } from '../common/code.js';
import { coresHere } from '../common/cores.js';
import { readSuite, readVersions } from './environment.js';
import { UserError, whatNext } from '../common/failure.js';
import { writeAtomically, writeJson, writeTsv } from '../common/files.js';
import { sleep } from '../common/timers.js';
import { Fleet } from './fleet.js';
import { LINK_PART } from '../spec/engines.js';
import { generatorOfLibraries } from '../spec/generators.js';
import { makeFigures } from '../../report/figures.js';
import { PLAN_COLUMNS, asPlanned, estimatePlanS, estimateTrialS, makePlan, yardstickLengthS } from '../plan/plan.js';
import { isNative, listNeededGenerators } from '../spec/points.js';
import { ARE_OWN, CLIENT_QUOTA, ROOT } from '../common/places.js';
import { decideBlocks } from '../plan/precision.js';
import { fitToHosts } from './fit.js';
import { goalsOf, installParts, listClientParts, listServerParts } from './install.js';
import { readHosts } from '../spec/hosts.js';
import { spreadSpec } from '../spec/spread.js';
import { printPlan } from './print-plan.js';
import { Progress } from './progress.js';
import { describeTrial } from '../watch/view.js';
import { refuseEnvironment } from '../records/provenance.js';
import { placeRepeated, repeatBeside, replaceFlagged } from './replace.js';
import { CODE, checkResumable, noteChangedCode } from './resume.js';
import { findExperiment, makeSpec } from '../spec/spec.js';
import { HEARD_WITHIN_MS, listenForSignals } from './signals.js';
import { runTrial } from './trial.js';
import { beginTrial, endTrial, tellRun, withWatch } from './watched.js';
import { Yardsticks } from './yardsticks.js';
import { printEnding } from '../../report/ending.js';
import { analyse } from '../../analysis/analyse.js';
import { judgeBundle, writeComparisons } from '../../analysis/claims/verdict.js';
import { formatDuration } from '../common/format.js';

/** @typedef {import('../spec/spec.js').Spec} Spec */
/** @typedef {import('../watch/feed.js').Feed} Feed */
/**
 * @typedef {{profile: import('../spec/spec.js').Profile, generator?: string, choice?: import('../spec/choice.js').Choice, resume: boolean,
 *   seed?: number, plan: boolean, folder?: string, hosts?: string, watch?: number, metrics?: number, patience_s?: number,
 *   feed?: Feed}} RunOptions `hosts`: path of hosts.toml; `watch`: port of the watch page (parseWatch); `metrics`: port of this host's
 *   agent; `patience_s`: time for reruns of flagged trials (replaceFlagged). When several experiments run: `folder` is the bundle to create
 *   or continue, and `feed` is informed in place of a watch page
 */

/** From manifest to verdict. @param {string} wanted @param {RunOptions} options @returns {Promise<number>} 1 if a trial failed */
export async function runExperiment(wanted, options) {
  const experiment = findExperiment(wanted);
  const seed = options.seed ?? Math.floor(Math.random() * 4294967296);
  const { profile, generator, choice } = options;
  /** @param {import('../spec/room.js').Room} [room] on the server's host */
  const specify = (room = { cores: coresHere() }) => makeSpec(experiment, profile, seed, generator, { ...choice, ...room });
  if (options.hosts && options.metrics) throw new UserError('METRICS: is of this host alone, and a run on HOSTS has several; leave one of them out');
  if (options.plan && !options.hosts) return printPlan(specify(), options.resume);
  specify(); // reports errors of the manifest before any host is contacted
  const fleet = options.hosts ? await Fleet.connect(readHosts(options.hosts)) : await Fleet.here(options.metrics);
  try {
    const spec = spreadOver(fleet, specify({ cores: await fleet.countCores(), isSpread: fleet.isSpread }));
    return options.plan ? printPlan(spec, options.resume) : await runOn(fleet, spec, options);
  } finally {
    await fleet.close();
  }
}

/** @param {Fleet} fleet @param {Spec} requested @returns {Spec} adapted to the hosts */
function spreadOver(fleet, requested) {
  if (!fleet.isSpread) return requested;
  const { spec, notes } = spreadSpec(requested, fleet.hosts);
  for (const note of notes) console.log(`hosts: ${note}`);
  return spec;
}

/** @param {Fleet} fleet @param {Spec} requested @param {RunOptions} options @returns {Promise<number>} */
async function runOn(fleet, requested, options) {
  const unlock = lockMachine();
  const { signal, release } = listenForSignals();
  try {
    await fleet.prepare((host) => goalsOf(requested, host), (line) => console.log(line), signal);
    const spec = await fitToHosts(requested, fleet);
    if (spec.network?.why) console.log(`network: no network namespaces can be made here (${spec.network.why}): this run is on loopback, and its figures say so`);
    if (!fleet.isSpread) await installHere(spec, signal);
    const described = await describeRun(spec, fleet);
    await sleep(HEARD_WITHIN_MS); // an interrupt of the programs that were asked is heard now, and what they said is wrong
    signal.throwIfAborted();
    const carryOutAll = (/** @type {Feed} */ feed) => {
      const bundle = chooseBundle(described, options);
      whatNext.next = 'go on with RESUME=1';
      const about = { spec, bundle, hosts: fleet.hosts.map(({ name }) => name) };
      return tellRun(feed, about, () => carryOutWhole(spec, { fleet, bundle, signal, feed, patience_s: options.patience_s }));
    };
    return await (options.feed ? carryOutAll(options.feed) : withWatch(options.watch, carryOutAll));
  } finally {
    release();
    unlock();
  }
}

/** @typedef {import('../plan/plan.js').Planned} Planned */
/** @typedef {{fleet: Fleet, bundle: string, signal: AbortSignal, feed: Feed, patience_s?: number}} Carried A plan, and whom to inform */

/** @param {Spec} spec @param {Carried} carried @returns {Promise<number>} exit code */
async function carryOutWhole(spec, carried) {
  const { bundle, signal } = carried;
  const failed = await carryOutLooks(carried).finally(() => tellChangedCode(bundle, spec));
  signal.throwIfAborted();
  if (failed.length) {
    const where = relative(ROOT, bundle);
    console.error(`error: ${where}: ${failed.length} trial(s) failed: ${failed.join('; ')}; `
      + `${where}/trials/${failed[0].split(':')[0]}/raw has what its processes said; run again with RESUME=1 to retry them`);
  }
  const isAnyDone = openBundle(bundle).plan.some(isDoneIn(bundle));
  printEnding(bundle, isAnyDone ? await makeFigures(bundle) : []);
  return failed.length ? 1 : 0;
}

/** @param {string} bundle @returns {(planned: any) => boolean} for a planned trial */
const isDoneIn = (bundle) => ({ trial }) => readStatus(bundle, trial) === 'done';

/** Tests and duets have experiments elsewhere. @param {Spec} spec @returns {boolean} whether it may be published */
const isForRecord = ({ profile }) => profile !== 'quick' && ARE_OWN;

/** @param {string} bundle @param {Spec} spec */
function tellChangedCode(bundle, spec) {
  const changed = noteChangedCode(bundle, readSuite(spec.experiment).code);
  if (changed.length && isForRecord(spec)) console.error(`warning: ${relative(ROOT, bundle)}: code was changed while it ran: ${tellNames(changed)}; this run can't become a result of record`);
}

/** @param {Spec} spec @param {AbortSignal} signal */
async function installHere(spec, signal) {
  const parts = [...listServerParts(spec), ...listClientParts(spec), ...(spec.network?.link === 'carried' ? [LINK_PART] : [])];
  await installParts(parts, (line) => console.log(line), signal);
  signal.throwIfAborted();
}

/** @param {Run} run @param {RunOptions} options @returns {string} the bundle's folder */
function chooseBundle(run, { resume, folder, seed }) {
  const { experiment, profile } = run.spec;
  const newest = resume && folder === undefined ? findNewestBundle(experiment, profile) : undefined;
  const begun = newest ?? (folder && existsSync(join(folder, 'plan.tsv')) ? folder : undefined);
  if (begun === undefined) return startBundle(run, folder);
  checkResumable(begun, { ...run, seed });
  return begun;
}

/** @typedef {{spec: Spec & Record<string, any>, code: string}} Run contents of spec.json and code.sha256 */

/** @param {Spec} spec @param {Fleet} fleet @returns {Promise<Run>} everything that affects its results */
async function describeRun(spec, fleet) {
  const { suite, code } = readSuite(spec.experiment);
  const starved = CLIENT_QUOTA !== undefined && { client_quota: CLIENT_QUOTA };
  const environment = { ...await fleet.readFacts(), ...starved, suite };
  return { spec: { form: FORM, ...spec, ...await resolveVersions(spec, fleet), environment }, code };
}

/** @param {Run} run @param {string} [folder] a new one by default @returns {string} a new bundle with its spec and plan */
function startBundle({ spec, code }, folder) {
  const now = new Date();
  const bundle = folder ?? makeBundle(spec.experiment, spec.profile, now);
  mkdirSync(join(bundle, 'trials'), { recursive: true });
  const problem = refuseEnvironment(spec.environment);
  if (problem && isForRecord(spec)) console.error(`warning: ${problem}; this run can't become a result of record`);
  writeJson(join(bundle, 'spec.json'), { ...spec, began: now.toISOString() });
  writeAtomically(join(bundle, CODE), code);
  writeComparisons(bundle, spec);
  writeTsv(join(bundle, 'plan.tsv'), PLAN_COLUMNS, makePlan(spec)); // last: a bundle with a plan is complete
  return bundle;
}

/** Adds the installed versions. @param {Spec} spec @param {Fleet} fleet */
async function resolveVersions(spec, fleet) {
  const { engines } = spec;
  const native = listNeededGenerators(spec).filter(isNative);
  const libraries = Object.fromEntries(Object.entries(engines).map(([name, { library }]) => [name, library]));
  const { companion } = spec.load;
  const ofClients = { libraries, generator: generatorOfLibraries(spec.load), generators: native, companions: companion ? [companion] : [] };
  const asked = { engines: Object.keys(engines), ...ofClients };
  const versions = fleet.isSpread ? await fleet.readVersions(asked) : readVersions(asked);
  const resolve = (/** @type {string} */ name) => ({ ...engines[name], ...versions.engines[name], ...versions.libraries[name] });
  const resolved = Object.fromEntries(Object.keys(engines).map((name) => [name, resolve(name)]));
  const { generators, packages } = versions;
  return { engines: resolved, ...(native.length && { generators }), ...(Object.keys(packages).length && { packages }) };
}

/**
 * Run the plan, look at the results, and add blocks as the manifest's `[precision]` says. If trials failed, no blocks are added: RESUME
 * retries the failed trials first.
 * @param {Carried} carried its bundle is reduced and judged at the end @returns {Promise<string[]>} failed trials, with reasons
 */
async function carryOutLooks(carried) {
  const { bundle, signal } = carried;
  for (;;) {
    const failed = await carryOut(carried);
    signal.throwIfAborted();
    await analyse(bundle);
    const verdicts = judgeBundle(bundle);
    if (failed.length || !addBlocks(bundle, verdicts)) return failed;
  }
}

/** @param {string} bundle @param {import('../../analysis/claims/verdict.js').Verdict[]} verdicts @returns {boolean} whether it added any */
function addBlocks(bundle, verdicts) {
  const { spec, plan } = openBundle(bundle);
  const { added, look, why } = decideBlocks(spec, plan.map(asPlanned), verdicts);
  if (added.length) {
    const points = new Set(added.map(({ point }) => point)).size;
    console.log(`looked: ${why}; ${added.length} trials of ${points} points are added, up to block ${look}`);
    writeTsv(join(bundle, 'plan.tsv'), PLAN_COLUMNS, [...plan, ...added]);
  } else if (spec.precision) {
    console.log(`looked: ${why}; the claims' intervals are of ${(100 * spec.precision.level).toPrecision(3)} %, for ${spec.precision.looks.length} looks`);
  }
  return added.length > 0;
}

/** @param {Carried} carried @returns {Promise<string[]>} failed trials, with reasons */
async function carryOut({ fleet, bundle, signal, feed, patience_s }) {
  const { spec, plan } = openBundle(bundle);
  const isDone = isDoneIn(bundle);
  const repeat = (/** @type {Planned} */ planned) =>
    (spec.beside ? repeatBeside(bundle, planned) : [replaceFlagged(bundle, planned, patience_s)].filter((each) => each !== undefined));
  // A run may have ended between flagging a trial and planning its rerun.
  plan.map(asPlanned).filter(isDone).forEach(repeat);
  const all = openBundle(bundle).plan.map(asPlanned);
  const todo = all.filter((planned) => !isDone(planned)).sort((a, b) => a.block - b.block);
  if (todo.length === 0) return [];
  const estimate = (/** @type {Planned} */ planned) => estimateTrialS(spec, planned);
  const skipped = todo.length < all.length ? `, ${all.length - todo.length} done before` : '';
  console.log(`${relative(ROOT, bundle)}: ${todo.length} trials${skipped}, about ${formatDuration(estimatePlanS(spec, todo))}`);
  const progress = new Progress(todo.map(estimate), join(bundle, 'run.log'), () => describeTrial(feed.state));
  const yardsticks = new Yardsticks(fleet, yardstickLengthS(spec), bundle, signal, (line) => progress.tell(line));
  const failed = [];
  try {
    for (let next = 0; next < todo.length; next++) { // grows: a flagged trial adds its rerun
      const planned = todo[next];
      if (fleet.isSpread) await reachAll(fleet);
      await yardsticks.beforeTrial(planned);
      beginTrial(feed, planned, progress);
      const status = await runTrial(fleet, spec, planned, bundle, signal, feed);
      if (status.startsWith('failed')) failed.push(`${planned.trial}: ${status}`);
      endTrial(feed, planned, describeOutcome(bundle, planned.trial, status), progress);
      const repeated = status === 'done' ? repeat(planned) : [];
      todo.splice(placeRepeated(todo, next, spec.beside !== undefined), 0, ...repeated);
      repeated.forEach((each) => progress.extend(estimate(each)));
    }
    await yardsticks.afterLast(todo[todo.length - 1].block);
  } finally {
    progress.close();
  }
  return failed;
}

/** A lost host would fail all remaining trials, so the run ends. @param {Fleet} fleet @throws {UserError} */
async function reachAll(fleet) {
  try {
    await fleet.startAgents();
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    throw new UserError(error.problems.map((problem) => `${problem}; then go on with RESUME=1`));
  }
}

/** @param {string} bundle @param {string} trial @param {string} status @returns {string} */
function describeOutcome(bundle, trial, status) {
  if (status !== 'done') return status;
  const folder = trialFolder(bundle, trial);
  const flags = readFlags(folder);
  if (flags.length) return `flagged: ${flags.join(', ')}`;
  const steps = readStepFlags(folder);
  return steps.length ? `done, but for ${steps.join(', ')}` : 'done';
}
