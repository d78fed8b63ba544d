/** The facts of a host: what a reader years later must know of the machine and the tools. */
import { existsSync, readFileSync } from 'node:fs';
import os from 'node:os';
import { dirname, join } from 'node:path';
import { findOwnGroups, listAllowed, readQuota } from './allowed.js';
import { readContainer } from './container.js';
import { firstLine } from '../common/programs.js';

/** Settings of the kernel that bear on the load. */
const SYSCTLS = [
  'fs/file-max', 'kernel/sched_autogroup_enabled', 'net/core/somaxconn', 'net/ipv4/ip_local_port_range', 'net/ipv4/tcp_tw_reuse',
  'net/ipv4/tcp_max_syn_backlog', 'net/ipv4/tcp_rmem', 'net/ipv4/tcp_wmem', 'net/ipv4/tcp_congestion_control',
];

/** Tools whose output or arithmetic stands in the results, and how each tells its version. */
const TOOLS = {
  top: ['top', '-V'], pidstat: ['pidstat', '-V'], sar: ['sar', '-V'], awk: ['sh', '-c', 'awk -W version 2>&1 || awk --version'],
  gnuplot: ['gnuplot', '--version'], tcpdump: ['tcpdump', '--version'], tshark: ['tshark', '--version'], npm: [join(dirname(process.execPath), 'npm'), '--version'],
};

/** @param {string} path @returns {string | undefined} */
const readLine = (path) => (existsSync(path) ? readFileSync(path, 'utf8').trim().replaceAll('\t', ' ') : undefined);

/** What stays as it is while it runs. */
function tellContainer() {
  const { memory_used_mb: _now, ...container } = readContainer() ?? {};
  return 'kind' in container ? { container } : {};
}

export function readFacts() {
  return {
    kernel: `${os.type()} ${os.release()} ${os.arch()}`,
    system: /PRETTY_NAME="(.*)"/.exec(readLine('/etc/os-release') ?? '')?.[1],
    cpu: os.cpus()[0]?.model,
    cores: os.availableParallelism(), // as a plan counts them (common/cores.js)
    allowed_cores: listAllowed(),
    cpu_quota_cores: readQuota(findOwnGroups()) ?? 'none',
    ...tellContainer(),
    memory_mb: Math.round(os.totalmem() / 1048576),
    governor: readLine('/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor') ?? 'not shown by this machine',
    hypervisor: readFileSync('/proc/cpuinfo', 'utf8').includes(' hypervisor') ? 'yes' : 'no',
    descriptors: { soft: firstLine(['sh', '-c', 'ulimit -Sn']), hard: firstLine(['sh', '-c', 'ulimit -Hn']) },
    sysctl: Object.fromEntries(SYSCTLS.map((name) => [name.replaceAll('/', '.'), readLine(`/proc/sys/${name}`)])),
    tools: { node: process.version, ...Object.fromEntries(Object.entries(TOOLS).map(([name, argv]) => [name, firstLine(argv)])) },
  };
}
