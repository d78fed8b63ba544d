/** What becomes of a trial: its folder in the bundle, and its status there. */
import { existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { trialFolder } from '../common/bundle.js';
import { TrialError } from '../common/failure.js';
import { writeAtomically } from '../common/files.js';

/**
 * Write what became of a trial. A full disk has no room for another file, but for a longer word in one that is there.
 * @param {string} path @param {string} result @returns {string} the result, which is not "done" when it could not be written
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

/** @param {unknown} error @returns {string} one line; a fault of the suite's own with its place */
export function describe(error) {
  const { message, stack = '', syscall } = /** @type {NodeJS.ErrnoException} */ (error);
  if (error instanceof TrialError || syscall) return message.replaceAll(/\s+/g, ' ');
  return `${message} (${stack.split('\n')[1]?.trim() ?? 'no stack'})`.replaceAll(/\s+/g, ' ');
}

/** What an attempt left behind is kept beside the new one. @param {string} bundle @param {string} trial */
export function makeTrialFolder(bundle, trial) {
  const folder = trialFolder(bundle, trial);
  if (existsSync(folder)) {
    const attempts = readdirSync(join(bundle, 'trials')).filter((name) => name.startsWith(`${trial}.attempt-`)).length;
    renameSync(folder, `${folder}.attempt-${attempts + 1}`);
  }
  mkdirSync(join(folder, 'raw', 'client'), { recursive: true });
}
