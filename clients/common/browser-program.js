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

/**
 * Kill every process of the browser, then remove its folder. Its processes outlive its first one for a moment, and are then no descendants:
 * they are known by its process group, or by TMPDIR in their environment (Chromium's crash handler leaves the group; its renderers
 * overwrite their environment).
 * @param {string} folder what it wrote to, its TMPDIR @param {number[]} [groups] as of `listGroups` once it had started
 */
export async function endBrowser(folder, groups = []) {
  const variable = `TMPDIR=${folder}`;
  const listOwn = () => [...new Set([...listDescendants(process.pid), ...listPids().filter((pid) =>
    groups.includes(Number(readStat(pid)[2])) || read(`/proc/${pid}/environ`).split('\0').includes(variable))])]
    .filter((pid) => pid !== process.pid && isAlive(pid));
  let own = listOwn();
  for (let waited_ms = 0; own.length > 0 && waited_ms < GONE_WITHIN_MS; waited_ms += 10, own = listOwn()) {
    own.forEach(killProcess);
    await sleep(10);
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
}

/** @returns {number[]} process groups of all descendants except this process's own: a browser is started in a group of its own */
export function listGroups() {
  const [own, ...groups] = [process.pid, ...listDescendants(process.pid)].map((pid) => Number(readStat(pid)[2]));
  return groups.filter((group) => group > 0 && group !== own);
}

/** @param {number} pid */
function killProcess(pid) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // it had already exited
  }
}

/** @param {string} path @returns {string} '' when its process is gone or another user's */
function read(path) {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

/** @param {number} pid @returns {string[]} its state, parent and process group, from proc(5); [''] when it is gone */
function readStat(pid) {
  const stat = read(`/proc/${pid}/stat`);
  return stat.slice(stat.lastIndexOf(')') + 2).split(' '); // the name may hold spaces
}

const listPids = () => readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map(Number);

/** @param {number} pid @returns {boolean} false for a zombie: it only waits for its parent to reap it */
function isAlive(pid) {
  return !['Z', 'X', ''].includes(readStat(pid)[0]);
}

/** @param {number} pid @returns {number[]} all its descendants, sorted */
export function listDescendants(pid) {
  const parents = listPids().map((each) => [each, Number(readStat(each)[1])]);
  /** @param {number} of @returns {number[]} */
  const below = (of) => parents.filter(([, parent]) => parent === of).flatMap(([child]) => [child, ...below(child)]);
  return below(pid).sort((a, b) => a - b);
}
