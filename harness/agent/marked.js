/**
 * Processes are known by a mark in their environment, which every descendant inherits however it is forked:
 * a process group is left by any child that calls setsid, a parent's pid is lost when the parent dies.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { RUN_MARK } from '../common/words.js';

/** The variable that tells whose process it is: server, client, capture or build. */
export const SIDE_MARK = 'WSCALE_SIDE';

/** @param {number} pid @returns {string[]} `NAME=value` each; [] when it is gone or not ours to read */
function readEnvironment(pid) {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0');
  } catch {
    return [];
  }
}

/**
 * @param {string} runId
 * @returns {{pid: number, side: string}[]} every live process of the run
 */
export function findMarked(runId) {
  const found = [];
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    const environment = readEnvironment(pid);
    if (!environment.includes(`${RUN_MARK}=${runId}`)) continue;
    const side = environment.find((entry) => entry.startsWith(`${SIDE_MARK}=`));
    found.push({ pid, side: side ? side.slice(SIDE_MARK.length + 1) : '' });
  }
  return found;
}

/**
 * Kill every process of the run, again and again until two looks in a row find none: a process may be forking.
 * @param {string} runId
 * @param {(entry: {pid: number, side: string}) => boolean} [which] all of them when absent
 * @returns {Promise<number>} how many were found alive
 */
export async function killMarked(runId, which = () => true) {
  const killed = new Set();
  for (let quiet = 0, look = 0; quiet < 2 && look < 200; look++) {
    const found = findMarked(runId).filter(which);
    quiet = found.length === 0 ? quiet + 1 : 0;
    for (const { pid } of found) {
      killed.add(pid);
      kill(pid, 'SIGKILL');
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return killed.size;
}

/** Signal a process (a group when negative) that may be gone already. @param {number} pid @param {NodeJS.Signals} signal */
export function kill(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'ESRCH') throw error;
  }
}
