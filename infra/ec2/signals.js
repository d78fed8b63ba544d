/** Ctrl-C, SIGTERM and SIGHUP abort the current step. A second signal does not interrupt taking the hosts down. */
import { spawn } from 'node:child_process';
import { Interrupted } from '../../harness/common/failure.js';

const NAMES = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);

export class Signals {
  #controller = new AbortController();
  /** @type {Set<number>} process groups to pass signals to */
  #groups = new Set();

  constructor() {
    for (const name of NAMES) process.on(name, () => this.#take(name));
  }

  /** @returns {AbortSignal} */
  get signal() {
    return this.#controller.signal;
  }

  /** @param {NodeJS.Signals} name */
  #take(name) {
    if (this.signal.aborted) console.error('hosts are being taken down; kill -9 leaves them to end themselves, and `./wscale ec2 list` finds them');
    this.#controller.abort(new Interrupted(name));
    for (const group of this.#groups) {
      try {
        process.kill(-group, name);
      } catch {
        // it has exited
      }
    }
  }

  /**
   * Passes signals to a process group. Even if this process is killed, the group gets a SIGINT.
   * @param {number} group @returns {() => void} to be called once the group has exited
   */
  passTo(group) {
    this.#groups.add(group);
    // A shell in its own session reads a pipe that nothing writes to: `cat` ends when this process does
    const watcher = spawn('sh', ['-c', 'cat; kill -s INT -- "-$1"', 'sh', String(group)], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
    watcher.on('error', () => {});
    return () => {
      this.#groups.delete(group);
      if (watcher.pid) process.kill(-watcher.pid, 'SIGKILL');
    };
  }
}
