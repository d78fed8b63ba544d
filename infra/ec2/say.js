/** The next step after a failure that takes the hosts down, and with them what could be looked at. */
export const TO_LOOK = 'to look at what is there give it again with KEEP=1';

/** Progress: one line that changes on a terminal, a line for each change elsewhere. */
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

  /** Let the last line stand. */
  end() {
    if (process.stdout.isTTY && this.#last) process.stdout.write('\n');
    this.#last = '';
  }
}
