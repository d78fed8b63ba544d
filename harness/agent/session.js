/**
 * A session: everything of one trial on one host. It has a folder for its processes' files, a private folder for its server, its network,
 * its placement on cores, and its capture. Paths in requests are relative to the folder, or to the suite's root.
 */
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { TrialError, UserError } from '../common/failure.js';
import { ROOT } from '../common/places.js';
import { DIR, MEMORY_DIR, RUN_DIR, SUITE } from '../common/protocol.js';
import { isAlive, readStat } from '../common/stat.js';
import { Capture } from './capture.js';
import { makeCertificate } from './certificate.js';
import { monotonicUs } from './clock.js';
import { Cores } from './cores.js';
import { CpuQuota } from './cpu-quota.js';
import { Listeners } from './listeners.js';
import { runLoad } from './load.js';
import { Network } from './network.js';
import { readBytes } from './read-bytes.js';
import { WordLines, waitForLine } from './ready.js';
import { Sockets } from './sockets.js';

/** @typedef {{pid: number, role: string, index: number}} Process */

const CHUNK_B = 768 * 1024; // of a file per answer: a multiple of three, so base64 needs no padding

export class Session {
  /** @param {import('./host.js').LocalHost} host @param {string} name @param {string} placement @param {(event: object) => void} tell */
  constructor(host, name, placement, tell) {
    this.host = host;
    this.tell = tell;
    this.folder = join(host.runDir, name);
    if (dirname(this.folder) !== host.runDir) throw new UserError(`agent: open: "${name}" can't name a session; use letters, digits and -`);
    mkdirSync(this.folder);
    this.runDir = host.makeRunDir();
    this.memoryDir = host.makeMemoryDir();
    this.cores = new Cores(placement);
    /** @type {Map<number, {started: import('./host.js').Started, lines: Map<string, WordLines>}>} */
    this.processes = new Map();
    this.net = /** @type {Network | undefined} */ (undefined);
    this.capture = /** @type {Capture | undefined} */ (undefined);
    this.sockets = /** @type {Sockets | undefined} the server's, if clients are on other hosts */ (undefined);
    this.listeners = /** @type {Listeners | undefined} on the server's host */ (undefined);
    this.port = NaN;
    this.quotas = /** @type {CpuQuota[]} one for each process with a share of a core */ ([]);
    this.aborting = new AbortController();
    this.signal = this.aborting.signal;
  }

