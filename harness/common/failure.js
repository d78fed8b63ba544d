/** What a person can put right. Everything else that is thrown is a fault of the suite's own. */

/** Characters that steer a terminal, or turn the order of what is read: all of C0 and C1 but tab and line feed, and those of Unicode. */
// eslint-disable-next-line no-control-regex
const STEERING = /[\0-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;
const MESSAGE_MAX = 5000;

/**
 * What a program, a host or a file said may hold anything, and be of any length. What is told of it passes here: each error does.
 * @param {string} text @param {number} [most] characters @returns {string} in which nothing steers a terminal
 */
export function printable(text, most = MESSAGE_MAX) {
  const shown = text.length > most ? `${text.slice(0, most)}... (${text.length} characters)` : text;
  return shown.replaceAll(STEERING, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** One or more problems, each a line `<where>: <what, with the value>; <next step>`. */
export class UserError extends Error {
  /** @param {string | string[]} problems */
  constructor(problems) {
    const list = [problems].flat().map((problem) => printable(problem));
    super(list.join('\n'));
    this.problems = list;
  }
}

/** What a person does next where a command ends early: the same again, until there is a run that can be gone on with (run.js). */
export const whatNext = { next: 'give the same command again' };

/** A trial that could not be carried out; the plan goes on without it. */
export class TrialError extends Error {
  /** @param {string} message */
  constructor(message) {
    super(printable(message));
  }
}

/** A server that was never ready. */
export class StartError extends TrialError {}

/** The run was asked to stop (Ctrl-C, SIGTERM, SIGHUP). */
export class Interrupted extends Error {
  /** @param {string} signal */
  constructor(signal) {
    super(`interrupted by ${signal}`);
    this.signal = signal;
  }
}
