/**
 * A way to a host: a local program, ssh (ssh.js) or any other (exec.js), that runs a program on the host and connects their standard
 * streams. It carries commands, files and the agent.
 */
import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { UserError } from '../common/failure.js';

/** @typedef {import('../spec/hosts.js').Host} Host */
/** @typedef {{code: number | null, stdout: string, stderr: string}} Ran */
/**
 * @typedef {{input?: string, tell?: (line: string) => void, signal?: AbortSignal}} How `input`: path of a file for standard input, which
 * otherwise stays open until the end; `tell` receives each line of output
 */

const CLOSES_WITHIN_MS = 500; // to read the remaining output of an ended program

/** @param {string} word @returns {string} quoted as one word of a shell */
export const quote = (word) => `'${word.replaceAll("'", "'\\''")}'`;

/** Line appended by kubectl to the command's own output. */
const OF_KUBECTL = /^command terminated with exit code \d+$/;

/** @param {string} text @returns {string} */
export const lastLine = (text) => text.trim().split('\n').filter((line) => !OF_KUBECTL.test(line)).pop() ?? '';

/**
 * @param {string[]} argv here @param {NodeJS.ProcessEnv} env @param {How} [how]
 * @returns {Promise<Ran>}
 */
export async function execute([program, ...rest], env, { input, tell, signal } = {}) {
  signal?.throwIfAborted();
  const descriptor = input === undefined ? undefined : openSync(input, 'r');
  // Its own session: a terminal's signals reach only the coordinator
  const child = spawn(program, rest, { detached: true, env, stdio: [descriptor ?? 'pipe', 'pipe', 'pipe'], signal });
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
    child.once('exit', (exited) => setTimeout(resolve, CLOSES_WITHIN_MS, exited).unref()); // a child left behind may hold stderr open
  });
  child.stdin?.end();
  signal?.throwIfAborted();
  return { code, ...said };
}

/** @abstract */
export class Way {
  /** @param {Host} host @param {NodeJS.ProcessEnv} env marked for the keeper, which ends the processes */
  constructor(host, env) {
    this.host = host;
    this.env = env;
  }

  /** @returns {string} the local program's name */
  get program() {
    throw new Error('no way');
  }

  /** @param {string} _command of the host's shell @returns {string[]} argv that runs it there */
  argv(_command) {
    throw new Error('no way');
  }

  /** Connect to the host if needed. @param {AbortSignal} [_signal] @returns {Promise<void>} @throws {UserError} */
  async open(_signal) {
    throw new Error('no way');
  }

  /** @returns {Promise<string | undefined>} why the host can't be reached any more; undefined while it can */
  async whyLost() {
    throw new Error('no way');
  }

  /** @param {number | null} _code of a command @returns {boolean} whether it may come from the local program */
  isOfWay(_code) {
    return true;
  }

  /** @param {string} failed @param {string} why @returns {UserError} */
  explain(failed, why) {
    return new UserError(`hosts: ${this.host.name}: ${failed}: ${why}`);
  }

  /**
   * Run a command there.
   * @param {string} command for sh @param {string} what it does, for the message @param {How} [how]
   * @returns {Promise<string>} its output @throws {UserError} if it fails, with its last line
   */
  async run(command, what, how) {
    const { code, stdout, stderr } = await execute(this.argv(command), this.env, how);
    if (code === 0) return stdout;
    const lost = this.isOfWay(code) ? await this.whyLost() : undefined;
    if (lost) throw this.explain(`the link was lost while ${what}`, lost);
    const said = lastLine(stderr) || lastLine(stdout) || `exit code ${code}`;
    throw new UserError(`hosts: ${this.host.name}: ${what} failed: ${said}; try there: ${command.length > 200 ? `${command.slice(0, 200)}…` : command}`);
  }
}
