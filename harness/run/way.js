/**
 * A way to a host: a local program that runs a program on the host and connects their standard streams. It carries commands, files and the
 * agent. The program is any command, such as `kubectl exec -i POD --` or `podman exec -i NAME`, or ssh (ssh.js).
 */
import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { basename } from 'node:path';
import { createInterface } from 'node:readline';
import { UserError } from '../common/failure.js';

/** @typedef {import('../spec/hosts.js').Host} Host */
/**
 * @typedef {{input?: string, tell?: (line: string) => void, signal?: AbortSignal}} How `input`: path of a file for standard input, which
 * otherwise stays open until the end; `tell` receives each line of output
 */

const CLOSES_WITHIN_MS = 500; // to read the remaining output of an ended program
const ANSWERS_WITHIN_MS = 20_000; // as long as ssh may take to connect

/** @param {string} word @returns {string} quoted as one word of a shell */
export const quote = (word) => `'${word.replaceAll("'", "'\\''")}'`;

/** @param {string} word @returns {string} quoted only if needed */
const typed = (word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : quote(word));

/** Line appended by kubectl to the command's own output. */
const OF_KUBECTL = /^command terminated with exit code \d+$/;

/** @param {string} text @returns {string} */
export const lastLine = (text) => text.trim().split('\n').filter((line) => !OF_KUBECTL.test(line)).pop() ?? '';

/**
 * @param {string[]} argv here @param {NodeJS.ProcessEnv} env @param {How} [how]
 * @returns {Promise<{code: number | null, stdout: string, stderr: string}>}
 */
export async function execute([program, ...rest], env, { input, tell, signal } = {}) {
  signal?.throwIfAborted();
  const descriptor = input === undefined ? undefined : openSync(input, 'r');
  // Its own session: a terminal's signals reach only the coordinator
  const child = spawn(program, rest, { detached: true, env, stdio: [descriptor ?? 'pipe', 'pipe', 'pipe'], signal });
  if (descriptor !== undefined) closeSync(descriptor);
  const said = { stdout: '', stderr: '' };
  for (const name of /** @type {const} */ (['stdout', 'stderr'])) {
    child[name]?.setEncoding('utf8').on('data', (data) => { said[name] += data; });
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

/** By a command of the host's `exec`. No connection is kept: each command stands alone. */
export class Way {
  /** @param {Host} host @param {NodeJS.ProcessEnv} env marked for the keeper, which ends the processes */
  constructor(host, env) {
    this.host = host;
    this.env = env;
    this.ownCode = /** @type {number | undefined} exit code of the local program itself; it may have any if undefined */ (undefined);
  }

  get #prefix() {
    return this.host.exec ?? [];
  }

  /** The local program's name. */
  get program() {
    return basename(this.#prefix[0]);
  }

  /** @param {string} command of the host's shell @returns {string[]} argv that runs it there */
  argv(command) {
    return [...this.#prefix, 'sh', '-c', command];
  }

  /** Connect to the host if needed. @throws {UserError} with the command's last words */
  async open() {
    const why = await this.whyLost();
    if (why) throw this.explain('can not be reached', `${why}; try: ${[...this.#prefix, 'true'].map(typed).join(' ')}`);
  }

  /** @returns {Promise<string | undefined>} why the host can't be reached any more; undefined while it can */
  async whyLost() {
    const late = AbortSignal.timeout(ANSWERS_WITHIN_MS);
    try {
      const { code, stderr } = await execute(this.argv('exit 0'), this.env, { signal: late });
      return code === 0 ? undefined : lastLine(stderr) || `${this.program} exited with ${code}`;
    } catch (error) {
      if (!late.aborted) throw error;
      return `${this.program} did not answer within ${ANSWERS_WITHIN_MS / 1000} s`;
    }
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
    const isOfWay = this.ownCode === undefined || code === this.ownCode;
    const lost = isOfWay ? await this.whyLost() : undefined;
    if (lost) throw this.explain(`the link was lost while ${what}`, lost);
    const said = lastLine(stderr) || lastLine(stdout) || `exit code ${code}`;
    throw new UserError(`hosts: ${this.host.name}: ${what} failed: ${said}; try there: ${command.length > 200 ? `${command.slice(0, 200)}…` : command}`);
  }
}
