/**
 * A session: what one trial has on a host. A folder for what its processes read and write, a private one for its server, its network,
 * its places on cores, and what watches it. Paths that others name are names within the folder, or begin at the suite's root.
 */
import { closeSync, mkdirSync, openSync, readSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { TrialError, UserError } from '../common/failure.js';
import { ROOT } from '../common/places.js';
import { DIR, MEMORY_DIR, RUN_DIR, SUITE } from '../common/protocol.js';
import { isAlive, readStat } from '../common/stat.js';
import { sleep } from '../common/timers.js';
import { Capture } from './capture.js';
import { makeCertificate } from './certificate.js';
import { monotonicUs } from './clock.js';
import { Cores } from './cores.js';
import { CpuQuota } from './cpu-quota.js';
import { Listeners } from './listeners.js';
import { carryLoad } from './load.js';
import { Network } from './network.js';
import { WordLines } from './ready.js';
import { Sockets } from './sockets.js';

/** @typedef {import('./host.js').Started} Started */
/** @typedef {{pid: number, role: string, index: number}} Process */

/** Of a file, in one answer: a multiple of three, which base64 keeps whole. */
const CHUNK_B = 768 * 1024;

export class Session {
  /**
   * @param {import('./host.js').LocalHost} host @param {string} name @param {string | undefined} placement on cores
   * @param {(event: object) => void} tell
   */
  constructor(host, name, placement, tell) {
    this.host = host;
    this.tell = tell;
    this.folder = join(host.runDir, name);
    if (dirname(this.folder) !== host.runDir) throw new UserError(`agent: open: "${name}" can't name a session; use letters, digits and -`);
    mkdirSync(this.folder);
    this.runDir = host.makeRunDir();
    this.memoryDir = host.makeMemoryDir();
    this.cores = new Cores(placement ?? 'shared');
    /** @type {Map<number, {started: Started, lines: Map<string, WordLines>}>} */
    this.processes = new Map();
    /** @type {Network | undefined} */
    this.net = undefined;
    /** @type {Capture | undefined} */
    this.capture = undefined;
    /** @type {Sockets | undefined} of the server, where clients are on other hosts */
    this.sockets = undefined;
    /** @type {Listeners | undefined} where the server is */
    this.listeners = undefined;
    this.port = NaN;
    /** @type {CpuQuota[]} one a process that has a share of a core */
    this.quotas = [];
    this.aborting = new AbortController();
  }

  get signal() {
    return this.aborting.signal;
  }

  /** @param {string} text @returns {string} with this host's folders in the place of what stands for them */
  #withFolders(text) {
    const folders = Object.entries({ [DIR]: this.folder, [RUN_DIR]: this.runDir, [MEMORY_DIR]: this.memoryDir, [SUITE]: ROOT });
    return folders.reduce((made, [stands, folder]) => made.replaceAll(stands, folder), text);
  }

  /** @param {string} name @returns {string} the path @throws {UserError} when it leads out of the folder */
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

  /** @param {{name: string, from_b: number}} given @returns {{base64: string}} a part of a file */
  get({ name, from_b }) {
    const descriptor = openSync(this.#path(name), 'r');
    try {
      const bytes = Buffer.allocUnsafe(CHUNK_B);
      return { base64: bytes.toString('base64', 0, readSync(descriptor, bytes, 0, CHUNK_B, from_b)) };
    } finally {
      closeSync(descriptor);
    }
  }

  /**
   * @param {object} given
   * @param {string[]} given.argv
   * @param {string} [given.cwd] from the suite's root; the folder by default
   * @param {string} [given.path] from there too: a folder to come first in PATH
   * @param {Record<string, string>} [given.env]
   * @param {'server' | 'client'} given.side
   * @param {'server' | 'client'} [given.inside] at which end of the network
   * @param {'pipe' | 'ignore'} [given.stdin]
   * @param {number} [given.quota] cores that it and what it starts may use; all by default
   * @param {string} given.log name of the files for its output and its errors, without .out and .err
   */
  async start({ argv, cwd, path, env = {}, side, inside, stdin, quota, log }) {
    this.makeFolder({ name: dirname(log) });
    const words = argv.map((word) => this.#withFolders(word));
    const started = await this.host.start({
      argv: quota ? this.#limit(quota).confine(words) : words,
      inside: inside && this.net?.inside[inside],
      cwd: cwd === undefined ? this.folder : resolve(ROOT, cwd),
      path: path && resolve(ROOT, path),
      env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, this.#withFolders(value)])),
      side, stdin, stdout: this.#path(`${log}.out`), stderr: this.#path(`${log}.err`),
    });
    this.processes.set(started.pid, { started, lines: new Map() });
    started.exited.then((exit) => this.tell({ event: 'exit', pid: started.pid, ...exit, end: started.describeEnd() }));
    return { pid: started.pid };
  }

  /** @param {number} cores @returns {CpuQuota} @throws {import('./cpu-quota.js').NoQuota} */
  #limit(cores) {
    const quota = new CpuQuota(cores);
    this.quotas.push(quota);
    return quota;
  }

  /** @param {number} pid */
  find(pid) {
    const found = this.processes.get(pid);
    if (!found) throw new UserError(`agent: process ${pid} was not started at this session; name one that was`);
    return found;
  }

  /** @param {{pid: number, text?: string, isLast?: boolean}} given to its standard input */
  write({ pid, text, isLast }) {
    const { stdin } = this.find(pid).started.child;
    if (text !== undefined) stdin?.write(text);
    if (isLast) stdin?.end();
  }

  /**
   * Tell processes when the load begins.
   * @param {{pids: number[], lead_us?: number, start_us?: number}} given so long from now, or at a time of this host's clock
   * @returns {number} when, by this host's clock @throws {TrialError} when it is past
   */
  go({ pids, lead_us = 0, start_us = Math.round(monotonicUs() + lead_us) }) {
    const late_us = monotonicUs() - start_us;
    if (late_us > 0) throw new TrialError(`the load was to begin ${Math.round(late_us / 1000)} ms ago: the way to this host takes too long`);
    for (const pid of pids) this.write({ pid, text: `go ${start_us}\n` });
    return start_us;
  }

  /** @param {number} pid @param {string} word @returns {WordLines} of its output, to be read on where it was left */
  linesOf(pid, word) {
    const { started, lines } = this.find(pid);
    if (!lines.has(word)) lines.set(word, new WordLines(started, word));
    return /** @type {WordLines} */ (lines.get(word));
  }

  /**
   * @param {{pid: number, word: string, within_s: number}} given
   * @returns {Promise<{line?: string}>} what follows the word; nothing when the process ends first, or takes too long
   */
  async wait({ pid, word, within_s }) {
    const [{ started }, lines] = [this.find(pid), this.linesOf(pid, word)];
    for (let waitedMs = 0; waitedMs < within_s * 1000; waitedMs += 10) {
      const { exit } = started;
      const line = lines.readLast();
      if (line !== undefined) return { line };
      if (exit) return {};
      await sleep(10, this.signal);
    }
    return {};
  }

  /** @param {{address: string}} given @returns {{path: string, pem: string}} */
  certify({ address }) {
    const { path, pem } = makeCertificate(this.runDir, address);
    return { path: path.replace(this.runDir, RUN_DIR), pem };
  }

  /**
   * @param {{resolved?: import('../common/protocol.js').Resolved, settings: Record<string, string>, address?: string}} given `address`
   *   of this host on the load's network, where other hosts have a part in it
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
   * A process that is another's would be pinned, and counted in the place of what serves.
   * @param {{pid: number, role: string, side: string}[]} processes as a ready line named them
   * @param {boolean} [areAlive] must they run? Later on one may have ended since
   * @throws {TrialError} when one is none of this trial's
   */
  checkOwn(processes, areAlive = false) {
    const own = new Map(this.host.list().map(({ pid, side }) => [pid, side]));
    const isOwn = (/** @type {{pid: number, side: string}} */ { pid, side }) => own.has(pid) && (own.get(pid) === 'server') === (side === 'server');
    const foreign = processes.find((process) => !isOwn(process) && (areAlive || isAlive(readStat(process.pid))));
    if (!foreign) return;
    throw new TrialError(`the ${foreign.side}'s ready line names process ${foreign.pid} as its ${foreign.role}, and that is none of its own; `
      + 'have it name the pids of what it started');
  }

  /** Begin to record packets, where the experiment wants them. */
  async record() {
    await this.#network.startCapture(this.port, this.signal);
  }

  get #network() {
    if (!this.net) throw new UserError('agent: the session has no network; ask for it first');
    return this.net;
  }

  /**
   * @param {{processes: import('./capture.js').Watched[], isSpread?: boolean}} given what servers and clients said of themselves;
   *   `isSpread`: is what passes this host's device to be held against what passes others'?
   */
  async watch({ processes, isSpread }) {
    this.checkOwn(processes);
    const server = processes.find(({ side }) => side === 'server');
    const listOwn = () => this.host.list().flatMap(({ pid, side }) => (side === 'server' ? [pid] : []));
    this.listeners = server && new Listeners(this.port, this.#network.serverHolder ?? 'self', listOwn);
    this.listeners?.check();
    const tell = (/** @type {string} */ name, /** @type {string} */ text) => this.tell({ event: 'written', name, text });
    this.capture = new Capture(this.host, this.folder, isSpread ? () => this.#network.readOwn() : undefined, tell);
    if (isSpread && server) this.sockets = new Sockets(this.host, this.folder, this.port);
    await this.capture.start([...processes, ...this.#network.link.map((process) => ({ ...process, side: 'link' }))]);
    this.cores.placeSamplers(this.capture.samplers); // they are not to take the server's place on its core
  }

  /** @param {import('./load.js').Load} load */
  async load(load) {
    if (!this.capture) throw new TrialError('agent: nothing is watched; watch first');
    await carryLoad({ session: this, network: this.#network, capture: this.capture, sockets: this.sockets }, load);
  }

  /** End the captures, and write what they found. */
  async finish() {
    await this.capture?.stop();
    await this.sockets?.finish();
    await this.#network.close(this.port);
  }

  /** End all that was asked for and is not done, and all that runs. */
  async abort() {
    this.aborting.abort(new TrialError('the trial was ended'));
    await this.host.killAll(['server', 'client', 'capture']);
  }

  /** Remove what was made for it: its groups, and its folders. */
  async close() {
    for (const quota of this.quotas) await quota.remove();
    const folders = [this.folder, this.runDir, this.memoryDir];
    for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  }
}
