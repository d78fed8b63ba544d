/** Starts a keeper (harness/agent/keeper.js). It holds the other end of a pipe, and cleans up when this program ends, however it ends. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from './places.js';

/** A keeper that has run so long was killed, rather than unable to run. */
const SOUND_MS = 10_000;

export class KeeperClient {
  /** @param {string} runId the mark (RUN_MARK) of the processes to kill @param {string[]} folders to remove then */
  constructor(runId, folders) {
    this.argv = [join(ROOT, 'harness', 'agent', 'keeper.js'), runId, ...folders];
    this.ending = false;
    this.pause_ms = 0;
    this.keeper = this.#start();
  }

  /** Start the keeper, and another if it is killed. @returns {import('node:child_process').ChildProcess} */
  #start() {
    const keeper = spawn(process.execPath, this.argv, {
      detached: true, // out of the terminal's process group: Ctrl-C must not reach it
      stdio: ['pipe', 'ignore', 'ignore'],
      cwd: '/',
    });
    keeper.stdin?.on('error', () => {});
    const began = performance.now();
    let isOver = false;
    const restart = () => {
      if (isOver) return;
      isOver = true;
      // One that can't run is started again at ever longer intervals: it would take CPU from what is measured
      this.pause_ms = performance.now() - began > SOUND_MS ? 0 : Math.min(2 * this.pause_ms + 100, SOUND_MS);
      setTimeout(() => { if (!this.ending) this.keeper = this.#start(); }, this.pause_ms).unref();
    };
    keeper.once('exit', restart);
    keeper.once('error', restart); // there was no exit then
    return keeper;
  }

  /** Have it kill and remove now, as it would after a crash. */
  async end() {
    this.ending = true;
    const { pid, exitCode, signalCode } = this.keeper;
    if (pid === undefined || exitCode !== null || signalCode !== null) this.keeper = this.#start(); // the next was still to be started
    const { keeper } = this;
    const gone = new Promise((resolve) => keeper.once('exit', resolve).once('error', resolve));
    keeper.stdin?.end();
    await gone;
  }
}
