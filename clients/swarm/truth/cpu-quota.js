/**
 * A share of a core for what is started in it: a control group (cgroups(7)) of its own, in the layout of either version.
 *
 * A group can't be removed before its processes are gone, so that a check that is killed leaves it, empty: the next one removes it.
 */
import { existsSync, mkdirSync, readdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sleep } from '../../../harness/clock.js';

/** @typedef {NonNullable<import('../../../harness/machine.js').Readings['cpu_cgroup']>} CpuCgroup */

const PERIOD_US = 100_000;
const NAME = /^wscale-check-truth-(\d+)$/;
/** Attempts, 10 ms apart: a process leaves its group a moment after its end is told. */
const REMOVE_ATTEMPTS = 100;

/** There can be no quota here, for the reason that its message tells. */
export class NoQuota extends Error {}

export class CpuQuota {
  /**
   * @param {CpuCgroup | undefined} parent where groups are made
   * @param {number} cores
   * @throws {NoQuota}
   */
  constructor(parent, cores) {
    if (!parent) throw new NoQuota('this kernel has no cpu controller');
    if (!parent.writable) throw new NoQuota(`no privilege to make a group in ${parent.path}`);
    removeStale(parent.path);
    this.path = join(parent.path, `wscale-check-truth-${process.pid}`);
    try {
      mkdirSync(this.path);
      this.#limit(parent.version, Math.round(cores * PERIOD_US));
    } catch (error) {
      removeEmpty(this.path);
      throw new NoQuota(`${this.path} took no quota: ${/** @type {Error} */ (error).message}`);
    }
  }

  /** @param {1 | 2} version @param {number} quotaUs */
  #limit(version, quotaUs) {
    /** @param {string} name @param {string} value */
    const set = (name, value) => writeFileSync(join(this.path, name), value, { flag: 'r+' }); // not made when it is absent
    if (version === 2) return set('cpu.max', `${quotaUs} ${PERIOD_US}`);
    set('cpu.cfs_period_us', String(PERIOD_US));
    set('cpu.cfs_quota_us', String(quotaUs));
  }

  /** @param {string[]} argv @returns {string[]} the same, run in the group from its first instruction on */
  confine(argv) {
    return ['sh', '-c', 'echo $$ > "$0" && exec "$@"', join(this.path, 'cgroup.procs'), ...argv];
  }

  /** Remove the group, once its processes are gone. @returns {Promise<boolean>} whether it is gone */
  async remove() {
    for (let attempt = 0; attempt < REMOVE_ATTEMPTS && !removeEmpty(this.path); attempt++) await sleep(10);
    return !existsSync(this.path);
  }
}

/** Remove the groups of checks that were killed. @param {string} folder */
function removeStale(folder) {
  for (const name of readdirSync(folder)) {
    const owner = NAME.exec(name)?.[1];
    if (owner && !existsSync(`/proc/${owner}`)) removeEmpty(join(folder, name));
  }
}

/** @param {string} path of a group @returns {boolean} false when processes are in it */
function removeEmpty(path) {
  try {
    rmdirSync(path);
    return true;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT';
  }
}
