/** What holds for any browser of Debian's: where it is, how it is started, which processes are its own, and how all of them end. */
import { existsSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from './failure.js';

/** The operating system refused (servers/CONTRACT.md, Exit codes). */
export const EXIT_SYSTEM = 71;
/** Of a Chromium: it draws in software, has no sandbox to set up as root, and speaks to no one but the page's own server. */
export const FLAGS = [
  '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update',
  '--disable-sync',
];
/** Time for what was killed to be gone. */
const GONE_WITHIN_MS = 3000;

/**
 * @param {string} client who asks for it @param {string} program @param {string} wanted its package, as runtimes/apt-install.sh takes it
 * @returns {string} its path @throws {Failure} 71
 */
export function findProgram(client, program, wanted) {
  const path = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, program)).find((file) => existsSync(file));
  if (path) return path;
  throw new Failure(EXIT_SYSTEM, [`${client}: there is no ${program} in PATH (${process.env.PATH}); install it: runtimes/apt-install.sh ${wanted}`]);
}

/** End every process below this one, and remove the folder that they wrote to. @param {string} folder */
export async function endDescendants(folder) {
  const pids = listDescendants(process.pid);
  pids.forEach(killProcess);
  for (let waited_ms = 0; waited_ms < GONE_WITHIN_MS && pids.some(isAlive); waited_ms += 10) await sleep(10);
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
}

/** @param {number} pid */
function killProcess(pid) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // it was gone already
  }
}

/** @param {number} pid @returns {string[]} its state and its parent, from proc(5); [] when it is gone */
function readStat(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' '); // the name may hold spaces
  } catch {
    return [];
  }
}

/** @param {number} pid @returns {boolean} a zombie is not: it waits for its parent to take notice */
function isAlive(pid) {
  return !['Z', 'X', undefined].includes(readStat(pid)[0]);
}

/** @param {number} pid @returns {number[]} its children and all theirs, sorted */
export function listDescendants(pid) {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map(Number);
  const parents = pids.map((each) => [each, Number(readStat(each)[1])]);
  /** @param {number} of @returns {number[]} */
  const below = (of) => parents.filter(([, parent]) => parent === of).flatMap(([child]) => [child, ...below(child)]);
  return below(pid).sort((a, b) => a - b);
}
