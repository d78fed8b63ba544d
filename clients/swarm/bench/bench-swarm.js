/**
 * `make bench-swarm`: how close swarm comes to the machine's limit, and what it costs. A missed requirement is printed, but is not a
 * failure.
 */
import '../../../harness/common/surroundings.js';
import { existsSync, mkdirSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { lockMachine, makeBundle } from '../../../harness/common/bundle.js';
import { installParts } from '../../../harness/run/install.js';
import { readEngine } from '../../../harness/spec/engines.js';
import { Interrupted, TrialError, UserError } from '../../../harness/common/failure.js';
import { writeAtomically, writeJson, writeTsv } from '../../../harness/common/files.js';
import { finish } from '../../../harness/common/output.js';
import { ROOT } from '../../../harness/common/places.js';
import { Progress } from '../../../harness/run/progress.js';
import { checkBuilt, installK6 } from './binaries.js';
import { PinningHost, chooseCpus } from './cpus.js';
import { describeMachine } from './machine.js';
import { addPercentiles } from './percentiles.js';
import { LOADS, listGenerators, nameRun, planRuns } from './plan.js';
import { describeBench, formatDocument, formatReport, makeTables, reduceRuns } from './report.js';
import { carryOut } from './trial.js';
import { formatDuration } from '../../../harness/common/format.js';

/** @typedef {import('./plan.js').Planned} Planned */
/** @typedef {import('./rows.js').Run} Run */
/** @typedef {import('./report.js').Settings & {quick: boolean, loads: string[]}} Settings */

const USAGE = `usage: bench-swarm.js [--repeats N] [--seconds S] [--seed N] [--peers] [--quick] [--loads ID,...] [--baseline PATH]

  --repeats N  of each load with each generator (7); docs/ is not written with less than five
  --seconds S  the window of each, whole seconds (2)
  --seed N     of the order and of the load (a random one)
  --peers      k6 as well, installed by go
  --baseline PATH  another build of swarm, by turns with this one: did a change cost anything? docs/ is not written
  --quick      one repeat of one second: does it work? docs/ is not written
  --loads IDS  these alone, such as k1-c5000: pairs of swarm and its limit, in turn; docs/ is not written

Exit codes: 0 done, whatever was measured; 1 some runs failed; 2 bad input; 130 interrupted.`;

/** Fewest repeats for a report in docs/. */
const REPEATS_MIN = 5;
/** Approximate time of a run besides its window: starting, settling, stopping. */
const OVERHEAD_S = 1.3;

/** @param {string} name @param {string} text @param {number} least @returns {number} @throws {UserError} */
function parseWhole(name, text, least) {
  const value = Number(text);
  if (Number.isInteger(value) && value >= least && value < 2 ** 32) return value;
  throw new UserError(`--${name}: "${text}" is not a whole number from ${least} to 4294967295; give one`);
}

/** @param {string[]} argv @returns {Settings | undefined} undefined if help was asked for @throws {UserError} */
function parseSettings(argv) {
  const text = /** @type {const} */ ({ type: 'string' });
  const flag = /** @type {const} */ ({ type: 'boolean', default: false });
  const options = { repeats: text, seconds: text, seed: text, peers: flag, quick: flag, help: flag, loads: text, baseline: text };
  let values;
  try {
    ({ values } = parseArgs({ args: argv, options }));
  } catch (error) {
    throw new UserError(`bench-swarm: ${/** @type {Error} */ (error).message.split('. ')[0]}; see --help`);
  }
  const { quick, peers, help } = values;
  if (help) return undefined;
  const repeats = parseWhole('repeats', values.repeats ?? (quick ? '1' : '7'), 1);
  const windowS = parseWhole('seconds', values.seconds ?? (quick ? '1' : '2'), 1);
  const seed = values.seed === undefined ? Math.floor(Math.random() * 2 ** 32) : parseWhole('seed', values.seed, 0);
  const baseline = parseProgram(values.baseline);
  if (baseline && peers) throw new UserError('--baseline: k6 is not compared with another build; leave out --peers');
  return { repeats, windowS, seed, peers, quick, loads: parseLoads(values.loads, baseline), baseline };
}

/** @param {string | undefined} path @returns {string | undefined} absolute @throws {UserError} */
function parseProgram(path) {
  if (path !== undefined && !existsSync(path)) throw new UserError(`--baseline: there is no program "${path}"; give the path of a swarm`);
  return path === undefined ? undefined : resolve(path);
}

/**
 * @param {string | undefined} text @param {string} [baseline] another build of swarm
 * @returns {string[]} ids; all that are measured with it if none was named @throws {UserError}
 */
function parseLoads(text, baseline) {
  const known = Object.keys(LOADS).filter((id) => !baseline || listGenerators(id, { peers: false, baseline }).includes('baseline'));
  const asked = text?.split(',') ?? known;
  const strange = asked.find((id) => !known.includes(id));
  if (strange !== undefined) throw new UserError(`--loads: there is no "${strange}"${baseline ? ' for another build' : ''}; use ${known.join(', ')}`);
  return asked;
}

/**
 * @param {PinningHost} host @param {string} bundle @param {Settings} settings @param {AbortSignal} signal
 * @returns {Promise<{runs: Run[], failed: string[]}>}
 */
async function carryOutAll(host, bundle, settings, signal) {
  const plan = planRuns(settings.repeats, settings.seed, settings, settings.loads);
  const eachS = settings.windowS + OVERHEAD_S;
  console.log(`${relative(ROOT, bundle)}: ${plan.length} runs, about ${formatDuration(plan.length * eachS)}, seed ${settings.seed}`);
  let running = '';
  const progress = new Progress(plan.map(() => eachS), join(bundle, 'run.log'), () => running);
  const [runs, failed] = [/** @type {Run[]} */ ([]), /** @type {string[]} */ ([])];
  try {
    for (const planned of plan) {
      const name = nameRun(planned);
      running = name;
      progress.begin();
      const outcome = await attempt(host, planned, join(bundle, 'trials', name), settings, signal);
      if (typeof outcome === 'string') failed.push(`${name}: ${outcome}`);
      else runs.push({ ...planned, values: outcome });
      progress.end(name, typeof outcome === 'string' ? `failed: ${outcome}` : 'done');
    }
  } finally {
    progress.close();
  }
  return { runs, failed };
}

/**
 * @param {PinningHost} host @param {Planned} planned @param {string} folder @param {Settings} settings @param {AbortSignal} signal
 * @returns {Promise<import('./generators.js').Values | string>} values, or why the run failed
 */
async function attempt(host, planned, folder, { windowS, seed, baseline }, signal) {
  mkdirSync(folder);
  try {
    return await carryOut(host, planned, folder, windowS, (seed + planned.repeat) % 2 ** 32, signal, baseline);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (error instanceof TrialError) return error.message;
    throw error;
  } finally {
    await host.killAll(['server', 'client']);
  }
}

/** @param {string} bundle @param {Run[]} runs */
function writeRuns(bundle, runs) {
  const rows = runs.flatMap(({ values, ...planned }) => Object.entries(values).map(([metric, value]) => ({ ...planned, metric, value })));
  writeTsv(join(bundle, 'runs.tsv'), ['repeat', 'load', 'generator', 'metric', 'value'], rows);
}

/** @param {Settings} settings @param {AbortSignal} signal @returns {Promise<number>} exit code */
async function bench(settings, signal) {
  checkBuilt();
  const cpus = chooseCpus();
  await installParts([readEngine('uws')], (line) => console.log(line), signal);
  const date = new Date();
  const bundle = makeBundle('bench-swarm', settings.quick ? 'quick' : 'default', date);
  const host = new PinningHost(cpus);
  try {
    if (settings.peers) await installK6(host, bundle, signal);
    const machine = await describeMachine(host, bundle, settings.peers);
    writeJson(join(bundle, 'bench.json'), { ...settings, cpus, began: date.toISOString(), machine });
    const isWhole = settings.loads.length === Object.keys(LOADS).length;
    const { runs, failed } = await carryOutAll(host, bundle, settings, signal);
    const whole = addPercentiles(bundle, runs, settings.windowS);
    writeRuns(bundle, whole);
    const intervals = reduceRuns(bundle, whole, settings);
    const tables = makeTables(intervals, settings, settings.loads);
    const lost = failed.length ? [`Failed, and left out: ${failed.join('; ')}.`] : [];
    const sentences = [...describeBench(settings, intervals, whole, machine), ...lost];
    console.log(`\n${formatReport(tables)}\n\n${sentences.join('\n')}\n\nbundle  ${relative(process.cwd(), bundle)}`);
    if (failed.length) console.error(`error: bench-swarm: ${failed.length} run(s) failed; read the logs in ${relative(ROOT, bundle)}`);
    const isShown = isWhole && !settings.quick && !settings.baseline && leastRepeats(runs, settings) >= REPEATS_MIN;
    if (isShown) writeDocument(formatDocument(tables, sentences, bundle, date));
    return failed.length ? 1 : 0;
  } finally {
    await host.close();
  }
}

/** @param {Run[]} runs successful ones @param {Settings} beside @returns {number} fewest repeats of any load and generator */
const leastRepeats = (runs, beside) => Math.min(...planRuns(1, 0, beside).map(({ load, generator }) =>
  runs.filter((run) => run.load === load && run.generator === generator).length));

/** @param {string} text */
function writeDocument(text) {
  const path = join(ROOT, 'docs', 'bench-swarm.md');
  mkdirSync(join(ROOT, 'docs'), { recursive: true });
  writeAtomically(path, text);
  console.log(`written ${relative(process.cwd(), path)}`);
}

/** @param {string[]} argv @returns {Promise<number>} exit code */
async function main(argv) {
  const settings = parseSettings(argv);
  if (!settings) {
    console.log(USAGE);
    return 0;
  }
  const unlock = lockMachine();
  const controller = new AbortController();
  for (const name of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) process.on(name, () => controller.abort(new Interrupted(name)));
  try {
    return await bench(settings, controller.signal);
  } finally {
    unlock();
  }
}

/** @param {any} error @returns {number} exit code */
function explain(error) {
  if (process.env.WSCALE_TRACE) console.error(error.stack);
  if (error instanceof UserError) {
    for (const problem of error.problems) console.error(`error: ${problem}`);
    return 2;
  }
  if (error instanceof Interrupted) {
    console.error(`${error.message}: everything that ran was stopped`);
    return 130;
  }
  console.error(`error: bench-swarm: ${error.message}; set WSCALE_TRACE=1 to see where, and report it`);
  return 70;
}

await finish(main(process.argv.slice(2)), explain);
