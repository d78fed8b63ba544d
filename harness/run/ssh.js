/**
 * OpenSSH's own client, by the user's own configuration: one master connection a host, over which commands, files and the agent go. What
 * is known of a host's key, and who may log in, is ssh's to say: no password is asked for, and no key taken unseen.
 */
import { spawn } from 'node:child_process';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { randomUUID } from 'node:crypto';
import { UserError } from '../common/failure.js';
import { KeeperClient } from '../common/keeper-client.js';
import { within } from '../common/timers.js';
import { RUN_MARK } from '../common/shared-names.js';

/** @typedef {import('../spec/hosts.js').Host} Host */
/** @typedef {{code: number | null, stdout: string, stderr: string}} Ran */

/** A connection on which nothing comes for half a minute is dead: ssh then ends. */
const OPTIONS = ['BatchMode=yes', 'ConnectTimeout=20', 'ServerAliveInterval=5', 'ServerAliveCountMax=6', 'ClearAllForwardings=yes', 'LogLevel=ERROR'];
/** Values of StrictHostKeyChecking, as `ssh -G` tells them, by which any key would do, or any new one. */
const UNCHECKED = ['no', 'off', 'false', 'accept-new'];

const OF_SSH = 255; // ssh's own exit code, where it is not the program's
const NO_LOGIN = /Permission denied|verification failed|authentication/i; // the host answers, and does not let in

const LOOK_MS = 20; // for a master connection: its socket appears when it is up

const CLOSES_WITHIN_MS = 500; // what is left to be read of a program that has ended

/** @param {string} word @returns {string} as a shell takes it for one */
export const quote = (word) => `'${word.replaceAll("'", "'\\''")}'`;

/** @param {string} text @returns {string} */
const lastLine = (text) => text.trim().split('\n').pop() ?? '';

/** The private folder of the connections of a run, and who sees to it that they end with the coordinator, however that ends. */
export class Connections {
  /** @param {string} [config] for `ssh -F` */
  constructor(config) {
    this.config = config;
    this.folder = mkdtempSync(join(tmpdir(), 'wscale-ssh-')); // short: the path of a UNIX socket is limited to 107 bytes
    this.runId = randomUUID();
    this.opened = 0;
    this.kept = new KeeperClient(this.runId, [this.folder]);
  }

  /** @param {Host} host @returns {Ssh} */
  to(host) {
    return new Ssh(this, host, join(this.folder, String(++this.opened)));
  }

  /** @returns {NodeJS.ProcessEnv} by which the keeper knows what is to end */
  get env() {
    return { ...process.env, [RUN_MARK]: this.runId };
  }

  /** End every connection, and remove the folder. */
  async close() {
    await this.kept.end();
  }
}

/** The connection to one host. */
export class Ssh {
  /** @param {Connections} connections @param {Host} host @param {string} socket */
  constructor(connections, host, socket) {
    this.connections = connections;
    this.host = host;
    this.socket = socket;
    this.log = `${socket}.log`; // what the master connection says on standard error
    const { config } = connections;
    this.base = ['ssh', ...(config ? ['-F', config] : []), ...[...OPTIONS, `ControlPath=${socket}`].flatMap((option) => ['-o', option])];
  }

  /** @param {string} command of the host's shell @returns {string[]} */
  argv(command) {
    return [...this.base, '-o', 'ControlMaster=no', '-T', '--', this.host.ssh, `exec sh -c ${quote(command)}`];
  }

