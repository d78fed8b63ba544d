/** The programs that record a trial's packets, and how to count the packets they lost. */
import { statSync } from 'node:fs';
import { sleep } from '../common/timers.js';

/** The kernel hands over a block of packets when it is full or one second old. A file that stops growing for this long is complete. */
const STILL_MS = 1200;
const STEP_MS = 100;
const STILL_WITHIN_MS = 20_000; // a file still growing is closed after this; missing packets are counted

/** @param {string} text @param {RegExp} pattern with a number @returns {number} NaN if absent */
const countIn = (text, pattern) => Number(pattern.exec(text)?.[1]);

/**
 * tcpdump switches to another user, which root of a user namespace may not do (not even `-Z root`). There, dumpcap of package tshark works.
 * `listens` matches its standard error once it listens. `countLost` counts the packets missing in its file by its final words: dropped by
 * the kernel or never read; NaN if it did not say.
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

/** @param {string} file being written by a recorder */
export async function waitUntilStill(file) {
  const read = () => statSync(file, { throwIfNoEntry: false })?.size;
  let still_ms = 0;
  for (let [size, waited_ms] = [read(), 0]; still_ms < STILL_MS && waited_ms < STILL_WITHIN_MS; waited_ms += STEP_MS) {
    await sleep(STEP_MS);
    still_ms = read() === size ? still_ms + STEP_MS : 0;
    size = read();
  }
}
