/** Reads the standard output of started processes: `ready` lines with their pids, and other lines. */
import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { TrialError } from '../common/failure.js';
import { READY_WITHIN_S, parseReady } from '../common/ready.js';
import { sleep } from '../common/timers.js';
import { readBytes } from './read-bytes.js';

/** @typedef {import('./host.js').Started} Started */

const LINE_MAX = 128 * 1024; // characters of a line: more than a thousand processes need

/** Reads new lines of a process's standard output that begin with a given word. */
export class WordLines {
  /** @param {Started} started @param {string} word */
  constructor(started, word) {
    this.path = started.launch.stdout;
    this.prefix = `${word} `;
    this.offset = 0;
    this.rest = '';
  }

  /** @returns {string | undefined} text after the word, in the last line since the previous call */
  readLast() {
    const lines = (this.rest + this.#readNew()).split('\n');
    this.rest = (lines.pop() ?? '').slice(0, LINE_MAX); // the beginning is enough to see that a longer line does not match
    return lines.filter((line) => line.startsWith(this.prefix)).pop()?.slice(this.prefix.length);
  }

  #readNew() {
    if (!existsSync(this.path)) return '';
    const bytes = readBytes(this.path, 65536, this.offset);
    this.offset += bytes.length;
    return bytes.toString('latin1');
  }
}

/**
 * @param {Started} started @param {string} who for the message @param {AbortSignal} [signal]
 * @returns {Promise<import('../common/ready.js').Ready>} @throws {TrialError} if it ends first, or takes too long
 */
export async function waitUntilReady(started, who, signal) {
  const lines = new WordLines(started, 'ready');
  const line = await waitForLine(started, lines, READY_WITHIN_S, signal);
  if (line !== undefined) return parseReady(line);
  if (started.exit) throw new TrialError(`${who} was never ready; it ${started.describeEnd()}`);
  throw new TrialError(`${who} was not ready within ${READY_WITHIN_S} s; read ${basename(started.launch.stderr)} beside it`);
}

/**
 * @param {Started} started @param {WordLines} lines of its output @param {number} within_s @param {AbortSignal} [signal]
 * @returns {Promise<string | undefined>} the next line; undefined if the process ends first, or takes too long
 */
export async function waitForLine(started, lines, within_s, signal) {
  for (let waitedMs = 0; waitedMs < within_s * 1000; waitedMs += 10) {
    const { exit } = started; // checked before reading, so that its last output is not missed
    const line = lines.readLast();
    if (line !== undefined || exit) return line;
    await sleep(10, signal);
  }
  return undefined;
}
