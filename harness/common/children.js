/** Starts programs of the suite in the foreground, for a command that takes over their output and exit code. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { join } from 'node:path';
import { ROOT } from './places.js';

const SIGNALS = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);

/**
 * @param {string[]} argv relative to the suite's root @param {{cwd?: string, env?: Record<string, string>}} [how]
 * @returns {Promise<number>} its exit code; after a signal 128 plus its number, as in a shell
 */
export async function start(argv, { cwd = ROOT, env = {} } = {}) {
  const child = spawn('setpriv', ['--pdeathsig', 'TERM', '--', ...argv], { cwd, stdio: 'inherit', env: { ...process.env, ...env } });
  // A terminal sends Ctrl-C to the child as well, and a second one would mean "at once". Any other signal is passed on.
  const pass = (/** @type {NodeJS.Signals} */ signal) => {
    if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
  };
  for (const signal of SIGNALS) process.on(signal, pass);
  const [code, killedBy] = await once(child, 'exit');
  for (const signal of SIGNALS) process.off(signal, pass);
  return code ?? 128 + constants.signals[/** @type {NodeJS.Signals} */ (killedBy)];
}

/** Run an installer, before there is anything to stop. It prints to stderr. @param {string[]} argv @returns {number} its exit code */
export function startNow([program, ...argv]) {
  const { status, error } = spawnSync(join(ROOT, program), argv, { cwd: ROOT, stdio: ['inherit', 2, 'inherit'] });
  if (error) throw error;
  return status ?? 130; // a signal: Ctrl-C
}

/** One after the other, until one fails. @param {(() => Promise<number>)[]} steps @returns {Promise<number>} */
export async function startEach(steps) {
  for (const step of steps) {
    const code = await step();
    if (code) return code;
  }
  return 0;
}
