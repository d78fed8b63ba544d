/** The progress line that a load prints each second (CONTRACT.md, While it runs). */
import { monotonic_us } from '../common/start.js';

/** Delay after each whole second: by then the drivers have sent all their records of it (FLUSH_MS in driver.cjs). */
const AFTER_MS = 350;

/**
 * @param {Pick<import('../common/tally.js').Tally, 'start_us' | 'load_s' | 'progress'>} tally
 * @param {(line: string) => void} [print]
 * @returns {() => void} stops the lines
 */
export function tellSeconds(tally, print = (line) => process.stdout.write(line)) {
  /** @type {NodeJS.Timeout} */
  let timer;
  const arm = (/** @type {number} */ t_s) => {
    if (t_s > tally.load_s) return;
    const due_us = tally.start_us + t_s * 1e6 + AFTER_MS * 1000;
    timer = setTimeout(() => {
      print(`second ${JSON.stringify(tally.progress(t_s))}\n`);
      arm(Math.max(t_s + 1, Math.floor((monotonic_us() - tally.start_us) / 1e6))); // skip missed seconds
    }, (due_us - monotonic_us()) / 1000);
  };
  arm(0);
  return () => clearTimeout(timer);
}
