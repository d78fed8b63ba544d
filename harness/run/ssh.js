/**
 * OpenSSH's own client, by the user's own configuration: one master connection a host, over which commands, files and the agent go. What
 * is known of a host's key, and who may log in, is ssh's to say: no password is asked for, and no key taken unseen.
 */
import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, rmSync } from 'node:fs';
import { UserError } from '../common/failure.js';
import { within } from '../common/timers.js';
import { Way, execute, lastLine, quote } from './way.js';

/** A connection on which nothing comes for half a minute is dead: ssh then ends. */
const OPTIONS = ['BatchMode=yes', 'ConnectTimeout=20', 'ServerAliveInterval=5', 'ServerAliveCountMax=6', 'ClearAllForwardings=yes', 'LogLevel=ERROR'];
/** Values of StrictHostKeyChecking, as `ssh -G` tells them, by which any key would do, or any new one. */
const UNCHECKED = ['no', 'off', 'false', 'accept-new'];

const OF_SSH = 255; // ssh's own exit code, where it is not the program's
const NO_LOGIN = /Permission denied|verification failed|authentication/i; // the host answers, and does not let in

const LOOK_MS = 20; // for a master connection: its socket appears when it is up

/** The connection to one host. */
export class Ssh extends Way {
  /**
   * @param {import('../spec/hosts.js').Host} host @param {NodeJS.ProcessEnv} env @param {string} socket of its master connection
   * @param {string} [config] for `ssh -F`
   */
  constructor(host, env, socket, config) {
    super(host, env);
    this.config = config;
    this.destination = String(host.ssh);
    this.socket = socket;
    this.log = `${socket}.log`; // what the master connection says on standard error
    this.base = ['ssh', ...(config ? ['-F', config] : []), ...[...OPTIONS, `ControlPath=${socket}`].flatMap((option) => ['-o', option])];
  }

  get program() {
    return 'ssh';
  }

  /** @param {string} command of the host's shell @returns {string[]} */
  argv(command) {
    return [...this.base, '-o', 'ControlMaster=no', '-T', '--', this.destination, `exec sh -c ${quote(command)}`];
  }

  /** @returns {string} the last thing that ssh said of the connection; '' for nothing */
  get #lastWords() {
    return existsSync(this.log) ? lastLine(readFileSync(this.log, 'utf8')) : '';
  }

  /** @param {string} failed @param {string} why @returns {UserError} */
  explain(failed, why) {
    const how = `ssh${this.config ? ` -F ${this.config}` : ''} -o BatchMode=yes ${this.destination} true`;
    return super.explain(failed, `${why}; try: ${how}`);
  }

  /** Connect, where no connection is up. @param {AbortSignal} [signal] @throws {UserError} with what ssh says */
  async open(signal) {
    if (await this.isOpen(signal)) return;
    await this.#refuseUnchecked(signal);
    rmSync(this.socket, { force: true }); // of one that died
    const code = await this.#startMaster(signal);
    if (code === undefined) return;
    const why = this.#lastWords || `ssh exited with ${code}`;
    throw this.explain(NO_LOGIN.test(why) ? 'no login' : 'can not be reached', why);
  }

  /**
   * Not by `ssh -f`, which takes its standard error away, and so what it says when the connection dies.
   * @param {AbortSignal} [signal] @returns {Promise<number | null | undefined>} its exit code; undefined when it is connected
   */
  async #startMaster(signal) {
    const said = openSync(this.log, 'w');
    const [program, ...base] = this.base;
    const argv = ['-o', 'LogLevel=INFO', ...base, '-o', 'ControlMaster=yes', '-o', 'ControlPersist=no', '-N', '--', this.destination];
    const child = spawn(program, argv, { detached: true, env: this.env, stdio: ['ignore', 'ignore', said] });
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
    return (await execute([...this.base, '-O', 'check', '--', this.destination], this.env, { signal })).code === 0;
  }

  /** @param {AbortSignal} [signal] @throws {UserError} where the configuration takes any key */
  async #refuseUnchecked(signal) {
    const { stdout } = await execute([...this.base, '-G', '--', this.destination], this.env, { signal });
    const value = /^stricthostkeychecking (\S+)/mi.exec(stdout)?.[1] ?? 'ask';
    if (!UNCHECKED.includes(value)) return;
    throw new UserError(`hosts: ${this.host.name}: the configuration of ssh has StrictHostKeyChecking ${value} for ${this.destination}: any host could answer; take it out, and put the host's key into known_hosts`);
  }

  /** @param {number | null} code */
  isOfWay(code) {
    return code === OF_SSH;
  }
}
