/** A trial's folder in the bundle, and its status file. */
import { existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { trialFolder } from '../common/bundle.js';
import { TrialError, UserError, printable } from '../common/failure.js';
import { writeAtomically } from '../common/files.js';

/**
 * Write the result of a trial. A full disk has no room for a new file, but the existing one can be overwritten.
 * @param {string} path @param {string} result @returns {string} the result; a failure instead of "done" if it could not be written
 */
export function conclude(path, result) {
  try {
    writeAtomically(path, `${result}\n`);
    return result;
  } catch (error) {
    const failed = result === 'done' ? `failed: ${describe(error)}` : result;
    if (existsSync(path)) writeFileSync(path, `${failed}\n`, { flag: 'r+' });
    return failed;
  }
}

/** @param {unknown} error @returns {string} one line; with its location if the suite itself is at fault */
export function describe(error) {
  const { message, stack = '', syscall } = /** @type {NodeJS.ErrnoException} */ (error);
  const isOurs = !(error instanceof TrialError || error instanceof UserError || syscall);
  const place = isOurs ? ` (${stack.split('\n')[1]?.trim() ?? 'no stack'})` : '';
  return printable(`${message}${place}`.replaceAll(/\s+/g, ' '));
}

/** Make the trial's folder. An earlier attempt's folder is renamed and kept. @param {string} bundle @param {string} trial */
export function makeTrialFolder(bundle, trial) {
  const folder = trialFolder(bundle, trial);
  if (existsSync(folder)) {
    const attempts = readdirSync(join(bundle, 'trials')).filter((name) => name.startsWith(`${trial}.attempt-`)).length;
    renameSync(folder, `${folder}.attempt-${attempts + 1}`);
  }
  mkdirSync(join(folder, 'raw', 'client'), { recursive: true });
}
