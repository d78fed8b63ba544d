/** What a program says of itself, such as its version. */
import { execFileSync } from 'node:child_process';
import { ROOT } from './places.js';

/** Time for a program to tell its version: one that does not know the question may begin to serve. */
const TELLS_WITHIN_MS = 10_000;

/**
 * @param {string[]} argv
 * @param {{cwd?: string, env?: NodeJS.ProcessEnv}} [where]
 * @returns {string} its first line; "absent" when it can't be run
 */
export function firstLine([command, ...rest], { cwd = ROOT, env } = {}) {
  try {
    const output = execFileSync(command, rest, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], cwd, env, timeout: TELLS_WITHIN_MS });
    return output.split('\n')[0].trim();
  } catch {
    return 'absent';
  }
}
