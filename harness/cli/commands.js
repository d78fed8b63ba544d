/** The commands, in the order of `./wscale --help`. */
import choosing from './commands/choosing.js';
import experiments from './commands/experiments.js';
import machines from './commands/machines.js';
import results from './commands/results.js';
import suite from './commands/suite.js';

/** @typedef {import('./commands/command.js').Command} Command */

/** @type {Command[]} */
export const COMMANDS = [...choosing, ...experiments, ...results, ...machines, ...suite];
