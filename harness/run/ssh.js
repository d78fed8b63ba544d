/**
 * Reaches hosts with OpenSSH's client and the user's own configuration. One master connection per host carries commands, files and the
 * agent. Host keys and logins are left to ssh: it may not ask for a password, nor accept an unknown key.
 */
import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, rmSync } from 'node:fs';
import { UserError } from '../common/failure.js';
import { within } from '../common/timers.js';
import { Way, execute, lastLine, quote } from './way.js';

/** A connection that is silent for 30 s is dead: ssh then exits. */
const OPTIONS = ['BatchMode=yes', 'ConnectTimeout=20', 'ServerAliveInterval=5', 'ServerAliveCountMax=6', 'ClearAllForwardings=yes', 'LogLevel=ERROR'];
/** Values of StrictHostKeyChecking, as `ssh -G` prints them, that accept any key or any new key. */
const UNCHECKED = ['no', 'off', 'false', 'accept-new'];

const OF_SSH = 255; // exit code of ssh itself; other codes are the remote program's
const NO_LOGIN = /Permission denied|verification failed|authentication/i; // the host answers but refuses the login

const LOOK_MS = 20; // polling interval for the master connection's socket

/** The connection to one host. */
export class Ssh extends Way {
  /**
   * @param {import('../spec/hosts.js').Host} host @param {NodeJS.ProcessEnv} env @param {string} socket of the master connection
   * @param {string} [config] for `ssh -F`
   */
  constructor(host, env, socket, config) {
    super(host, env);
    this.ownCode = OF_SSH;
    this.config = config;
    this.destination = String(host.ssh);
    this.socket = socket;
    this.log = `${socket}.log`; // the master connection's standard error
    this.base = ['ssh', ...(config ? ['-F', config] : []), ...[...OPTIONS, `ControlPath=${socket}`].flatMap((option) => ['-o', option])];
  }

  get program() {
    return 'ssh';
  }

  /** @param {string} command of the host's shell @returns {string[]} */
  argv(command) {
    return [...this.base, '-o', 'ControlMaster=no', '-T', '--', this.destination, `exec sh -c ${quote(command)}`];
  }

  /** @returns {string} the last line of ssh's log, or '' */
  get #lastWords() {
    return existsSync(this.log) ? lastLine(readFileSync(this.log, 'utf8')) : '';
  }

  /** @param {string} failed @param {string} why @returns {UserError} */
  explain(failed, why) {
    const how = `ssh${this.config ? ` -F ${this.config}` : ''} -o BatchMode=yes ${this.destination} true`;
    return super.explain(failed, `${why}; try: ${how}`);
  }

  /** Connect unless connected. @throws {UserError} with ssh's message */
  async open() {
    if (await this.#isOpen()) return;
    await this.#refuseUnchecked();
    rmSync(this.socket, { force: true }); // left by a dead connection
    const code = await this.#startMaster();
    if (code === undefined) return;
    const why = this.#lastWords || `ssh exited with ${code}`;
    throw this.explain(NO_LOGIN.test(why) ? 'no login' : 'can not be reached', why);
  }

  /**
   * Does not use `ssh -f`: it closes standard error, so the reason for a lost connection would not be logged.
   * @returns {Promise<number | null | undefined>} exit code; undefined once connected
   */
  async #startMaster() {
    const said = openSync(this.log, 'w');
    const [program, ...base] = this.base;
    const argv = ['-o', 'LogLevel=INFO', ...base, '-o', 'ControlMaster=yes', '-o', 'ControlPersist=no', '-N', '--', this.destination];
    const child = spawn(program, argv, { detached: true, env: this.env, stdio: ['ignore', 'ignore', said] });
    closeSync(said);
    child.unref(); // the keeper will end it
    /** @type {Promise<number | null>} */
    const ended = new Promise((resolve) => child.once('exit', resolve).once('error', () => resolve(null)));
    while (!existsSync(this.socket)) {
      const code = await within(ended, LOOK_MS);
      if (code !== undefined) return code;
    }
    return undefined;
  }

  /** @returns {Promise<string | undefined>} why the connection was lost, in ssh's words; undefined while it is up */
  async whyLost() {
    return await this.#isOpen() ? undefined : this.#lastWords || 'ssh has ended, and does not say why';
  }

  async #isOpen() {
    return (await execute([...this.base, '-O', 'check', '--', this.destination], this.env)).code === 0;
  }

  /** @throws {UserError} if the configuration accepts any key */
  async #refuseUnchecked() {
    const { stdout } = await execute([...this.base, '-G', '--', this.destination], this.env);
    const value = /^stricthostkeychecking (\S+)/mi.exec(stdout)?.[1] ?? 'ask';
    if (!UNCHECKED.includes(value)) return;
    throw new UserError(`hosts: ${this.host.name}: the configuration of ssh has StrictHostKeyChecking ${value} for ${this.destination}: any host could answer; take it out, and put the host's key into known_hosts`);
  }
}
