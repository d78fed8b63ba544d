/** Detects a container and its limits. A container shares its kernel, and has limits not shown in /proc. */
import { existsSync } from 'node:fs';
import { listGroups, read } from './allowed.js';
import { readProc } from '../common/stat.js';

/** @typedef {{kind: string, seccomp: boolean, memory_limit_mb?: number, memory_used_mb?: number, processes_limit?: number}} Container */

/** Files created by container engines. @type {[string, string][]} */
const SIGNS = [['/var/run/secrets/kubernetes.io', 'kubernetes'], ['/run/.containerenv', 'podman'], ['/.dockerenv', 'docker']];
/** Names of their control groups, if visible. */
const GROUPS = /\b(kubepods|libpod|docker|containerd|lxc)\b/;

/**
 * A machine may have been made from a container image, signs included. Its root is then a whole file system on its own device.
 * @param {string} mounts of /proc/self/mountinfo @returns {boolean}
 */
const hasOwnRoot = (mounts) => mounts.split('\n').map((line) => line.split(' ')).some((fields) => (
  fields[4] === '/' && fields[3] === '/' && fields[fields.indexOf('-') + 2]?.startsWith('/dev/')));

/**
 * @param {{exists?: (path: string) => boolean, env?: NodeJS.ProcessEnv, groups?: string, mounts?: string}} [seen]
 * @returns {string | undefined} the container's kind; undefined outside a container
 */
export function findKind({ exists = existsSync, env = process.env, groups = readProc('self/cgroup'), mounts = readProc('self/mountinfo') } = {}) {
  if (env.KUBERNETES_SERVICE_HOST) return 'kubernetes';
  if (hasOwnRoot(mounts)) return undefined;
  const [, kind] = SIGNS.find(([path]) => exists(path)) ?? [];
  return kind ?? GROUPS.exec(groups)?.[1] ?? (env.container || undefined);
}

/** In version 1, a group without a limit shows the largest possible value. */
const UNLIMITED = 2 ** 60;

/**
 * @param {string[]} folders @param {string[]} names
 * @returns {number | undefined} the smallest value in these files; undefined for no limit
 */
function least(folders, names) {
  const limits = folders.flatMap((folder) => names.map((name) => read(folder, name))).map((text) => (text ? Number(text) : NaN));
  const bounds = limits.filter((limit) => limit < UNLIMITED);
  return bounds.length ? Math.min(...bounds) : undefined;
}

/** @param {string} controller */
const findGroups = (controller) => listGroups(readProc('self/cgroup'), readProc('self/mountinfo'), controller);

/**
 * @param {(controller: string) => string[]} [groupsOf] folders of this process's groups for a controller
 * @param {string} [kind]
 * @returns {Container | undefined} undefined outside a container
 */
export function readContainer(groupsOf = findGroups, kind = findKind()) {
  if (!kind) return undefined;
  const memory = groupsOf('memory');
  const limit = least(memory, ['memory.max', 'memory.limit_in_bytes']);
  const used = least(memory.slice(0, 1), ['memory.current', 'memory.usage_in_bytes']);
  const processes = least(groupsOf('pids'), ['pids.max']);
  return {
    kind, seccomp: /^Seccomp:\s+2$/m.test(readProc('self/status')),
    ...(limit !== undefined && { memory_limit_mb: limit / 1024 ** 2, ...(used !== undefined && { memory_used_mb: used / 1024 ** 2 }) }),
    ...(processes !== undefined && { processes_limit: processes }),
  };
}
