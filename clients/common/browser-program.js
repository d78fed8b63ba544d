/** Debian's browsers: find the program, its flags, list its processes, end them all. */
import { existsSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from './failure.js';

/** The operating system refused (servers/CONTRACT.md, Exit codes). */
export const EXIT_SYSTEM = 71;
/** For Chromium: render in software, need no sandbox (it cannot be set up as root), and talk to the page's own server only. */
export const FLAGS = [
  '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update',
  '--disable-sync',
];
/** How long to wait for killed processes to be gone. */
const GONE_WITHIN_MS = 3000;

/**
 * @param {string} client named in the error @param {string} program @param {string} wanted the argument of runtimes/apt-install.sh
 * @returns {string} its path @throws {Failure} 71
 */
export function findProgram(client, program, wanted) {
  const path = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, program)).find((file) => existsSync(file));
  if (path) return path;
  throw new Failure(EXIT_SYSTEM, [`${client}: there is no ${program} in PATH (${process.env.PATH}); install it: runtimes/apt-install.sh ${wanted}`]);
}

/** Kill every descendant of this process, then remove the folder they wrote to. @param {string} folder */
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
    // it had already exited
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

/** @param {number} pid @returns {boolean} false for a zombie: it only waits for its parent to reap it */
function isAlive(pid) {
  return !['Z', 'X', undefined].includes(readStat(pid)[0]);
}

/** @param {number} pid @returns {number[]} all its descendants, sorted */
export function listDescendants(pid) {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map(Number);
  const parents = pids.map((each) => [each, Number(readStat(each)[1])]);
  /** @param {number} of @returns {number[]} */
  const below = (of) => parents.filter(([, parent]) => parent === of).flatMap(([child]) => [child, ...below(child)]);
  return below(pid).sort((a, b) => a - b);
}
