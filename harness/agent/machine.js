/** Describes this machine and its current load from /proc and /sys, without changing anything. */
import { execFile, spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, globSync, readFileSync, statfsSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { findOwnGroups, listAllowed, readAllowedCores, readQuota } from './allowed.js';
import { readContainer } from './container.js';
import { sleep } from '../common/timers.js';

/** Script that holds two network namespaces while it runs. */
export const HOLD = join(import.meta.dirname, '..', '..', 'infra', 'namespaces', 'hold.sh');

/** Device for creating TAP devices. */
export const TUN = '/dev/net/tun';

/** @param {string[]} [settings] of two namespaces, made and dropped @returns {string | undefined} why it fails here */
export function tryNamespaces(settings = []) {
  const { status, stderr, error } = spawnSync(HOLD, ['--try', ...settings], { encoding: 'utf8' });
  return status === 0 ? undefined : (stderr || error?.message || 'hold.sh failed').trim().split('\n').pop();
}

/** @returns {'netem' | 'carried'} how to emulate a link here: the kernel's tc-netem(8) if present, else infra/link */
export function findLink() {
  const user = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user'];
  const argv = [...user, '--net', 'sh', '-c', 'PATH=$PATH:/usr/sbin:/sbin; tc qdisc add dev lo root netem delay 1us'];
  return spawnSync('unshare', argv).status === 0 ? 'netem' : 'carried';
}

/**
 * @typedef {{ name: string, package: string, command: string, version: string[], use?: string }} Tool Called by a run, a figure or a test:
 *   Debian package, command (or a file, starting with a slash), arguments that print the version, and `use` if only one thing needs it
 */
/** @type {readonly Tool[]} the packages of harness/cli/provide.js */
export const TOOLS = [
  { name: 'top', package: 'procps', command: 'top', version: ['-V'] },
  { name: 'sar', package: 'sysstat', command: 'sar', version: ['-V'] },
  { name: 'pidstat', package: 'sysstat', command: 'pidstat', version: ['-V'] },
  { name: 'setpriv', package: 'util-linux', command: 'setpriv', version: ['-V'] },
  { name: 'taskset', package: 'util-linux', command: 'taskset', version: ['-V'] },
  { name: 'awk', package: 'mawk', command: 'awk', version: ['-W', 'version'] },
  { name: 'gnuplot', package: 'gnuplot-nox', command: 'gnuplot', version: ['--version'] },
  { name: 'font', package: 'fonts-dejavu-core', command: '/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf', version: [] },
  { name: 'cargo', package: 'cargo-web rustc-web', command: 'cargo', version: ['--version'], use: 'the native generator, the link, engines in Rust' },
  { name: 'ip', package: 'iproute2', command: 'ip', version: ['-V'], use: 'network namespaces' },
  { name: 'ethtool', package: 'ethtool', command: 'ethtool', version: ['--version'], use: 'network namespaces' },
  { name: 'tcpdump', package: 'tcpdump', command: 'tcpdump', version: ['--version'], use: 'capturing packets, as root' },
  { name: 'tshark', package: 'tshark', command: 'tshark', version: ['--version'], use: 'reading packets; its dumpcap captures them without root' },
  { name: 'chromium', package: 'chromium', command: 'chromium', version: ['--version'], use: 'pages that are opened' },
];

/** @typedef {Awaited<ReturnType<typeof readMachine>>} Readings */

/** @param {string} path @returns {string | undefined} its text without the last newline; undefined if unreadable */
export function readText(path) {
  try {
    return readFileSync(path, 'utf8').trimEnd();
  } catch {
    return undefined;
  }
}

/** @param {string} path @returns {number | undefined} */
function readNumber(path) {
  const text = readText(path);
  return text === undefined ? undefined : Number(text);
}

/** For the soft limit give the parent's pid: Node raises its own at start. @param {number | 'self'} pid @param {'soft' | 'hard'} kind */
export function readDescriptorLimit(pid, kind) {
  const [, soft, hard] = /^Max open files +(\S+) +(\S+)/m.exec(readText(`/proc/${pid}/limits`) ?? '') ?? [];
  const value = kind === 'soft' ? soft : hard;
  return value === 'unlimited' ? Infinity : Number(value);
}

function readPorts() {
  const [from, to] = (readText('/proc/sys/net/ipv4/ip_local_port_range') ?? '').split(/\s+/).map(Number);
  const [, inUse, waiting] = /^TCP: inuse (\d+) .* tw (\d+)/m.exec(readText('/proc/net/sockstat') ?? '') ?? [];
  return { from, to, in_use: Number(inUse ?? 0), waiting: Number(waiting ?? 0) };
}

/** The first line of /proc/stat (proc(5)): user nice system idle iowait irq softirq steal, in ticks. */
function readTicks() {
  const ticks = (readText('/proc/stat') ?? '').split('\n')[0].trim().split(/\s+/).slice(1, 9).map(Number);
  return { idle: ticks[3] + ticks[4], steal: ticks[7], all: ticks.reduce((sum, each) => sum + each, 0) };
}

/** @param {number} ms over which to measure all cores */
async function measureLoad(ms) {
  const before = readTicks();
  await sleep(ms);
  const after = readTicks();
  const all = Math.max(1, after.all - before.all);
  const steal = after.steal - before.steal;
  return { busy_share: (all - steal - (after.idle - before.idle)) / all, steal_share: steal / all };
}

/** PATH with folders that an ordinary user's PATH may lack. */
export const SBIN = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/sbin` };

/** @param {Tool} tool @returns {Promise<string | undefined>} its version, or `yes`; undefined if absent */
function readVersion(tool) {
  if (tool.command.startsWith('/')) return Promise.resolve(existsSync(tool.command) ? 'yes' : undefined);
  return new Promise((resolve) => {
    execFile(tool.command, tool.version, { env: SBIN }, (error, stdout, stderr) => {
      if (error && 'code' in error && error.code === 'ENOENT') return resolve(undefined);
      resolve(/\d+\.[\d.]+( patchlevel \d+| \d{8})?/.exec(stdout + stderr)?.[0] ?? 'yes');
    });
  });
}

/** @param {string} path @returns {boolean} whether this process may write to it */
export function isWritable(path) {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Whether apt-get can be used, as root or through sudo. */
function canInstall() {
  const isThere = (/** @type {string} */ command) => (process.env.PATH ?? '').split(':').some((folder) => existsSync(join(folder, command)));
  return isThere('apt-get') && (process.getuid?.() === 0 || isThere('sudo'));
}

/** @param {string} folder for results */
export async function readMachine(folder) {
  const load = await measureLoad(500);
  const clock = '/sys/devices/system/clocksource/clocksource0';
  const disk = statfsSync(folder);
  const container = readContainer();
  const left_mb = (container?.memory_limit_mb ?? Infinity) - (container?.memory_used_mb ?? 0);
  return {
    kernel: `${os.type()} ${os.release()}`,
    cpu_model: os.cpus()[0]?.model ?? 'unknown',
    cores: readAllowedCores().length,
    cores_present: os.cpus().length,
    allowed_cores: listAllowed(),
    cpu_quota_cores: readQuota(findOwnGroups()), // quota of its control groups; undefined without one
    // The soft limit is Infinity if unlimited. A container's first process sees no parent
    descriptors_soft: readDescriptorLimit(process.ppid || 'self', 'soft'),
    descriptors_hard: readDescriptorLimit('self', 'hard'),
    ports: readPorts(),
    somaxconn: readNumber('/proc/sys/net/core/somaxconn') ?? NaN,
    tcp_tw_reuse: readNumber('/proc/sys/net/ipv4/tcp_tw_reuse'),
    /** @type {Record<string, string | undefined>} version by name; undefined if absent */
    tools: Object.fromEntries(await Promise.all(TOOLS.map(async (tool) => [tool.name, await readVersion(tool)]))),
    can_install: canInstall(),
    // Distinct values over all cores; none if the host hides them
    governors: [...new Set(globSync('/sys/devices/system/cpu/cpu*/cpufreq/scaling_governor').map((path) => readText(path) ?? 'unreadable'))],
    ...load,
    load_1min: os.loadavg()[0],
    autogroup: readNumber('/proc/sys/kernel/sched_autogroup_enabled'),
    container,
    memory_free_mb: Math.min(left_mb, Number(/^MemAvailable: +(\d+)/m.exec(readText('/proc/meminfo') ?? '')?.[1] ?? NaN) / 1024),
    disk_free_mb: (disk.bavail * disk.bsize) / 1024 ** 2,
    no_namespaces: tryNamespaces(),
    link: findLink(),
    tap: isWritable(TUN), // infra/link carries frames by TAP devices
    clock_source: readText(`${clock}/current_clocksource`),
    clock_sources: (readText(`${clock}/available_clocksource`) ?? '').split(' ').filter(Boolean),
  };
}
