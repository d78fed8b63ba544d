/**
 * Identifies the processes of a run. Each started process gets two marks, inherited by every descendant however it is forked: a variable of
 * the environment, and an ineffective limit (RLIMIT_RTTIME of getrlimit(2), which bounds only real-time processes: decades here). The
 * variable is lost by `env -i`, sudo, su, or a process that overwrites it with its title. The limit survives all these, needs no privilege,
 * and is readable for other users' processes. A process that lost both is known by its parent or session leader while that runs.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { isAlive, readProc, readStat } from '../common/stat.js';
import { sleep } from '../common/timers.js';
import { RUN_MARK } from '../common/shared-names.js';

/** The variable that names the process's side. */
export const SIDE_MARK = 'WSCALE_SIDE';

const SIDES = ['', 'server', 'client', 'capture', 'build']; // sides of processes, each with its own limit

/** The smallest limit: 143 years in µs. 48 bits of the run's hash and 3 of the side are added, which a double still represents. */
const LIMIT_US_MIN = 2 ** 52;

/** @param {string} runId @param {string} side @returns {number} limit in µs that marks such processes */
function limitOf(runId, side) {
  const hash = createHash('sha256').update(runId).digest().readUIntBE(0, 6);
  return LIMIT_US_MIN + hash * 8 + Math.max(0, SIDES.indexOf(side));
}

/** @param {string} runId @param {string} side @returns {string[]} put before an argv to set the limit */
export function limitTo(runId, side) {
  const limit_us = limitOf(runId, side);
  return ['prlimit', `--rttime=${limit_us}:${limit_us}`];
}

/** @param {string} runId @returns {boolean} whether the limit can be set here. Under a marked process only root may raise it */
export const canLimit = (runId) => spawnSync(limitTo(runId, '')[0], [...limitTo(runId, '').slice(1), 'true']).status === 0;

const KERNEL_THREAD = 0x00200000; // flag of kernel threads: PF_KTHREAD (include/linux/sched.h)

/** @returns {import('../common/stat.js').Stat[]} live processes of this machine */
const listAlive = () => readdirSync('/proc').filter((name) => /^\d+$/.test(name)).flatMap((name) => {
  const stat = readStat(Number(name));
  return stat && isAlive(stat) && !(stat.flags & KERNEL_THREAD) ? [stat] : [];
});

/** @param {string} runId @param {number} pid @returns {string | undefined} its side; undefined without a mark of the run */
function readSide(runId, pid) {
  const limit_us = Number(/^Max realtime timeout +\S+ +(\d+)/m.exec(readProc(`${pid}/limits`))?.[1]);
  const byLimit = limit_us - limitOf(runId, '');
  if (byLimit >= 0 && byLimit < SIDES.length) return SIDES[byLimit];
  const environment = readProc(`${pid}/environ`).split('\0');
  if (!environment.includes(`${RUN_MARK}=${runId}`)) return undefined;
  return environment.find((entry) => entry.startsWith(`${SIDE_MARK}=`))?.slice(SIDE_MARK.length + 1) ?? '';
}

/** @param {string} runId @returns {{pid: number, side: string}[]} every live process of the run */
export function findMarked(runId) {
  const alive = listAlive().filter(({ pid }) => pid !== process.pid);
  const sides = new Map(alive.flatMap(({ pid }) => {
    const side = readSide(runId, pid);
    return side === undefined ? [] : [[pid, side]];
  }));
  for (let before = -1; before < sides.size;) {
    before = sides.size;
    for (const { pid, parent, session } of alive) {
      const side = sides.get(pid) ?? sides.get(parent) ?? sides.get(session);
      if (side !== undefined) sides.set(pid, side);
    }
  }
  return [...sides].map(([pid, side]) => ({ pid, side }));
}

/** Processes stuck on a device, or of another user, can't be killed. After this many looks the run ends without waiting for them. */
const LOOKS_MAX = 200;

/**
 * Kill every process of the run until two successive looks find none: a process may be forking.
 * @param {string} runId @param {(entry: {pid: number, side: string}) => boolean} [which] all by default
 * @returns {Promise<number>} how many were found alive
 */
export async function killMarked(runId, which = () => true) {
  const killed = new Set();
  for (let quiet = 0, look = 0; quiet < 2 && look < LOOKS_MAX; look++) {
    const found = findMarked(runId).filter(which);
    quiet = found.length === 0 ? quiet + 1 : 0;
    for (const { pid } of found) {
      killed.add(pid);
      kill(pid, 'SIGKILL', ['ESRCH', 'EPERM']);
    }
    await sleep(10);
  }
  return killed.size;
}

/** @param {number} pid may be gone; negative for a group @param {NodeJS.Signals} signal @param {string[]} [passed] ignored error codes */
export function kill(pid, signal, passed = ['ESRCH']) {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!passed.includes(/** @type {NodeJS.ErrnoException} */ (error).code ?? '')) throw error;
  }
}
