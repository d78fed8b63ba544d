/** What a process that was started says on its standard output: that it is ready, and with which processes. */
import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { TrialError } from '../common/failure.js';
import { READY_WITHIN_S, parseReady } from '../common/ready.js';
import { sleep } from '../common/timers.js';
import { readBytes } from './read-bytes.js';

/** @typedef {import('./host.js').Started} Started */

const LINE_MAX = 128 * 1024; // characters of a line: those of a thousand processes are fewer

/** Reads the lines of a process's standard output that begin with a word, as they come. */
export class WordLines {
  /** @param {Started} started @param {string} word */
  constructor(started, word) {
    this.path = started.launch.stdout;
    this.prefix = `${word} `;
    this.offset = 0;
    this.rest = '';
  }

  /** @returns {string | undefined} of the last one that came since the last call, what follows the word */
  readLast() {
    const lines = (this.rest + this.#readNew()).split('\n');
    this.rest = (lines.pop() ?? '').slice(0, LINE_MAX); // of a longer one the beginning is enough to see that it is no word's
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
 * @returns {Promise<import('../common/ready.js').Ready>} @throws {TrialError} when it ends first, or takes too long
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
 * @returns {Promise<string | undefined>} the next one; undefined when the process ends first, or takes too long
 */
export async function waitForLine(started, lines, within_s, signal) {
  for (let waitedMs = 0; waitedMs < within_s * 1000; waitedMs += 10) {
    const { exit } = started; // before its output is read: what it said last is in it then
    const line = lines.readLast();
    if (line !== undefined || exit) return line;
    await sleep(10, signal);
  }
  return undefined;
}
