/** Starts a keeper (harness/agent/keeper.js). It holds the other end of a pipe, and cleans up when this program ends, however it ends. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from './places.js';

export class KeeperClient {
  /** @param {string} runId the mark (RUN_MARK) of the processes to kill @param {string[]} folders to remove then */
  constructor(runId, folders) {
    this.argv = [join(ROOT, 'harness', 'agent', 'keeper.js'), runId, ...folders];
    this.ending = false;
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
    keeper.on('exit', () => {
      if (!this.ending) this.keeper = this.#start();
    });
    return keeper;
  }

  /** Have it kill and remove now, as it would after a crash. */
  async end() {
    this.ending = true;
    const gone = new Promise((resolve) => this.keeper.once('exit', resolve));
    this.keeper.stdin?.end();
    await gone;
  }
}
