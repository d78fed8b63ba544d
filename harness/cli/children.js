/** Programs of the suite that a command hands over to, in the foreground: their words are its words, their exit code its own. */
import { spawn, spawnSync } from 'node:child_process';
import { constants } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../common/places.js';

const SIGNALS = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);

/**
 * @param {string[]} argv from the root of the suite on @param {{cwd?: string, env?: Record<string, string>}} [how]
 * @returns {Promise<number>} its exit code; of a signal 128 and its number, as a shell has it
 */
export function start(argv, { cwd = ROOT, env = {} } = {}) {
  const child = spawn('setpriv', ['--pdeathsig', 'TERM', '--', ...argv], { cwd, stdio: 'inherit', env: { ...process.env, ...env } });
  // A terminal sends Ctrl-C to the child as well, which would take a second one as "at once"; whoever kills this alone means both
  const pass = (/** @type {NodeJS.Signals} */ signal) => void (signal === 'SIGINT' && process.stdin.isTTY ? 0 : child.kill(signal));
  for (const signal of SIGNALS) process.on(signal, pass);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      for (const each of SIGNALS) process.off(each, pass);
      resolve(code ?? 128 + constants.signals[/** @type {NodeJS.Signals} */ (signal)]);
    });
  });
}

/** What installs, before there is anything to stop: what it prints is no result. @param {string[]} argv @returns {number} its exit code */
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
