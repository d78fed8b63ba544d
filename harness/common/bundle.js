/** Run bundles: results/<experiment>/<stamp>/, append-only; each holds everything of one run. */
import { existsSync, globSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { UserError } from './failure.js';
import { makeFolder, readJson, readTsv } from './files.js';
import { checkHostNames, checkUntrusted } from './untrusted.js';
import { RESULTS, ROOT } from './places.js';
import { PID_NAMESPACE, isAlive, readStat } from './stat.js';

/**
 * The form (version) of a bundle's files, named in spec.json. Form 1 is not named there, and lacks the hash of the code that ran. Up to
 * form 2, bursts were called beats, and warnings doubts. Up to form 3, means and rates were taken over the seconds between the readings of
 * the process read last, a message that was never sent, because the server had lost the connection, was not unanswered, and a sweep
 * began with connections that had carried nothing yet.
 */
export const FORM = 4;
/** @param {{form?: number}} spec @returns {boolean} are its numbers made as up to form 3? */
export const hasOldNumbers = ({ form = 1 }) => form < 4;
/** The oldest readable form. */
const FORM_MIN = 1;

/** @param {string} experiment @param {string} profile @param {Date} now @returns {string} the new folder */
export function makeBundle(experiment, profile, now) {
  const stamp = now.toISOString().replace(/[-:]/g, '').replace(/\..*/, 'Z');
  const folder = join(RESULTS, experiment, `${stamp}-${profile}`);
  if (existsSync(folder)) throw new UserError(`${relative(ROOT, folder)}: exists already; wait a second and run again`);
  mkdirSync(join(folder, 'trials'), { recursive: true });
  return folder;
}

/** @param {string} experiment @param {string} profile @returns {string} the newest bundle of the profile that has a plan */
export function findNewestBundle(experiment, profile) {
  const folder = join(RESULTS, experiment);
  const newest = globSync(`*-${profile}/plan.tsv`, { cwd: folder }).map(dirname).sort().pop();
  if (newest) return join(folder, newest);
  throw new UserError(`RESUME: ${relative(ROOT, folder)} has no run of profile ${profile} to go on with; run without RESUME=1`);
}

/** @param {string} bundle @returns {any} its spec.json, in the words of today's form */
export const readSpec = (bundle) => JSON.parse(JSON.stringify(readJson(join(bundle, 'spec.json')))
  .replaceAll('"kind":"beats"', '"kind":"bursts"').replaceAll('"doubts_max":', '"warnings_max":'));

/** @param {string} text of a table of such a form @returns {string} with today's names of rules */
export const renameRules = (text) => text.replaceAll('generator-doubts', 'generator-warnings');

/** @param {string} path as a person gave it @returns {{folder: string, spec: any, plan: Record<string, string>[]}} @throws {UserError} */
export function openBundle(path) {
  for (const name of ['spec.json', 'plan.tsv']) {
    if (!existsSync(join(path, name))) throw new UserError(`${path}: holds no ${name}, so it is not a bundle; give a folder such as results/<experiment>/<stamp>`);
  }
  const spec = readSpec(path);
  const plan = readTsv(join(path, 'plan.tsv'));
  checkForm(path, spec);
  checkUntrusted(path, spec, plan);
  return { folder: path, spec, plan };
}

/** @param {string} path of a bundle @param {string[]} names of files that it has at its end @throws {UserError} if one is missing */
export function checkEnded(path, names) {
  const missing = names.find((name) => !existsSync(join(path, name)));
  if (missing) throw new UserError(`${path}: ${missing} is missing: the run did not end; go on with RESUME=1`);
}

/** @param {string} path @param {{form?: unknown, environment?: any}} spec @throws {UserError} with the version that reads it */
function checkForm(path, { form = 1, environment }) {
  if (Number.isInteger(form) && Number(form) >= FORM_MIN && Number(form) <= FORM) return;
  const writer = /^[0-9a-f]+$/.exec(environment?.suite?.commit ?? '')?.[0];
  throw new UserError(`${path}: its form is ${form}, and this version reads ${FORM_MIN} to ${FORM}; `
    + `read it with the version that wrote it${writer ? `: git checkout ${writer}` : ''}`);
}

const LOCK = join(RESULTS, '.running');

/**
 * One run at a time per results folder: two would disturb each other. (The rule foreign-cpu detects runs of other clones.)
 * @returns {() => void} to call at the end @throws {UserError} when another runs
 */
export function lockMachine() {
  makeFolder(RESULTS);
  const own = `${LOCK}-${process.pid}`;
  writeFileSync(own, describeProcess(process.pid) ?? '');
  try {
    if (!takeLock(own)) {
      dropDeadLock(`${own}.dead`);
      if (!takeLock(own)) throw new UserError(`${relative(ROOT, LOCK)}: another run begins; wait until it ends, or stop it`);
    }
  } finally {
    rmSync(own, { force: true });
  }
  return () => rmSync(LOCK, { force: true });
}

/** @throws {UserError} when a run measures */
export function refuseWhileMeasuring() {
  const owner = ownerOf(LOCK);
  if (lives(owner)) refuse(owner);
}

/** @param {string} lock @returns {string} its text; '' if its run has ended */
function ownerOf(lock) {
  try {
    return readFileSync(lock, 'utf8').trim();
  } catch {
    return '';
  }
}

/** @param {string} owner the text of the lock @returns {never} @throws {UserError} */
function refuse(owner) {
  const how = isElsewhere(owner) ? `of another container is measuring, or was killed; wait until it ends, or remove ${LOCK}` : 'is measuring; wait until it ends, or stop it';
  throw new UserError(`${relative(ROOT, LOCK)}: process ${owner.split(' ')[0]} ${how}`);
}

/** @param {string} owner the text of a lock @returns {boolean} of another container, so that nobody here knows whether it lives */
const isElsewhere = (owner) => ![undefined, PID_NAMESPACE].includes(owner.split(' ')[2]);

/** @param {string} owner the text of a lock @returns {boolean} may its run still measure? */
function lives(owner) {
  const [pid, began] = owner.split(' ');
  return owner !== '' && (isElsewhere(owner) || describeProcess(Number(pid))?.startsWith(`${pid} ${began} `) === true);
}

/** File systems without hard links. */
const NO_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'];

/** @param {string} own file with its text @returns {boolean} false if the lock is taken. By a link it is never half-written */
function takeLock(own) {
  const take = (/** @type {() => void} */ by) => {
    try {
      by();
      return true;
    } catch (error) {
      const code = /** @type {NodeJS.ErrnoException} */ (error).code ?? '';
      if (code === 'EEXIST') return false;
      if (NO_LINKS.includes(code)) return undefined;
      throw error;
    }
  };
  return take(() => linkSync(own, LOCK)) ?? take(() => writeFileSync(LOCK, readFileSync(own), { flag: 'wx' })) ?? false;
}

/**
 * A run that was killed leaves its lock. It is moved aside and looked at there, so that of two runs that find it only one removes it.
 * @param {string} aside @throws {UserError} if its run lives
 */
function dropDeadLock(aside) {
  refuseWhileMeasuring();
  try {
    renameSync(LOCK, aside);
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') return;
    throw error;
  }
  const moved = ownerOf(aside);
  if (lives(moved)) takeLock(aside); // another run had taken it meanwhile
  rmSync(aside, { force: true });
  if (lives(moved)) refuse(moved);
}

/** @param {number} pid @returns {string | undefined} it, its start time, as pids are reused, its namespace; undefined if it has ended */
function describeProcess(pid) {
  const stat = readStat(pid);
  return stat && isAlive(stat) ? `${pid} ${stat.began} ${PID_NAMESPACE}` : undefined;
}

/** @param {string} folder of a trial @returns {any} its trial.json @throws {UserError} if what becomes a path is no name */
export function readTrial(folder) {
  const path = join(folder, 'trial.json');
  const trial = readJson(path);
  checkHostNames(path, trial.hosts);
  return trial;
}

/** @param {string} bundle @param {string} trial @returns {string} */
export const trialFolder = (bundle, trial) => join(bundle, 'trials', trial);

/** @param {string} bundle @param {string} trial @returns {string} planned, running, done or `failed: why` */
export function readStatus(bundle, trial) {
  const path = join(trialFolder(bundle, trial), 'status');
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : 'planned';
}

/** @param {string} bundle that was reduced @returns {boolean} was a trial done since, that its tables call failed or not yet run? */
export const isOutdated = (bundle) => readTsv(join(bundle, 'reduced', 'dropped.tsv'))
  .some(({ trial, reason }) => /^(failed|planned|running)/.test(reason) && readStatus(bundle, trial) === 'done');

/** @param {string} folder of a trial that was judged @returns {string[]} the rules that flag it */
export const readFlags = (folder) => readTsv(join(folder, 'validity.tsv'))
  .filter(({ passed, severity }) => passed === 'no' && severity === 'flag').map(({ rule }) => renameRules(rule));

/** @param {string} folder of a trial that was judged @returns {string[]} steps left out of its numbers, such as "step 3 (late-sends)" */
export const readStepFlags = (folder) => readTsv(join(folder, 'validity.tsv'))
  .filter(({ severity = '' }) => severity.startsWith('step ')).map(({ rule, severity }) => `${severity} (${rule})`);
