/** The facts of a host: what a reader must know years later about the machine and the tools. */
import { globSync, readFileSync } from 'node:fs';
import os from 'node:os';
import { dirname, join } from 'node:path';
import { findOwnGroups, listAllowed, readQuota } from './allowed.js';
import { readContainer } from './container.js';
import { readText } from './machine.js';
import { firstLine, runProgram } from '../common/programs.js';

/** Kernel settings that affect the load. */
const SYSCTLS = [
  'fs/file-max', 'kernel/sched_autogroup_enabled', 'net/core/somaxconn', 'net/ipv4/ip_local_port_range', 'net/ipv4/tcp_tw_reuse',
  'net/ipv4/tcp_max_syn_backlog', 'net/ipv4/tcp_rmem', 'net/ipv4/tcp_wmem', 'net/ipv4/tcp_congestion_control',
];

/** Tools whose output or arithmetic enters the results, and the command for their version. */
const TOOLS = {
  top: ['top', '-V'], pidstat: ['pidstat', '-V'], sar: ['sar', '-V'], awk: ['sh', '-c', 'awk -W version 2>&1 || awk --version'],
  gnuplot: ['gnuplot', '--version'], tcpdump: ['tcpdump', '--version'], tshark: ['tshark', '--version'], npm: [join(dirname(process.execPath), 'npm'), '--version'],
};

/** @param {string} path @returns {string | undefined} undefined if absent or unreadable */
const readLine = (path) => readText(path)?.trim().replaceAll('\t', ' ');

/** Parameters naming a disk or a program of this particular machine. */
const OF_ONE_MACHINE = /^(root|rootflags|init|rdinit|initrd|resume|BOOT_IMAGE|ip|nfsroot|ds|cloud-init)=|^(systemd|rd)[.]/;

/** @param {string} [line] of /proc/cmdline @returns {string | undefined} the kernel's parameters, without init's after `--` */
export const pickKernelParameters = (line) => line?.split(/ --( |$)/)[0].split(/ +/).filter((word) => !OF_ONE_MACHINE.test(word)).join(' ');

/** Tells this host apart from others of its kind, and records what the cost of a wake-up depends on. */
function readHardware() {
  const cpu = readLine('/proc/cpuinfo') ?? '';
  const ofCpu = (/** @type {string} */ name) => new RegExp(`^${name} *: (.*)$`, 'm').exec(cpu)?.[1];
  const read = (/** @type {string} */ name) => readLine(`/sys/devices/system/${name}`);
  const lscpu = runProgram(['lscpu'], { env: { ...process.env, LC_ALL: 'C' } }).stdout;
  return {
    cpu: [ofCpu('vendor_id'), 'family', ofCpu('cpu family'), 'model', ofCpu('model'), 'stepping', ofCpu('stepping')].filter(Boolean).join(' '),
    microcode: ofCpu('microcode'),
    hypervisor: /^Hypervisor vendor: *(.*)$/m.exec(lscpu)?.[1],
    dmi: ['sys_vendor', 'product_name', 'product_version'].map((name) => readLine(`/sys/class/dmi/id/${name}`)).filter(Boolean).join(' ') || undefined,
    l3_cache: /^L3 cache: *(.*)$/m.exec(lscpu)?.[1],
    threads_a_core: /^Thread.*per core: *(.*)$/m.exec(lscpu)?.[1],
    clocksource: read('clocksource/clocksource0/current_clocksource'),
    idle_driver: read('cpu/cpuidle/current_driver'),
    idle_governor: read('cpu/cpuidle/current_governor') ?? read('cpu/cpuidle/current_governor_ro'),
    idle_states: globSync('/sys/devices/system/cpu/cpu0/cpuidle/state*/name').sort().map(readLine).join(', ') || undefined,
    kernel_parameters: pickKernelParameters(readLine('/proc/cmdline')),
  };
}

/** Only facts that do not change at run time. */
function tellContainer() {
  const { memory_used_mb: _now, ...container } = readContainer() ?? {};
  return 'kind' in container ? { container } : {};
}

export function readFacts() {
  return {
    kernel: `${os.type()} ${os.release()} ${os.arch()}`,
    system: /PRETTY_NAME="(.*)"/.exec(readLine('/etc/os-release') ?? '')?.[1],
    cpu: os.cpus()[0]?.model,
    cores: os.availableParallelism(), // counted as for a plan (common/cores.js)
    allowed_cores: listAllowed(),
    cpu_quota_cores: readQuota(findOwnGroups()) ?? 'none',
    ...tellContainer(),
    memory_mb: Math.round(os.totalmem() / 1048576),
    governor: readLine('/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor') ?? 'not shown by this machine',
    hypervisor: readFileSync('/proc/cpuinfo', 'utf8').includes(' hypervisor') ? 'yes' : 'no',
    hardware: readHardware(),
    descriptors: { soft: firstLine(['sh', '-c', 'ulimit -Sn']), hard: firstLine(['sh', '-c', 'ulimit -Hn']) },
    sysctl: Object.fromEntries(SYSCTLS.map((name) => [name.replaceAll('/', '.'), readLine(`/proc/sys/${name}`)])),
    tools: { node: process.version, ...Object.fromEntries(Object.entries(TOOLS).map(([name, argv]) => [name, firstLine(argv)])) },
  };
}
