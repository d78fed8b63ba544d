/**
 * Limits some processes to a share of a core by a control group of their own (cgroups(7)), of either version.
 *
 * A group can't be removed while it has processes. Its name holds its maker's pid, so that the maker of the next group can remove empty
 * groups left by a killed process.
 */
import { existsSync, mkdirSync, readFileSync, readdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TrialError } from '../common/failure.js';
import { isAlive, readStat } from '../common/stat.js';
import { sleep } from '../common/timers.js';
import { isWritable } from './machine.js';

/** @typedef {{version: 1 | 2, path: string, writable: boolean}} CpuCgroup */

const ROOT = '/sys/fs/cgroup';

/** @returns {CpuCgroup | undefined} this process's group under the cpu controller, the parent for quotas */
export function readCpuCgroup() {
  const groups = readFileSync('/proc/self/cgroup', 'utf8').split('\n').map((line) => line.split(':'));
  const v1 = groups.find(([, controllers]) => controllers?.split(',').includes('cpu'));
  const path = v1 ? `${ROOT}/${v1[1]}` : ROOT;
  if (v1 && existsSync(path)) return { version: 1, path, writable: isWritable(path) };
  const controllers = join(ROOT, 'cgroup.controllers');
  if (!existsSync(controllers) || !/\bcpu\b/.test(readFileSync(controllers, 'utf8'))) return undefined;
  return { version: 2, path: ROOT, writable: isWritable(ROOT) };
}

const QUOTA_US_MIN = 1000; // the kernel's minimum for period and quota is 1 ms (Documentation/scheduler/sched-bwc.rst)
/**
 * Within a period a process runs until its quota is used up, then waits for the next period: a message can be delayed by that wait. The
 * shorter the period, the closer to a slow core. Below some milliseconds, the kernel's own bookkeeping starts to matter.
 */
const PERIOD_US_MIN = 10_000;
const NAME = /^wscale-(\d+)-\d+$/;
const REMOVE_ATTEMPTS = 100; // attempts, 10 ms apart: a process leaves its group shortly after its exit is reported

/** No quota is possible here; the message says why. */
export class NoQuota extends TrialError {}

/** @param {number} share of a core @returns {number} µs */
export const periodFor = (share) => Math.max(PERIOD_US_MIN, Math.ceil(QUOTA_US_MIN / share));

let made = 0;

export class CpuQuota {
  /** @param {number} cores @param {CpuCgroup | undefined} [parent] where groups are made @throws {NoQuota} */
  constructor(cores, parent = readCpuCgroup()) {
    if (!parent) throw new NoQuota('this kernel has no cpu controller');
    if (!parent.writable) throw new NoQuota(`no privilege to make a group in ${parent.path}`);
    removeQuotas(parent, (owner) => !isAlive(readStat(owner)));
    this.path = join(parent.path, `wscale-${process.pid}-${++made}`);
    try {
      mkdirSync(this.path);
      CpuQuota.limit(this.path, parent.version, cores);
    } catch (error) {
      removeEmpty(this.path);
      throw new NoQuota(`${this.path} took no quota: ${/** @type {Error} */ (error).message}`);
    }
  }

  /** @param {string} group @param {1 | 2} version @param {number} cores */
  static limit(group, version, cores) {
    const periodUs = periodFor(cores);
    const quotaUs = Math.round(cores * periodUs);
    /** @param {string} name @param {string} value */
    const set = (name, value) => writeFileSync(join(group, name), value, { flag: 'r+' }); // does not create a missing file
    if (version === 2) return set('cpu.max', `${quotaUs} ${periodUs}`);
    set('cpu.cfs_period_us', String(periodUs));
    set('cpu.cfs_quota_us', String(quotaUs));
  }

  /** @param {string[]} argv @returns {string[]} argv to run it in the group from its first instruction */
  confine(argv) {
    return ['sh', '-c', 'echo $$ > "$0" && exec "$@"', join(this.path, 'cgroup.procs'), ...argv];
  }

  /** Remove the group, once its processes are gone. @returns {Promise<boolean>} whether it is gone */
  async remove() {
    for (let attempt = 0; attempt < REMOVE_ATTEMPTS && !removeEmpty(this.path); attempt++) await sleep(10);
    return !existsSync(this.path);
  }
}

/** @param {number} cores @returns {Promise<string | undefined>} why no quota is possible here; creates one to find out, and removes it */
export async function tryQuota(cores) {
  try {
    await new CpuQuota(cores).remove();
    return undefined;
  } catch (error) {
    if (error instanceof NoQuota) return error.message;
    throw error;
  }
}

/** @param {Pick<CpuCgroup, 'path'>} parent @param {(pid: number) => boolean} isTheirs @returns {number} how many are still in use */
export function removeQuotas({ path }, isTheirs) {
  const names = readdirSync(path).filter((name) => NAME.test(name) && isTheirs(Number(NAME.exec(name)?.[1])));
  return names.filter((name) => !removeEmpty(join(path, name))).length;
}

/** @param {string} path of a group @returns {boolean} false if it has processes */
function removeEmpty(path) {
  try {
    rmdirSync(path);
    return true;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT';
  }
}
