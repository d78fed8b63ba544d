/**
 * `make doctor`: lists what on this machine would spoil a run, and how to change it. Changes nothing.
 *
 * `warn` means a doubtful number or a smaller experiment, `fail` an impossible run.
 */
import { styleText } from 'node:util';
import { readMachine, TOOLS } from '../agent/machine.js';
import { ROOT } from '../common/places.js';
import { Agent } from '../run/agent.js';
import { measureCharges, tellCharges } from './doctor-yardstick.js';

/** @typedef {import('../agent/machine.js').Readings} Readings */
/** @typedef {{ status: 'ok' | 'warn' | 'fail', what: string, value: string, change?: string }} Finding */
/** @typedef {(readings: Readings) => Omit<Finding, 'what'>} Check */

/**
 * Bounds for the load of experiment 3 as published (thesis, section 3.2): 2,400 connections. Each costs one port, and two descriptors in a
 * proxying process. Below `least`, not even PROFILE=quick can run.
 */
const BOUNDS = {
  cores: 4, // server, clients and capture each find a free core
  descriptors: { least: 512, wanted: 2 * 2400 + 200 },
  ports: { least: 1000, wanted: 2 * 2400 }, // ports of the previous trial wait for 60 s (RFC 9293, TIME-WAIT)
  somaxconn: 511, // Node's backlog
  busy_share: 0.05, // as large as the difference between two identical runs on an idle machine
  steal_share: 0.01,
  load_per_core: 0.5,
  processes: 1024, // threads count too: engines in Java and Go have tens each
  memory_mb: { least: 256, wanted: 1024 },
  disk_mb: { least: 200, wanted: 2048 },
};

/**
 * @param {boolean | Finding['status']} status true for ok, false for a warning @param {string} value @param {string} change
 * @param {string} [found] value to show if ok @returns {Omit<Finding, 'what'>}
 */
function rate(status, value, change, found = value) {
  const named = status === true ? 'ok' : status || 'warn';
  return named === 'ok' ? { status: named, value: found } : { status: named, value, change };
}

/** @param {number} value @param {{ least: number, wanted: number }} bounds @returns {Finding['status']} */
const compare = (value, { least, wanted }) => (value >= wanted ? 'ok' : value >= least ? 'warn' : 'fail');

/** @param {number} share */
const percent = (share) => `${(100 * share).toFixed(1)} %`;

/** Other clocks are read through a device or hypervisor: microseconds per reading, with several readings per message. */
const FAST_CLOCK = /tsc|kvm-clock/;

