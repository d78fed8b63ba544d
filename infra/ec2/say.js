/** The next step after a failure: the hosts are taken down, so there is nothing left to inspect. */
export const TO_LOOK = 'to look at what is there give it again with KEEP=1';

/** Progress: on a terminal one line that changes, otherwise one line per change. */
export class Progress {
  #last = '';
  #began = performance.now();

  /** @param {string} line */
  tell = (line) => {
    if (line === this.#last) return;
    const seconds = Math.round((performance.now() - this.#began) / 1000);
    if (process.stdout.isTTY) process.stdout.write(`\r\x1b[K${line} (${seconds} s)`);
    else console.log(`${line} (${seconds} s)`);
    this.#last = line;
  };

  /** Keeps the last line. */
  end() {
    if (process.stdout.isTTY && this.#last) process.stdout.write('\n');
    this.#last = '';
  }
}