  /** @param {string} text @returns {string} with this host's folders in place of their placeholders */
  #withFolders(text) {
    const folders = Object.entries({ [DIR]: this.folder, [RUN_DIR]: this.runDir, [MEMORY_DIR]: this.memoryDir, [SUITE]: ROOT });
    return folders.reduce((made, [stands, folder]) => made.replaceAll(stands, folder), text);
  }

  /** @param {string} name @returns {string} the path @throws {UserError} if it leads out of the folder */
  #path(name) {
    const path = resolve(this.folder, name);
    if (relative(this.folder, path).startsWith('..')) throw new UserError(`agent: "${name}" is not within the session's folder; name a file in it`);
    return path;
  }

  /** @param {{name: string}} given */
  makeFolder({ name }) {
    mkdirSync(this.#path(name), { recursive: true });
  }

  /** @param {{name: string, text: string}} given */
  put({ name, text }) {
    const path = this.#path(name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, this.#withFolders(text));
  }

  /** @returns {{folders: string[], files: {name: string, size_b: number}[]}} */
  listFiles() {
    const entries = readdirSync(this.folder, { recursive: true, withFileTypes: true });
    const nameOf = (/** @type {import('node:fs').Dirent} */ entry) => relative(this.folder, join(entry.parentPath, entry.name));
    const files = entries.filter((entry) => entry.isFile()).map(nameOf);
    return {
      folders: entries.filter((entry) => entry.isDirectory()).map(nameOf),
      files: files.map((name) => ({ name, size_b: statSync(join(this.folder, name)).size })),
    };
  }

  /** @param {{name: string, from_b: number}} given @returns {{base64: string}} a chunk of the file */
  get({ name, from_b }) {
    return { base64: readBytes(this.#path(name), CHUNK_B, from_b).toString('base64') };
  }

  /**
   * @param {object} given @param {string[]} given.argv @param {string} [given.cwd] relative to the suite's root; by default the folder
   * @param {string} [given.path] also relative to it: first folder of PATH @param {Record<string, string>} [given.env]
   * @param {'server' | 'client'} given.side also whose network namespace to run in, if there is one
   * @param {'pipe' | 'ignore'} [given.stdin] @param {number} [given.quota] cores for it and its descendants; by default all
   * @param {string} given.log name of the files for its output and errors, without .out and .err
   */
  async start({ argv, cwd, path, env = {}, side, stdin, quota, log }) {
    this.signal.throwIfAborted(); // on another host a share of the trial has failed meanwhile
    this.makeFolder({ name: dirname(log) });
    const words = argv.map((word) => this.#withFolders(word));
    const started = await this.host.start({
      argv: quota ? this.#confine(words, quota) : words,
      inside: this.net?.inside[side],
      cwd: cwd === undefined ? this.folder : resolve(ROOT, cwd),
      path: path && resolve(ROOT, path),
      env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, this.#withFolders(value)])),
      side, stdin, stdout: this.#path(`${log}.out`), stderr: this.#path(`${log}.err`),
    });
    this.processes.set(started.pid, { started, lines: new Map() });
    started.exited.then((exit) => this.tell({ event: 'exit', pid: started.pid, ...exit, end: started.describeEnd() }));
    return { pid: started.pid };
  }

  /** @param {string[]} argv @param {number} cores @throws {import('./cpu-quota.js').NoQuota} */
  #confine(argv, cores) {
    const quota = new CpuQuota(cores);
    this.quotas.push(quota);
    return quota.confine(argv);
  }

  /** @param {number} pid */
  find(pid) {
    const found = this.processes.get(pid);
    if (!found) throw new UserError(`agent: process ${pid} was not started at this session; name one that was`);
    return found;
  }

  /** @param {{pid: number, text?: string, isLast?: boolean}} given for its standard input */
  write({ pid, text, isLast }) {
    const { stdin } = this.find(pid).started.child;
    if (text !== undefined) stdin?.write(text);
    if (isLast) stdin?.end();
  }

  /**
   * Tell processes when the load begins.
   * @param {{pids: number[], lead_us?: number, start_us?: number}} given a lead from now, or a time of this host's clock
   * @returns {number} start by this host's clock @throws {TrialError} if it has passed
   */
  go({ pids, lead_us = 0, start_us = Math.round(monotonicUs() + lead_us) }) {
    const late_us = monotonicUs() - start_us;
    if (late_us > 0) throw new TrialError(`the load was to begin ${Math.round(late_us / 1000)} ms ago: the way to this host takes too long`);
    for (const pid of pids) this.write({ pid, text: `go ${start_us}\n` });
    return start_us;
  }

  /** @param {number} pid @param {string} word @returns {WordLines} of its output, continuing where the last read ended */
  linesOf(pid, word) {
    const { started, lines } = this.find(pid);
    if (!lines.has(word)) lines.set(word, new WordLines(started, word));
    return /** @type {WordLines} */ (lines.get(word));
  }

  /** @param {{pid: number, word: string, within_s: number}} given @returns {Promise<{line?: string}>} text after the word, if it comes */
  async wait({ pid, word, within_s }) {
    return { line: await waitForLine(this.find(pid).started, this.linesOf(pid, word), within_s, this.signal) };
  }

  /** @param {{address: string}} given */
  certify({ address }) {
    const { path, pem } = makeCertificate(this.runDir, address);
    return { path: path.replace(this.runDir, RUN_DIR), pem };
  }

  /**
   * @param {{resolved?: import('../common/protocol.js').Resolved, settings: Record<string, string>, address?: string}} given `address`: of
   *   this host on the load's network, if there are other hosts
   */
  async network({ resolved, settings, address: own }) {
    this.net = await Network.open(this.host, resolved, settings, this.folder, this.signal, own);
    this.port = await this.net.findPort();
    const { address, keylog } = this.net;
    return { address, port: this.port, keylog: keylog?.replace(this.folder, DIR) };
  }

  /** @param {{side: 'server' | 'client', processes: Process[]}} given */
  place({ side, processes }) {
    this.checkOwn(processes.map((process) => ({ ...process, side })), true);
    if (side === 'client') return this.cores.placeClient(processes);
    return this.cores.placeServer(processes, this.host.list().filter((process) => process.side === 'server').map(({ pid }) => pid));
  }

  /**
   * Refuse processes of others: they would be pinned, and measured instead of the server.
   * @param {{pid: number, role: string, side: string}[]} processes as a ready line named them
   * @param {boolean} [areAlive] whether all must run; later some may have ended @throws {TrialError} if one is not of this trial
   */
  checkOwn(processes, areAlive = false) {
    const own = new Map(this.host.list().map(({ pid, side }) => [pid, side]));
    const isOwn = (/** @type {{pid: number, side: string}} */ { pid, side }) => own.has(pid) && (own.get(pid) === 'server') === (side === 'server');
    const foreign = processes.find((process) => !isOwn(process) && (areAlive || isAlive(readStat(process.pid))));
    if (!foreign) return;
    throw new TrialError(`the ${foreign.side}'s ready line names process ${foreign.pid} as its ${foreign.role}, and that is none of its own; `
      + 'have it name the pids of what it started');
  }

  /** Begin to record packets if the experiment asks for it. */
  async record() {
    await this.#network.startCapture(this.port, this.signal);
  }

  get #network() {
    if (!this.net) throw new UserError('agent: the session has no network; ask for it first');
    return this.net;
  }

  /** @param {{processes: import('./capture.js').Watched[], isSpread?: boolean}} given `isSpread`: whether clients are on other hosts */
  async watch({ processes, isSpread }) {
    this.checkOwn(processes);
    const server = processes.find(({ side }) => side === 'server');
    const listOwn = () => this.host.list().flatMap(({ pid, side }) => (side === 'server' ? [pid] : []));
    this.listeners = server && new Listeners(this.port, this.#network.serverHolder ?? 'self', listOwn);
    this.listeners?.check();
    const tell = (/** @type {string} */ name, /** @type {string} */ text) => this.tell({ event: 'written', name, text });
    const readWire = isSpread ? () => this.#network.readOwn() : undefined;
    this.capture = new Capture(this.host, this.folder, { readWire, tell, cores: this.cores.coresOfSamplers() });
    if (isSpread && server) this.sockets = new Sockets(this.host, this.folder, this.port);
    await this.capture.start([...processes, ...this.#network.link.map((process) => ({ ...process, side: 'link' }))]);
  }

  /** @param {import('./load.js').Load} load */
  async load(load) {
    if (!this.capture) throw new TrialError('agent: nothing is watched; watch first');
    await runLoad({ session: this, network: this.#network, capture: this.capture, sockets: this.sockets }, load);
  }

  /** End the captures, and write their results. */
  async finish() {
    await this.capture?.stop();
    await this.sockets?.finish();
    await this.#network.close(this.port);
  }

  /** Abort all pending operations, and kill all processes. */
  async abort() {
    this.aborting.abort(new TrialError('the trial was ended'));
    await this.host.killAll(['server', 'client', 'capture']);
  }

  /** Remove the session's control groups and folders. */
  async close() {
    for (const quota of this.quotas) await quota.remove();
    const folders = [this.folder, this.runDir, this.memoryDir];
    for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  }
}
