/** Ctrl-C, SIGTERM and SIGHUP end what is under way; taking hosts down is not interrupted by the same again. */
import { spawn } from 'node:child_process';
import { Interrupted } from '../../harness/common/failure.js';

const NAMES = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);

export class Signals {
  #controller = new AbortController();
  /** @type {Set<number>} process groups that they are passed to */
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
        // it has ended
      }
    }
  }

  /**
   * Where this process is killed, so that it can pass nothing, the group gets a SIGINT all the same.
   * @param {number} group @returns {() => void} to call when it has ended
   */
  passTo(group) {
    this.#groups.add(group);
    // A shell of its own session reads what it is never written, and so to the end of this process
    const watcher = spawn('sh', ['-c', 'cat; kill -s INT -- "-$1"', 'sh', String(group)], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
    watcher.on('error', () => {});
    return () => {
      this.#groups.delete(group);
      if (watcher.pid) process.kill(-watcher.pid, 'SIGKILL');
    };
  }
}