/** @type {Record<string, Check>} in the order printed */
const CHECKS = {
  cores: ({ cores, cpu_model }) =>
    rate(cores >= BOUNDS.cores, `${cores} x ${cpu_model}`, `a machine of ${BOUNDS.cores} cores or more; on this one servers and clients share them`),
  'cores to use': ({ cores, cores_present, allowed_cores }) => rate(
    cores >= cores_present, `core${cores > 1 ? 's' : ''} ${allowed_cores}: ${cores} of ${cores_present}`,
    'run it outside of taskset or a cpuset; else all pins are within these',
  ),
  'CPU quota': ({ cpu_quota_cores: quota = Infinity, cores }) => rate(
    quota >= cores, `${Number(quota.toFixed(3))} of ${cores} cores: trials that it holds back are flagged`,
    'whole cores: --cpuset-cpus, a static CPU manager; or lift --cpus, limits.cpu, CPUQuota=', quota === Infinity ? 'none' : `${quota} cores: no less than may be used`,
  ),
  container: ({ container }) => rate(
    container === undefined, `${container?.kind}: its kernel and cores are shared with others (docs/container.md)`,
    'compare its numbers with those of the same container; the machine itself has none of this', 'none',
  ),
  seccomp: ({ container }) => rate(
    !container?.seccomp, 'each system call passes a filter: CPU time of every message',
    'podman or docker run --security-opt seccomp=unconfined; of a pod, seccompProfile: Unconfined', 'no filter of system calls',
  ),
  processes: ({ container: { processes_limit = Infinity } = {} }) => rate(
    processes_limit >= BOUNDS.processes, `${processes_limit} processes and threads`, 'docker or podman run --pids-limit 4096',
    processes_limit === Infinity ? 'none' : String(processes_limit),
  ),
  descriptors: ({ descriptors_soft, descriptors_hard }) => rate(
    compare(descriptors_hard, BOUNDS.descriptors), `soft ${descriptors_soft}, hard ${descriptors_hard} (the harness takes all of the hard limit)`,
    `sudo prlimit --pid $$ --nofile=${4 * BOUNDS.descriptors.wanted}`,
  ),
  ports({ ports: { from, to, in_use, waiting } }) {
    const free = to - from + 1 - in_use - waiting;
    return rate(
      compare(free, BOUNDS.ports), `${free} free of ${from} to ${to} (${waiting} in TIME-WAIT)`,
      'sudo sysctl -w net.ipv4.ip_local_port_range="32768 60999", or wait a minute',
    );
  },
  somaxconn: ({ somaxconn }) => rate(
    somaxconn >= BOUNDS.somaxconn, `${somaxconn}: bursts of connections are refused`, 'sudo sysctl -w net.core.somaxconn=4096', String(somaxconn),
  ),
  tcp_tw_reuse: ({ tcp_tw_reuse }) => rate(
    tcp_tw_reuse !== 0, '0: a port is lost for a minute after each connection', 'sudo sysctl -w net.ipv4.tcp_tw_reuse=2',
    tcp_tw_reuse === undefined ? 'not shown here' : String(tcp_tw_reuse),
  ),
  'CPU governor': ({ governors }) => rate(
    governors.every((governor) => governor === 'performance'), `${governors.join(', ')}: cores change their speed`,
    'echo performance | sudo tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor',
    governors.length ? 'performance' : 'not shown here (a virtual machine, as a rule)',
  ),
  'other load': ({ busy_share }) => rate(
    busy_share <= BOUNDS.busy_share, `${percent(busy_share)} of all cores busy`, "stop what else runs; see it with: top -b -n 1 -o '%CPU' | head -15",
  ),
  'load average': ({ load_1min, cores }) => rate(
    load_1min <= BOUNDS.load_per_core * cores, `${load_1min.toFixed(2)} in the last minute`, 'wait until it is below half the number of cores: uptime',
  ),
  steal: ({ steal_share }) => rate(
    steal_share <= BOUNDS.steal_share, `${percent(steal_share)}: other guests of this host take CPU`,
    'a dedicated host, or another hour; watch with: vmstat 5', percent(steal_share),
  ),
  autogroup: ({ autogroup = 'not in this kernel' }) => rate(
    !(Number(autogroup) > 0), `${autogroup}: CPU is shared between sessions first, then processes`,
    'sudo sysctl -w kernel.sched_autogroup_enabled=0', String(autogroup),
  ),
  memory: ({ memory_free_mb }) => rate(
    compare(memory_free_mb, BOUNDS.memory_mb), `${Math.round(memory_free_mb)} MB available`, "stop what holds it; see it with: top -b -n 1 -o '%MEM' | head -15",
  ),
  disk: ({ disk_free_mb }) => rate(
    compare(disk_free_mb, BOUNDS.disk_mb), `${Math.round(disk_free_mb)} MB free`, 'make room; see what takes it with: du -xh -d 2 . | sort -h | tail',
  ),
  namespaces: ({ no_namespaces }) => rate(
    no_namespaces === undefined, String(no_namespaces), 'iproute2, ethtool, root or kernel.unprivileged_userns_clone=1; 11 and 17 need them',
    'of the network: can be made',
  ),
  link({ link, tap, cores }) {
    if (link === 'netem') return rate(true, 'of a stated rate and delay: by tc-netem', '');
    if (!tap) return rate(false, 'no tc-netem, and /dev/net/tun is not writable', 'a kernel with sch_netem, or root and the module tun, or experiments 11 and 17 have no link');
    return rate(
      cores >= 2, 'frames are carried by a process, and there is no core for it', 'a machine of two cores, or of a kernel with sch_netem',
      'of a stated rate and delay: frames carried between TAP devices, on the last core',
    );
  },
  'clock source'({ clock_source, clock_sources }) {
    if (clock_source === undefined) return rate(true, 'not shown here', '');
    const fast = clock_sources.find((source) => FAST_CLOCK.test(source));
    return rate(
      FAST_CLOCK.test(clock_source) || clock_source.includes('arch_sys_counter'), `${clock_source}: slow to read`,
      fast ? `echo ${fast} | sudo tee /sys/devices/system/clocksource/clocksource0/current_clocksource` : 'another machine; this kernel offers no faster one',
      clock_source,
    );
  },
  ...Object.fromEntries(TOOLS.map(({ name, use, package: debian }) => [name, /** @type {Check} */ (({ tools, can_install }) => {
    const absent = use ? `absent; for ${use}` : can_install ? 'absent; installed by what needs it' : 'absent';
    const install = can_install ? 'runtimes/apt-install.sh' : 'as root: apt-get install --no-install-recommends';
    return rate(tools[name] !== undefined || (use || can_install ? 'warn' : 'fail'), absent, `${install} ${debian}`, tools[name]);
  })])),
};

