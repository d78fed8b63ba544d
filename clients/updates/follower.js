/** One client that waits for updates. It checks that no update is missing. */
import { setTimeout as sleep } from 'node:timers/promises';
import failures from '../common/failures.cjs';
import { monotonic_us } from '../common/start.js';

/** servers/CONTRACT.md, `updates`: a number of 8 digits and a time of 12, both in base 36. */
export const UPDATE_B = 20;
const NUMBER_B = 8;

/** Never wakes too early, as a timer may by up to 1 ms. @param {number} time_us CLOCK_MONOTONIC */
export async function sleepUntil(time_us) {
  for (let ahead_us = time_us - monotonic_us(); ahead_us > 0; ahead_us = time_us - monotonic_us()) await sleep(Math.ceil(ahead_us / 1000));
}

/** Takes the events of one connection from its transport. */
export class Follower {
  /** @type {number | undefined} the number of the next update; undefined before the first, which may have any number */
  #next;
  #isOpen = false;
  #isOver = false;
  #called_us = 0;

  /** @param {import('./tally.js').Tally} tally @param {{add: (text: string) => void}} errors */
  constructor(tally, errors) {
    this.tally = tally;
    this.errors = errors;
  }

  /** @returns {boolean} whether it has ended or was lost */
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

  /** Starts after the latest existing update, which does not count. @param {string} text that update, or empty */
  begin(text) {
    this.#next = text === '' ? 1 : parseInt(text.slice(0, NUMBER_B), 36) + 1;
  }

  /** @param {string} text one or more updates, concatenated */
  take(text) {
    const arrived_us = monotonic_us();
    for (let at = 0; at < text.length; at += UPDATE_B) this.#takeOne(text.slice(at, at + UPDATE_B), arrived_us);
  }

  /** @param {string} update @param {number} arrived_us */
  #takeOne(update, arrived_us) {
    const number = parseInt(update.slice(0, NUMBER_B), 36);
    const isRight = /^[0-9a-z]{20}$/.test(update) && number === (this.#next ?? number);
    if (!(number < Number(this.#next))) this.#next = number + 1; // a gap counts once
    if (isRight) this.tally.receive(number, parseInt(update.slice(NUMBER_B), 36), arrived_us, UPDATE_B);
    else this.tally.refuse(arrived_us);
  }

  /** Counts the loss of the connection, unless it is over. @param {unknown} error its cause */
  lose(error) {
    if (this.#isOver) return;
    this.#isOver = true;
    const description = failures.describe(error);
    this.errors.add(description);
    this.tally.lose(this.#isOpen, failures.isLocal(description), monotonic_us());
  }

  /** @param {number} number of an update @returns {boolean} whether it is connected, and that update has yet to come */
  isBehind(number) {
    return this.#isOpen && !this.#isOver && this.last < number;
  }

  /** Ignores all later events of the connection. One that is still pending has failed. */
  end() {
    if (this.#called_us && !this.#isOpen) this.lose(new Error('not connected by the end'));
    this.#isOver = true;
  }
}
