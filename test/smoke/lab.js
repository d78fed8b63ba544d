/** Temporary folders for runs of the harness: a small experiment, its results, and checks of what a run left. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { installParts } from '../../harness/run/install.js';
import { readEngine, readLibrary } from '../../harness/spec/engines.js';
import { findMarked } from '../../harness/agent/marked.js';
import { ROOT } from '../../harness/common/places.js';

/** @typedef {{agent: number, keeper: number, runId: string, runDir: string}} Run `agent` and `keeper`: pids */
/** @typedef {{code: number | null, signal: NodeJS.Signals | null, stdout: string, stderr: string}} Ended */

/** @param {number} ms */
export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Calls `look` every 20 ms until it returns a truthy value.
 * @template T @param {() => T} look @param {string} what for the error @param {number} [withinS]
 * @returns {Promise<NonNullable<T>>} that value @throws {Error} after about `withinS` seconds
 */
export async function until(look, what, withinS = 240) {
  for (let waitedMs = 0; waitedMs < withinS * 1000; waitedMs += 20) {
    const seen = look();
    if (seen) return seen;
    await sleep(20);
  }
  throw new Error(`${what}: not within ${withinS} s`);
}

/** Call before starting runs side by side. Otherwise they wait for each other's installation of the same folder. */
export const installWs = () => installParts([readEngine('ws'), readLibrary('ws')], console.log);

/** Bounds that flag no trial: these tests check what happens to a run, not its numbers. */
const BOUNDS = [
  ...['generator_cpu_max', 'local_losses_max', 'wrong_max', 'clock_step_ms_max'].map((name) => `${name} = 1000000`),
  ...['late_share_max', 'rate_error_max', 'littles_law_error_max', 'steal_share_max', 'foreign_cpu_share_max', 'mark_late_share_max', 'top_error_max'].map((name) => `${name} = 1`),
];

/**
 * @typedef {{engines: string[], repeats: number, hold_s?: number, behaviour?: string, companion?: string, connections?: number,
 *   load?: string, drain_s?: number, arrivals?: string, workload?: string, more?: string}} LabOptions
 *   as TOML text: `load`, `arrivals` and `workload` are keys of these tables, `more` has top-level keys of the manifest
 */

/** @param {LabOptions} options @returns {string} an experiment whose trials take about 3 s by default */
const manifestOf = ({
  engines, repeats, hold_s = 1, behaviour = 'pingpong', companion, connections = 10, load = 'client_processes = 2',
  drain_s = 0, arrivals = 'kind = "constant", period_ms = 100', workload = '', more = '',
}) => `
title = "A tiny experiment"
source = "none"
question = "Does a run come to its end, whatever is done to it?"
axes = { engine = ${JSON.stringify(engines)}, workload = ["steady"] }
load = { behaviour = "${behaviour}", ${load}, late_ms = 100, drain_s = ${drain_s}${companion ? `, companion = "${companion}"` : ''} }
workloads = { steady = { arrivals = { ${arrivals} }${workload && `, ${workload}`} } }
claims = []
${more}

[profiles]
${['quick', 'default', 'paper'].map((name) => `${name} = { repeats = ${repeats}, warmup_s = 0, connections = ${connections}, connect_rate_hz = 10, settle_s = 0, hold_s = ${hold_s} }`).join('\n')}

[validity]
${BOUNDS.join('\n')}
`;

/** A running harness. */
export class Harness {
  /** @param {import('node:child_process').ChildProcess} child */
  constructor(child) {
    this.child = child;
    this.stdout = '';
    this.stderr = '';
    child.stdout?.on('data', (data) => { this.stdout += data; });
    child.stderr?.on('data', (data) => { this.stderr += data; });
    /** @type {Promise<Ended>} */
    this.ended = new Promise((resolve) => {
      child.on('close', (code, signal) => resolve({ code, signal, stdout: this.stdout, stderr: this.stderr }));
    });
  }

  /** Signals the harness's process group, as a terminal does for Ctrl-C. @param {NodeJS.Signals} signal */
  signal(signal) {
    process.kill(-Number(this.child.pid), signal);
  }

  /** @returns {Run | undefined} undefined until its keeper runs */
  findRun() {
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
      const [, script, runId, runDir] = readProc(pid, 'cmdline').split('\0');
      if (!script?.endsWith('keeper.js')) continue;
      const above = listAncestors(pid); // with `--hosts` the keeper is the coordinator's, so `agent` is the coordinator
      if (above.includes(Number(this.child.pid))) return { agent: above[0], keeper: Number(pid), runId, runDir };
    }
    return undefined;
  }
}

/** @param {string | number} pid @returns {number[]} its parent first */
function listAncestors(pid) {
  const parent = Number(readProc(pid, 'stat').split(') ').pop()?.split(' ')[1]);
  return parent > 0 ? [parent, ...listAncestors(parent)] : [];
}

/** @param {string | number} pid @param {string} name @returns {string} '' when it is gone */
function readProc(pid, name) {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'latin1');
  } catch {
    return '';
  }
}

/** @returns {number[]} TCP ports with a listener, by IPv4 or IPv6 */
const listListening = () => ['tcp', 'tcp6'].map((name) => `/proc/net/${name}`).filter((path) => existsSync(path))
  .flatMap((path) => readFileSync(path, 'latin1').split('\n').slice(1)).map((line) => line.trim().split(/\s+/))
  .filter(([, , , state]) => state === '0A').map(([, local]) => Number.parseInt(local.split(':')[1], 16));