/** @param {Readings} readings @returns {Finding[]} one per check; with `change` unless the status is `ok` */
export function diagnose(readings) {
  return Object.entries(CHECKS).map(([what, check]) => ({ ...check(readings), what }));
}

const COLOURS = /** @type {const} */ ({ ok: 'green', warn: 'yellow', fail: 'red' });

/** @param {Finding[]} findings @param {boolean} coloured @returns {string[]} a line per finding, followed by a line with the change */
export function formatLines(findings, coloured) {
  const width = Math.max(...findings.map(({ what }) => what.length));
  return findings.flatMap(({ status, what, value, change }) => {
    const mark = coloured ? styleText(COLOURS[status], status.padEnd(4), { validateStream: false }) : status.padEnd(4);
    return [`${mark}  ${what.padEnd(width)}  ${value}`, ...(change ? [`      ; ${change}`] : [])];
  });
}

/** @param {Finding[]} findings @param {boolean} coloured @returns {string} the lines, then the count of each status */
export function formatFindings(findings, coloured) {
  const count = (/** @type {string} */ status) => findings.filter((finding) => finding.status === status).length;
  return `${formatLines(findings, coloured).join('\n')}\n\n${count('ok')} ok, ${count('warn')} warn, ${count('fail')} fail\n`;
}

export const isColoured = () => process.stdout.isTTY === true && !process.env.NO_COLOR;

/** @param {Readings} readings @param {Finding[]} findings */
async function print(readings, findings) {
  process.stdout.write(`${readings.kernel}, Node ${process.version}\n\n${formatFindings(findings, isColoured())}`);
  const absent = [...new Set(TOOLS.filter(({ name }) => readings.tools[name] === undefined).map((tool) => tool.package))];
  if (absent.length) process.stdout.write(`\nall that is absent, at once: sudo apt-get install --no-install-recommends ${absent.join(' ')}\n`);
  process.stdout.write(`\n${tellCharges(await measureHere(), readings)}\n`);
}

async function measureHere() {
  const agent = await Agent.start();
  return measureCharges(agent).finally(() => agent.close());
}

/**
 * Observes the machine for half a second, prints the table, then runs the yardstick for two seconds.
 * @param {{json?: boolean}} [options] @returns {Promise<number>} the exit code: 1 if a run is impossible
 */
export async function doctor({ json = false } = {}) {
  const readings = await readMachine(ROOT);
  const findings = diagnose(readings);
  if (json) console.log(JSON.stringify({ checks: findings, charges: (await measureHere()).charges }, null, 2));
  else await print(readings, findings);
  const failed = findings.filter(({ status }) => status === 'fail').map(({ what }) => what);
  if (failed.length) console.error(`error: doctor: no run is possible here: ${failed}; change what the table says`);
  return failed.length ? 1 : 0;
}
