/** What a person can put right. Everything else that is thrown is a fault of the suite's own. */

/** One or more problems, each a line `<where>: <what, with the value>; <next step>`. */
export class UserError extends Error {
  /** @param {string | string[]} problems */
  constructor(problems) {
    const list = [problems].flat();
    super(list.join('\n'));
    this.problems = list;
  }
}

/** What a person does next where a command ends early: the same again, until there is a run that can be gone on with (run.js). */
export const whatNext = { next: 'give the same command again' };

/** A trial that could not be carried out; the plan goes on without it. */
export class TrialError extends Error {}

/** The run was asked to stop (Ctrl-C, SIGTERM, SIGHUP). */
export class Interrupted extends Error {
  /** @param {string} signal */
  constructor(signal) {
    super(`interrupted by ${signal}`);
    this.signal = signal;
  }
}
