/** The line that a load tells each second while it runs (CONTRACT.md, While it runs). */
import { monotonic_us } from '../common/start.js';

/** After each whole second: by then the drivers have sent what they have of it (FLUSH_MS of driver.cjs). */
const AFTER_MS = 350;

/**
 * @param {Pick<import('../common/tally.js').Tally, 'start_us' | 'load_s' | 'glance'>} tally
 * @param {(line: string) => void} [print]
 * @returns {() => void} to call at the end
 */
export function tellSeconds(tally, print = (line) => process.stdout.write(line)) {
  /** @type {NodeJS.Timeout} */
  let timer;
  const arm = (/** @type {number} */ t_s) => {
    if (t_s > tally.load_s) return;
    const due_us = tally.start_us + t_s * 1e6 + AFTER_MS * 1000;
    timer = setTimeout(() => {
      print(`second ${JSON.stringify(tally.glance(t_s))}\n`);
      arm(Math.max(t_s + 1, Math.floor((monotonic_us() - tally.start_us) / 1e6))); // what was missed is not made up for
    }, (due_us - monotonic_us()) / 1000);
  };
  arm(0);
  return () => clearTimeout(timer);
}
