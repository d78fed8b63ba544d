/** The agent's host: its processes, known by a mark, and its private folder. A keeper cleans up both. */
import { spawn } from 'node:child_process';
import {
  closeSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, readdirSync, rmSync, statSync, statfsSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { TrialError, UserError, printable } from '../common/failure.js';
import { KeeperClient } from '../common/keeper-client.js';
import { readBytes } from './read-bytes.js';
import { SIDE_MARK, canLimit, findMarked, kill, killMarked, limitTo } from './marked.js';
import { PID_NAMESPACE, isAlive, readStat } from '../common/stat.js';
import { within } from '../common/timers.js';
import { RUN_MARK } from '../common/shared-names.js';
import { ownPrefix } from '../common/temporary.js';

/**
 * @typedef {{argv: string[], inside?: string[], cwd: string, side: 'server' | 'client' | 'capture' | 'build', path?: string,
 *   env?: Record<string, string | undefined>, stdout: string, stderr: string, stdin?: 'pipe' | 'ignore'}} Launch `inside`: put before the
 *   argv to run it in a namespace (network.js); `path`: first folder of PATH; `env`: added to a clean PATH, HOME and locale, undefined
 *   unsets a variable; `stdout` and `stderr`: files, possibly the same
 */
/** @typedef {{code: number | null, signal: NodeJS.Signals | null}} Exit */

/** The kernel kills a started process when the agent dies (PR_SET_PDEATHSIG of prctl(2)); the keeper kills its descendants. */
const DIE_WITH_PARENT = ['setpriv', '--pdeathsig', 'KILL', '--'];

const ROOM_B = 4096; // a page: with less room, another process's write may have failed

/** @param {string} folder may be gone by now @returns {boolean} whether its disk has no room for a line */
function isFull(folder) {
  if (!existsSync(folder)) return false;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize < ROOM_B;
}

const SAID_MAX = 500; // characters reported of a process's last words, which are looked for in the last TAIL_B bytes
const TAIL_B = 64 * 1024;

/** @param {string} path @returns {string} its end; '' if it is gone */
function readTail(path) {
  const size_b = statSync(path, { throwIfNoEntry: false })?.size;
  return size_b === undefined ? '' : readBytes(path, TAIL_B, Math.max(0, size_b - TAIL_B)).toString();
}

/** Begins the line that tells why: of a server that keeps CONTRACT.md, or in a trace of Node.js, Bun, Deno, Java, Python or Go. */
const REASON = /^error: |^(Uncaught |Exception in thread ".*" )?[\w.$]*(Error|Exception)\b|^panic: |^fatal error: /;
/** A note of Rust after the message. */
const NOTE = /^note: /;

/** @param {string} said on standard error @returns {string} the last line that tells why; the last one, if none does */
function findReason(said) {
  const lines = said.trimEnd().split('\n').filter((line) => !NOTE.test(line));
  return lines.findLast((line) => REASON.test(line)) ?? lines.at(-1) ?? '';
}

/** A started process, with its descendants. */
export class Started {
  /** @param {import('node:child_process').ChildProcess} child @param {Launch} launch */
  constructor(child, launch) {
    this.child = child;
    this.launch = launch;
    this.exit = /** @type {Exit | undefined} */ (undefined);
    /** @type {Promise<Exit>} */
    this.exited = new Promise((resolve) => {
      child.on('exit', (code, signal) => resolve((this.exit = { code, signal })));
    });
    child.stdin?.on('error', () => {}); // it may die before our write; `exited` reports it
  }

  get pid() {
    return /** @type {number} */ (this.child.pid);
  }

  /** @param {NodeJS.Signals} signal sent to the process alone; it must end its descendants itself */
  signal(signal) {
    if (!this.exit) kill(this.pid, signal);
  }

  /** @param {number} ms to end by itself; it may be stopped @returns {Promise<Exit | undefined>} undefined if it had to be killed */
  async endWithin(ms) {
    const exit = await within(this.exited, ms);
    if (!exit) this.signal('SIGKILL');
    return exit;
  }

  /** @returns {string} how it ended, and why by its standard error, in words */
  describeEnd() {
    const how = this.exit?.signal ? `was killed by ${this.exit.signal}` : `exited with ${this.exit?.code}`;
    const said = readTail(this.launch.stderr);
    const nothing = () => `nothing on standard error${isFull(dirname(this.launch.stderr)) ? ', for the disk is full' : ''}`;
    return `${how}: ${printable(findReason(said), SAID_MAX) || nothing()}`;
  }
}

const MEMORY = '/dev/shm'; // file system in memory; a host may lack it

export class LocalHost {
  constructor() {
    /** Short, because the path of a UNIX socket is limited to 107 bytes. */
    this.runDir = mkdtempSync(join(tmpdir(), ownPrefix()));
    /** A folder of the same name for files in memory; the run folder itself if the host has no file system in memory. */
    this.memoryDir = makeTwin(this.runDir);
    /** Named like the folder: if agent and keeper are killed, the folder's name still identifies running processes. */
    this.runId = basename(this.runDir);
    this.canLimit = canLimit(this.runId);
    removeStale();
    this.kept = new KeeperClient(this.runId, [this.runDir, this.memoryDir]);
  }

  /** @param {Launch} launch @returns {Promise<Started>} @throws {TrialError} if the program can't be executed */
  async start(launch) {
    const files = [openSync(launch.stdout, 'a'), openSync(launch.stderr, 'a')];
    // setpriv comes last: entering a user namespace clears the parent-death signal
    const marked = this.canLimit ? limitTo(this.runId, launch.side) : [];
    const [command, ...rest] = [...marked, ...(launch.inside ?? []), ...DIE_WITH_PARENT, ...launch.argv];
    const child = spawn(command, rest, {
      cwd: launch.cwd,
      env: this.#environment(launch),
      detached: true, // its own session; see "Cores, and sessions of processes" in PROTOCOL.md
      stdio: [launch.stdin ?? 'ignore', files[0], files[1]],
    });
    files.forEach((file) => closeSync(file));
    await new Promise((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', (error) => reject(new TrialError(`${launch.argv[0]} did not start: ${error.message}`)));
    });
    return new Started(child, launch);
  }

  /** @param {Launch} launch @returns {NodeJS.ProcessEnv} */
  #environment({ env = {}, path, side }) {
    const inherited = process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin';
    return {
      PATH: path ? `${path}:${inherited}` : inherited,
      HOME: side === 'build' ? process.env.HOME ?? this.runDir : this.runDir, // without the user's toprc and npmrc
      LC_ALL: 'C',
      ...env,
      [RUN_MARK]: this.runId,
      [SIDE_MARK]: side,
    };
  }

  /** @returns {{pid: number, side: string}[]} started processes that still run, with descendants */
  list() {
    return findMarked(this.runId);
  }

  /** Kill the remaining processes of the given sides, by default all. @param {string[]} [sides] @returns {Promise<number>} */
  killAll(sides) {
    return killMarked(this.runId, ({ side }) => !sides || sides.includes(side));
  }

  /** A new private folder, removed with the run. */
  makeRunDir() {
    return mkdtempSync(join(this.runDir, 's'));
  }

  /** A new private folder for files in memory. */
  makeMemoryDir() {
    return mkdtempSync(join(this.memoryDir, 'm'));
  }

  /** A free port, if there is room outside the ephemeral range, so that no outgoing connection takes it. @param {string} address */
  async findFreePort(address) {
    const [low, high] = readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').split(/\s+/).map(Number);
    const [first, last] = choosePorts(low, high);
    for (let attempt = 0; attempt < 100; attempt++) {
      const port = first + Math.floor(Math.random() * (last + 1 - first));
      if (given.has(port) || !await canListen(address, port)) continue;
      given.add(port);
      return port;
    }
    throw new UserError(`network: no free port on ${address} between ${first} and ${last}; run \`./wscale doctor\``);
  }

  /** Kill all processes and remove the private folders. The keeper does it, as after a crash. */
  close() {
    return this.kept.end();
  }
}