export class Lab {
  /**
   * @param {Partial<LabOptions> & {servers?: string, inside?: string, before?: string[]}} options
   *   `servers`: a folder to use instead of servers/; `inside`: a program that starts the agent; `before`: put before
   *   the argv of the harness
   */
  constructor({ engines = ['ws'], repeats = 3, servers, inside, before = [], ...more } = {}) {
    this.before = before;
    this.root = mkdtempSync(join(tmpdir(), 'smoke-test-'));
    this.results = join(this.root, 'results');
    this.experiments = join(this.root, 'experiments');
    this.env = {
      WSCALE_RESULTS: this.results, WSCALE_EXPERIMENTS: this.experiments, WSCALE_YARDSTICK_S: '0.1',
      ...(servers && { WSCALE_SERVERS: servers }), ...(inside && { WSCALE_AGENT_INSIDE: inside }),
    };
    this.writeManifest({ engines, repeats, ...more });
  }

  /** @param {LabOptions} options */
  writeManifest(options) {
    mkdirSync(join(this.experiments, '01-tiny'), { recursive: true });
    writeFileSync(join(this.experiments, '01-tiny', 'experiment.toml'), manifestOf(options));
  }

  /** @param {string[]} [options] @returns {Harness} */
  start(options = []) {
    const argv = [join(ROOT, 'harness/main.js'), 'run', '1', '--profile', 'quick', ...options];
    const [program, ...rest] = [...this.before, process.execPath, ...argv];
    const child = spawn(program, rest, { cwd: ROOT, env: { ...process.env, ...this.env }, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    return new Harness(child);
  }

  /** @param {string[]} [options] @returns {Promise<Ended>} */
  run(options) {
    return this.start(options).ended;
  }

  /** @returns {string[]} the bundles' folders */
  listBundles() {
    const folder = join(this.results, '01-tiny');
    return existsSync(folder) ? readdirSync(folder).sort().map((name) => join(folder, name)) : [];
  }

  /** @returns {Record<string, string>} status of each trial in the newest bundle, without earlier attempts */
  readStatuses() {
    const trials = join(this.listBundles().pop() ?? this.root, 'trials');
    const names = existsSync(trials) ? readdirSync(trials).filter((name) => !name.includes('.attempt-')).sort() : [];
    return Object.fromEntries(names.map((name) => [name, readText(join(trials, name, 'status')).trim() || 'none']));
  }

  /** @param {string} trial @param {...string} path @returns {string} a path in the newest bundle */
  inTrial(trial, ...path) {
    return join(this.listBundles().pop() ?? this.root, 'trials', trial, ...path);
  }

  /** @returns {string | undefined} the running trial */
  findRunning() {
    return Object.entries(this.readStatuses()).find(([, status]) => status === 'running')?.[0];
  }

  /**
   * @param {Run} run @param {string} trial the running one @param {string} side server, client, or a companion
   * @returns {{pid: number, role: string}[] | undefined} undefined until that side is ready
   */
  readReady({ runDir }, trial, side) {
    const line = readText(join(runDir, trial, `${side}.out`)).split('\n').find((each) => each.startsWith('ready ') && each.endsWith('}'));
    return line && JSON.parse(line.slice('ready '.length)).processes;
  }

  /** @param {Run} run @param {string} trial the running one @returns {string[]} marks of its accounts' rows so far */
  readMarks({ runDir }, trial) {
    return readText(join(runDir, trial, 'accounts.tsv')).split('\n').slice(1, -1).map((line) => line.split('\t')[0]);
  }

  /**
   * Waits up to 2 minutes until everything of a run is gone, however it ended.
   * @param {Run | undefined} run
   * @returns {Promise<string[]>} what is left
   */
  async findLeftovers(run) {
    const left = () => [
      ...(run ? findMarked(run.runId).map(({ pid, side }) => `process ${pid} of the ${side}: ${readProc(pid, 'cmdline').replaceAll('\0', ' ')}`) : []),
      ...(run ? /** @type {const} */ (['agent', 'keeper']) : []).filter((who) => run && readProc(run[who], 'cmdline')).map((who) => `the ${who}, process ${run?.[who]}`),
      ...(run ? [run.runDir, join('/dev/shm', basename(run.runDir))] : []).filter((path) => existsSync(path)).map((path) => `the folder ${path}`),
      ...this.#listPorts().filter((port) => listListening().includes(port)).map((port) => `port ${port} in use`),
      ...this.#listHalfDone().map((trial) => `trial ${trial}, done without its records`),
    ];
    for (let waitedMs = 0; left().length > 0 && waitedMs < 120_000; waitedMs += 100) await sleep(100);
    return left();
  }

  #listPorts() {
    return Object.keys(this.readStatuses()).map((trial) => readText(this.inTrial(trial, 'trial.json'))).filter(Boolean)
      .map((text) => JSON.parse(text).server.port);
  }

  /** @returns {string[]} trials with status `done` that lack a file read by the reduction */
  #listHalfDone() {
    const records = ['validity.tsv', 'trial.json', ...['accounts.tsv', 'host.tsv', 'samplers.tsv', 'top.txt', 'client/summary.json', 'client/intervals.tsv', 'client/latency.hlog'].map((name) => `raw/${name}`)];
    const done = Object.entries(this.readStatuses()).filter(([, status]) => status === 'done');
    return done.filter(([trial]) => records.some((name) => !existsSync(this.inTrial(trial, name)))).map(([trial]) => trial);
  }

  remove() {
    rmSync(this.root, { recursive: true, force: true });
  }
}

/** @param {string} path @returns {string} '' when it is not there */
function readText(path) {
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}
