/** One client that waits for updates: what it has seen, and whether each update is the next one. */
import { setTimeout as sleep } from 'node:timers/promises';
import failures from '../common/failures.cjs';
import { monotonic_us } from '../common/start.js';

/** servers/CONTRACT.md, `updates`: a number of eight letters and a time of twelve, in base 36. */
export const UPDATE_B = 20;
const NUMBER_B = 8;

/** @param {number} time_us CLOCK_MONOTONIC: never before it, as a timer may be by up to a millisecond */
export async function sleepUntil(time_us) {
  for (let ahead_us = time_us - monotonic_us(); ahead_us > 0; ahead_us = time_us - monotonic_us()) await sleep(Math.ceil(ahead_us / 1000));
}

/** What a transport tells of its one connection. */
export class Follower {
  /** @type {number | undefined} the number that must come next; any may be the first */
  #next;
  #isOpen = false;
  #isOver = false;
  #called_us = 0;

  /** @param {import('./tally.js').Tally} tally @param {{add: (text: string) => void}} errors */
  constructor(tally, errors) {
    this.tally = tally;
    this.errors = errors;
  }

  /** @returns {boolean} has it ended, or been lost? */
  get isOver() {
    return this.#isOver;
  }

  /** @returns {number} the number of the last update seen, 0 before the first */
  get last() {
    return (this.#next ?? 1) - 1;
  }

  call() {
    this.#called_us = monotonic_us();
  }

  open() {
    if (this.#isOpen || this.#isOver) return;
    this.#isOpen = true;
    this.tally.open(this.#called_us, monotonic_us());
  }

  /** What was there before it came: not an update to it. @param {string} text the latest one, or none */
  begin(text) {
    this.#next = text === '' ? 1 : parseInt(text.slice(0, NUMBER_B), 36) + 1;
  }

  /** @param {string} text one update after the other */
  take(text) {
    const arrived_us = monotonic_us();
    for (let at = 0; at < text.length; at += UPDATE_B) this.#takeOne(text.slice(at, at + UPDATE_B), arrived_us);
  }

  /** @param {string} update @param {number} arrived_us */
  #takeOne(update, arrived_us) {
    const number = parseInt(update.slice(0, NUMBER_B), 36);
    const isRight = /^[0-9a-z]{20}$/.test(update) && number === (this.#next ?? number);
    if (!(number < Number(this.#next))) this.#next = number + 1; // what was lost is lost once
    if (isRight) this.tally.receive(number, parseInt(update.slice(NUMBER_B), 36), arrived_us, UPDATE_B);
    else this.tally.refuse(arrived_us);
  }

  /** @param {unknown} error that ended its connection, unless it had ended */
  lose(error) {
    if (this.#isOver) return;
    this.#isOver = true;
    const description = failures.describe(error);
    this.errors.add(description);
    this.tally.lose(this.#isOpen, failures.isLocal(description), monotonic_us());
  }

  /** From now on nothing that happens to its connection counts. */
  end() {
    this.#isOver = true;
  }
}