/** Ports that a run may need. */
const PORTS_MIN = 1000;

/** @param {number} low @param {number} high of the ephemeral range @returns {[number, number]} below it, else above it, else in it */
export function choosePorts(low, high) {
  if (low - 1024 >= PORTS_MIN) return [Math.max(1024, low - 10_000), low - 1];
  return 65_535 - high >= PORTS_MIN ? [high + 1, 65_535] : [Math.max(1024, low), high];
}

/** Ports already given out: of two servers that start at once, neither listens yet. @type {Set<number>} */
const given = new Set();

/** @param {string} runDir @returns {string} a private folder in memory, or `runDir` */
function makeTwin(runDir) {
  const twin = join(MEMORY, basename(runDir));
  try {
    mkdirSync(twin, { mode: 0o700 });
    return twin;
  } catch {
    return runDir; // absent, or not writable by us
  }
}

/** Remove folders and processes of runs killed together with their keepers. Those of other users stay. */
function removeStale() {
  for (const place of new Set([tmpdir(), MEMORY].filter((each) => existsSync(each)))) {
    for (const name of readdirSync(place)) {
      const owner = new RegExp(`^wscale-${PID_NAMESPACE}-(\\d+)-`).exec(name)?.[1];
      if (!owner || isAlive(readStat(Number(owner))) || !isOurs(join(place, name))) continue;
      for (const { pid } of findMarked(name)) kill(pid, 'SIGKILL', ['ESRCH', 'EPERM']);
      rmSync(join(place, name), { recursive: true, force: true });
    }
  }
}

/** @param {string} path @returns {boolean} whether it exists and we may remove it */
function isOurs(path) {
  const owner = statSync(path, { throwIfNoEntry: false })?.uid;
  const user = process.getuid?.();
  return owner !== undefined && (user === 0 || owner === user);
}

/** @param {string} host @param {number} port @returns {Promise<boolean>} */
function canListen(host, port) {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(true)));
  });
}
