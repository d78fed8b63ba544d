/** Checks that each host answers, with the key from its console. */
import { spawn } from 'node:child_process';
import { UserError } from '../../harness/common/failure.js';
import { sleep } from '../../harness/common/timers.js';
import { TO_LOOK } from './say.js';

const WITHIN_S = 180;
const LOOK_MS = 2000;

/** @param {string} config for `ssh -F` @param {string} name @param {AbortSignal} [signal] @returns {Promise<string | undefined>} error */
async function tryHost(config, name, signal) {
  const child = spawn('ssh', ['-F', config, name, 'true'], { stdio: ['ignore', 'ignore', 'pipe'], signal });
  let said = '';
  child.stderr.on('data', (data) => { said += data; });
  const code = await new Promise((resolve, reject) => child.on('error', reject).on('close', resolve));
  if (code === 0) return undefined;
  return said.trim().split('\n').pop() || `ssh ended with ${code}`;
}

/**
 * @param {string} config for `ssh -F` @param {string[]} names of its hosts
 * @param {(line: string) => void} tell @param {AbortSignal} [signal]
 * @throws {UserError} at once if a key differs, after some minutes if a host does not answer
 */
export async function reachHosts(config, names, tell, signal) {
  for (const began = performance.now(); ;) {
    const tried = await Promise.all(names.map(async (name) => ({ name, why: await tryHost(config, name, signal) })));
    const lacking = tried.filter(({ why }) => why);
    tell(`ssh: ${names.length - lacking.length} of ${names.length} hosts answer`);
    if (lacking.length === 0) return;
    const [{ name, why }] = lacking;
    const other = lacking.find((each) => /verification failed/i.test(String(each.why)));
    if (other) throw new UserError(`ssh: ${other.name} shows another key than its console did, so it may be another machine; nothing was sent to it`);
    if (performance.now() - began > WITHIN_S * 1000) throw new UserError(`ssh: ${name} does not answer within ${WITHIN_S} s: ${why}; are the caller and the login right? ${TO_LOOK}`);
    await sleep(LOOK_MS, signal);
  }
}