  /**
   * @param {string[]} argv here
   * @param {{input?: string, tell?: (line: string) => void, signal?: AbortSignal}} [how] `input`: a file; without it standard input is held
   * open until the end; `tell` is given each line that it says
   */
  async #execute([program, ...rest], { input, tell, signal } = {}) {
    signal?.throwIfAborted();
    const descriptor = input === undefined ? undefined : openSync(input, 'r');
    // A session of its own: what a terminal sends is for the coordinator
    const child = spawn(program, rest, { detached: true, env: this.connections.env, stdio: [descriptor ?? 'pipe', 'pipe', 'pipe'], signal });
    if (descriptor !== undefined) closeSync(descriptor);
    const said = { stdout: '', stderr: '' };
    for (const name of /** @type {const} */ (['stdout', 'stderr'])) {
      child[name]?.on('data', (data) => { said[name] += data; });
      if (tell && child[name]) createInterface({ input: child[name] }).on('line', tell);
    }
    child.stdin?.on('error', () => {});
    const code = await new Promise((resolve) => {
      child.once('error', ({ message }) => resolve((said.stderr += message, null)));
      child.once('close', resolve);
      child.once('exit', (exited) => setTimeout(resolve, CLOSES_WITHIN_MS, exited).unref()); // what goes on behind may hold its standard error
    });
    child.stdin?.end();
    signal?.throwIfAborted();
    return { code, ...said };
  }

  /** @returns {string} the last thing that ssh said of the connection; '' for nothing */
  get #lastWords() {
    return existsSync(this.log) ? lastLine(readFileSync(this.log, 'utf8')) : '';
  }

  /** @param {Ran} ran @param {string} [what] failed @returns {UserError} the last thing that ssh said */
  #explain({ code, stderr }, what) {
    const { name, ssh } = this.host;
    const { config } = this.connections;
    const why = this.#lastWords || lastLine(stderr) || `ssh exited with ${code}`;
    const failed = what ?? (NO_LOGIN.test(why) ? 'no login' : 'can not be reached');
    return new UserError(`hosts: ${name}: ${failed}: ${why}; try: ssh${config ? ` -F ${config}` : ''} -o BatchMode=yes ${ssh} true`);
  }

  /** Connect, where no connection is up. @param {AbortSignal} [signal] @throws {UserError} with what ssh says */
  async open(signal) {
    if (await this.isOpen(signal)) return;
    await this.#refuseUnchecked(signal);
    rmSync(this.socket, { force: true }); // of one that died
    const code = await this.#startMaster(signal);
    if (code !== undefined) throw this.#explain({ code, stdout: '', stderr: '' });
  }

  /**
   * Not by `ssh -f`, which takes its standard error away, and so what it says when the connection dies.
   * @param {AbortSignal} [signal] @returns {Promise<number | null | undefined>} its exit code; undefined when it is connected
   */
  async #startMaster(signal) {
    const said = openSync(this.log, 'w');
    const [program, ...base] = this.base;
    const argv = ['-o', 'LogLevel=INFO', ...base, '-o', 'ControlMaster=yes', '-o', 'ControlPersist=no', '-N', '--', this.host.ssh];
    const child = spawn(program, argv, { detached: true, env: this.connections.env, stdio: ['ignore', 'ignore', said] });
    closeSync(said);
    child.unref(); // the keeper ends it
    /** @type {Promise<number | null>} */
    const ended = new Promise((resolve) => child.once('exit', resolve).once('error', () => resolve(null)));
    while (!existsSync(this.socket)) {
      const code = await within(ended, LOOK_MS);
      signal?.throwIfAborted();
      if (code !== undefined) return code;
    }
    return undefined;
  }

  /** @returns {Promise<string | undefined>} why the connection is no more, as ssh says; nothing while it is up */
  async whyLost() {
    return await this.isOpen() ? undefined : this.#lastWords || 'ssh has ended, and does not say why';
  }

  /** @param {AbortSignal} [signal] */
  async isOpen(signal) {
    return (await this.#execute([...this.base, '-O', 'check', '--', this.host.ssh], { signal })).code === 0;
  }

  /** @param {AbortSignal} [signal] @throws {UserError} where the configuration takes any key */
  async #refuseUnchecked(signal) {
    const { stdout } = await this.#execute([...this.base, '-G', '--', this.host.ssh], { signal });
    const value = /^stricthostkeychecking (\S+)/mi.exec(stdout)?.[1] ?? 'ask';
    if (!UNCHECKED.includes(value)) return;
    throw new UserError(`hosts: ${this.host.name}: the configuration of ssh has StrictHostKeyChecking ${value} for ${this.host.ssh}: any host could answer; take it out, and put the host's key into known_hosts`);
  }

  /**
   * Run a command there.
   * @param {string} command of sh @param {string} what it does, for the message
   * @param {{input?: string, tell?: (line: string) => void, signal?: AbortSignal}} [how]
   * @returns {Promise<string>} its output @throws {UserError} when it fails, with the last thing it said
   */
  async run(command, what, how) {
    const ran = await this.#execute(this.argv(command), how);
    if (ran.code === 0) return ran.stdout;
    if (ran.code === OF_SSH && await this.whyLost()) throw this.#explain(ran, `the link was lost while ${what}`);
    const said = lastLine(ran.stderr) || lastLine(ran.stdout) || `exit code ${ran.code}`;
    throw new UserError(`hosts: ${this.host.name}: ${what} failed: ${said}; try there: ${command.length > 200 ? `${command.slice(0, 200)}…` : command}`);
  }
}
