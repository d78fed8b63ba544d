/** Errors that a user can fix. Any other error is a fault of the suite. */

/** Characters that control a terminal or the reading order: all of C0 and C1 but tab and line feed, and those of Unicode. */
// eslint-disable-next-line no-control-regex
const STEERING = /[\0-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;
const MESSAGE_MAX = 5000;

/**
 * Text from programs, hosts and files may contain anything, at any length. Every error message passes through here.
 * @param {string} text @param {number} [most] characters @returns {string} with nothing that controls a terminal
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

/** The exit code of a command whose needs could not be installed. */
export const NOT_INSTALLED = 69;
/** The exit code of an installation for which this release lacks a package (runtimes/apt-install.sh). */
export const ABSENT = 72;

/** What a command needs could not be installed. */
export class InstallError extends UserError {}

/** The next step if a command ends early: repeat it, until there is a run to resume (run.js). */
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

/** The exit code of what was interrupted, also of a shell. It has said why. */
export const INTERRUPTED = 130;

/** The run was asked to stop (Ctrl-C, SIGTERM, SIGHUP). */
export class Interrupted extends Error {
  /** @param {string} signal */
  constructor(signal) {
    super(`interrupted by ${signal}`);
  }
}
