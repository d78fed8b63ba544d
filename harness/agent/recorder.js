/** What records the packets of a trial, and what it must not leave out. */
import { statSync } from 'node:fs';
import { sleep } from '../common/timers.js';

/** The kernel hands packets over in blocks, each when it is full or a second old: a file that has not grown for so long has them all. */
const STILL_MS = 1200;
const STEP_MS = 100;
const STILL_WITHIN_MS = 20_000; // one that grows for longer than this is ended all the same: what is missing is counted

/** @param {string} text @param {RegExp} pattern with a number @returns {number} NaN where it is not there */
const countIn = (text, pattern) => Number(pattern.exec(text)?.[1]);

/**
 * tcpdump wants to become another user, which root of a user namespace may not (`-Z root` neither): there dumpcap does, of the package
 * tshark. `listens`: on standard error, when it does; `countLost`: how many packets are not in its file, by what it said in the end,
 * dropped by the kernel or not read; NaN where it did not say.
 * @typedef {{name: string, argv: (device: string, file: string, filter: string) => string[], listens: RegExp,
 *   countLost: (said: string) => number}} Recorder
 * @type {Record<'root' | 'other', Recorder>}
 */
export const RECORDERS = {
  root: {
    name: 'tcpdump', argv: (device, file, filter) => ['tcpdump', '-i', device, '-U', '-Z', 'root', '-B', '65536', '-w', file, filter],
    listens: /listening on/,
    countLost: (said) => Math.max(
      countIn(said, /^(\d+) packets? received by filter/m) - countIn(said, /^(\d+) packets? captured/m),
      countIn(said, /^(\d+) packets? dropped by kernel/m),
    ),
  },
  other: {
    name: 'dumpcap', argv: (device, file, filter) => ['dumpcap', '-P', '-i', device, '-B', '64', '-w', file, '-f', filter],
    listens: /^File: /m, countLost: (said) => countIn(said, /^Packets received\/dropped on interface .+: \d+\/(\d+) \(/m),
  },
};

/** @param {string} file that a recorder writes */
export async function waitUntilStill(file) {
  const read = () => statSync(file, { throwIfNoEntry: false })?.size;
  let still_ms = 0;
  for (let [size, waited_ms] = [read(), 0]; still_ms < STILL_MS && waited_ms < STILL_WITHIN_MS; waited_ms += STEP_MS) {
    await sleep(STEP_MS);
    still_ms = read() === size ? still_ms + STEP_MS : 0;
    size = read();
  }
}
