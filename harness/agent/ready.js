/** What a process that was started says on its standard output: that it is ready, and with which processes. */
import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { basename } from 'node:path';
import { TrialError } from '../common/failure.js';
import { READY_WITHIN_S, parseReady } from '../common/ready.js';
import { sleep } from '../common/timers.js';

/** @typedef {import('./host.js').Started} Started */
/** @typedef {import('../common/ready.js').Ready} Ready */

/** Characters of a line: those of a thousand processes are fewer. */
const LINE_MAX = 128 * 1024;

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
    const descriptor = openSync(this.path, 'r');
    const bytes = Buffer.alloc(65536);
    const count = readSync(descriptor, bytes, 0, bytes.length, this.offset);
    closeSync(descriptor);
    this.offset += count;
    return bytes.toString('latin1', 0, count);
  }
}

/** Reads the `ready` lines of a process's standard output as they come. */
export class ReadyLines {
  /** @param {Started} started */
  constructor(started) {
    this.lines = new WordLines(started, 'ready');
  }

  /** @returns {Ready | undefined} the last one that came since the last call */
  readLast() {
    const last = this.lines.readLast();
    return last === undefined ? undefined : parseReady(last);
  }
}

/**
 * @param {Started} started
 * @param {ReadyLines} lines
 * @param {string} who for the message
 * @param {AbortSignal} [signal]
 * @param {number} [withinS]
 * @returns {Promise<Ready>}
 * @throws {TrialError} when it ends first, or takes too long
 */
export function waitUntilReady(started, lines, who, signal, withinS = READY_WITHIN_S) {
  return waitForLine(started, lines, `${who} was`, 'ready', signal, withinS);
}

/**
 * @template T
 * @param {Started} started
 * @param {{readLast: () => T | undefined}} lines
 * @param {string} who for the message, with its verb
 * @param {string} what it is to be, or to do
 * @param {AbortSignal | undefined} signal
 * @param {number} withinS
 * @returns {Promise<T>}
 * @throws {TrialError} when it ends first, or takes too long
 */
export async function waitForLine(started, lines, who, what, signal, withinS) {
  for (let waitedMs = 0; waitedMs < withinS * 1000; waitedMs += 10) {
    const line = lines.readLast();
    if (line !== undefined) return line;
    if (started.exit) throw new TrialError(`${who} never ${what}; it ${started.describeEnd()}`);
    await sleep(10, signal);
  }
  throw new TrialError(`${who} not ${what} within ${withinS} s; read ${basename(started.launch.stderr)} beside it`);
}
