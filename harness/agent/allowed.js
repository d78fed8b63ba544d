/**
 * How much of this machine the agent, and so a trial, may use: the cores of its affinity (taskset, a cpuset), and the CPU quota of its
 * control groups (sched(7), cgroups(7)). Throttling by a quota looks like a slow server and like late sends.
 */
import { readFileSync } from 'node:fs';
import { join, relative, dirname } from 'node:path';
import { readProc } from '../common/stat.js';

/** @param {string} list such as "0-2,7" @returns {number[]} */
export const parseCores = (list) => list.split(',').filter(Boolean).flatMap((part) => {
  const [from, to = from] = part.split('-').map(Number);
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
});

/** @returns {string} as the kernel lists them, such as "0-2,7" */
export const listAllowed = () => /^Cpus_allowed_list:\s+(\S+)/m.exec(readProc('self/status'))?.[1] ?? '0';

export const readAllowedCores = () => parseCores(listAllowed());

/**
 * @param {string} groups of /proc/self/cgroup @param {string} mounts of /proc/self/mountinfo
 * @param {string} [controller] for version 1; version 2 has one folder for all
 * @returns {string[]} folders: its own group, then its ancestors
 */
export function listGroups(groups, mounts, controller = 'cpu') {
  const own = groups.split('\n').map((line) => line.split(':'));
  return mounts.split('\n').flatMap((line) => {
    const [fields, options] = line.split(' - ').map((half) => half.split(' '));
    if (options === undefined) return [];
    const [root, mount, kind, controllers] = [fields[3], fields[4], options[0], (options[2] ?? '').split(',')];
    if (kind !== 'cgroup2' && !(kind === 'cgroup' && controllers.includes(controller))) return [];
    const path = own.find(([id, names]) => (kind === 'cgroup2' ? id === '0' : names?.split(',').includes(controller)))?.slice(2).join(':');
    return path === undefined ? [] : listUp(mount, relative(root, path));
  });
}

/** @param {string} mount @param {string} within path below it @returns {string[]} from there up; groups above the mount are not visible */
function listUp(mount, within) {
  if (within === '' || within.startsWith('..')) return [mount];
  return [join(mount, within), ...listUp(mount, dirname(within) === '.' ? '' : dirname(within))];
}

/** @param {string} folder @param {string} name @returns {string} '' if there is none */
export function read(folder, name) {
  try {
    return readFileSync(join(folder, name), 'latin1');
  } catch {
    return '';
  }
}

/** @param {string[]} folders of groups @returns {number | undefined} the smallest quota, in cores; undefined without quotas */
export function readQuota(folders) {
  const quotas = folders.flatMap((folder) => {
    const [limit, period] = read(folder, 'cpu.max').split(' ');
    return [Number(limit) / Number(period), Number(read(folder, 'cpu.cfs_quota_us')) / Number(read(folder, 'cpu.cfs_period_us'))];
  }).filter((cores) => cores > 0);
  return quotas.length ? Math.min(...quotas) : undefined;
}

/** @param {string[]} folders of groups @returns {number} µs of throttling by quotas, over all cores */
export function readThrottledUs(folders) {
  return folders.map((folder) => read(folder, 'cpu.stat')).reduce((sum, text) => sum
    + Number(/^throttled_usec (\d+)/m.exec(text)?.[1] ?? 0) + Number(/^throttled_time (\d+)/m.exec(text)?.[1] ?? 0) / 1000, 0);
}

/** @type {string[] | undefined} */
let ownGroups;

/** @returns {string[]} groups of this process, which never change */
export const findOwnGroups = () => (ownGroups ??= listGroups(readProc('self/cgroup'), readProc('self/mountinfo')));
