/**
 * Reaches a host by any command that runs a program there with its standard streams, such as `kubectl exec -i POD --` or
 * `podman exec -i NAME`. No connection is kept: each command stands alone.
 */
import { basename } from 'node:path';
import { Way, execute, lastLine, quote } from './way.js';

const ANSWERS_WITHIN_MS = 20_000; // as long as ssh may take to connect

/** @param {string} word @returns {string} quoted only if needed */
const typed = (word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : quote(word));

/** The way to one host. */
export class Exec extends Way {
  /** @returns {string[]} */
  get #prefix() {
    return this.host.exec ?? [];
  }

  get program() {
    return basename(this.#prefix[0]);
  }

  /** @param {string} command of the host's shell @returns {string[]} */
  argv(command) {
    return [...this.#prefix, 'sh', '-c', command];
  }

  /** @param {AbortSignal} [signal] @throws {UserError} with the command's last words */
  async open(signal) {
    const why = await this.#try(signal);
    if (why) throw this.explain('can not be reached', `${why}; try: ${[...this.#prefix, 'true'].map(typed).join(' ')}`);
  }

  whyLost() {
    return this.#try();
  }

  /** @param {AbortSignal} [signal] @returns {Promise<string | undefined>} why no command runs there */
  async #try(signal) {
    const late = AbortSignal.timeout(ANSWERS_WITHIN_MS);
    try {
      const { code, stderr } = await execute(this.argv('exit 0'), this.env, { signal: signal ? AbortSignal.any([signal, late]) : late });
      return code === 0 ? undefined : lastLine(stderr) || `${this.program} exited with ${code}`;
    } catch (error) {
      if (signal?.aborted || !late.aborted) throw error;
      return `${this.program} did not answer within ${ANSWERS_WITHIN_MS / 1000} s`;
    }
  }
}
