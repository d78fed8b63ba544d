/** Ctrl-C, SIGTERM and SIGHUP end what is under way; taking hosts down is not interrupted by the same again. */
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
    if (this.signal.aborted) console.error('hosts are being taken down; kill -9 leaves them to end themselves, and make ec2-list finds them');
    this.#controller.abort(new Interrupted(name));
    for (const group of this.#groups) {
      try {
        process.kill(-group, name);
      } catch {
        // it has ended
      }
    }
  }

  /** @param {number} group @returns {() => void} to call when it has ended */
  passTo(group) {
    this.#groups.add(group);
    return () => this.#groups.delete(group);
  }
}
