/**
 * `make doctor`: what on this machine would spoil a run, and how to change it. It changes nothing.
 *
 * `warn` is what makes a number doubtful or an experiment smaller, `fail` what makes a run impossible.
 */
import '../common/surroundings.js';
import { styleText } from 'node:util';
import { readMachine, TOOLS } from '../agent/machine.js';
import { finish } from '../common/output.js';
import { ROOT } from '../common/places.js';

/** @typedef {import('../agent/machine.js').Readings} Readings */
/** @typedef {{ status: 'ok' | 'warn' | 'fail', what: string, value: string, change?: string }} Finding */
/** @typedef {(readings: Readings) => Omit<Finding, 'what'>} Check */

/**
 * Bounds. The load is that of experiment 3 as published (thesis, section 3.2): 2,400 connections, each of which costs
 * one port, and two descriptors in a process that proxies. Below the least, not even PROFILE=quick can run.
 */
const BOUNDS = {
  cores: 4, // server, clients and the capture each find one free
  descriptors: { least: 512, wanted: 2 * 2400 + 200 },
  ports: { least: 1000, wanted: 2 * 2400 }, // those of the trial before wait for 60 s (RFC 9293, TIME-WAIT)
  somaxconn: 511, // the backlog that Node asks for
  busy_share: 0.05, // as much as two runs of the same thing differ by when nothing else runs
  steal_share: 0.01,
  load_per_core: 0.5,
  memory_mb: { least: 256, wanted: 1024 },
  disk_mb: { least: 200, wanted: 2048 },
};

/** @param {string} value @returns {Omit<Finding, 'what'>} */
const ok = (value) => ({ status: 'ok', value });

/** @param {'warn' | 'fail'} status @param {string} value @param {string} change @returns {Omit<Finding, 'what'>} */
const poor = (status, value, change) => ({ status, value, change });

/** @param {number} value @param {{ least: number, wanted: number }} bounds @returns {Finding['status']} */
function rate(value, { least, wanted }) {
  if (value >= wanted) return 'ok';
  return value >= least ? 'warn' : 'fail';
}

/** @param {number} share */
const percent = (share) => `${(100 * share).toFixed(1)} %`;

/** @type {Check} */
function checkCores({ cores, cpu_model }) {
  const value = `${cores} x ${cpu_model}`;
  if (cores >= BOUNDS.cores) return ok(value);
  return poor('warn', value, `a machine of ${BOUNDS.cores} cores or more; on this one servers and clients share them`);
}

/** @type {Check} */
function checkAllowed({ cores, cores_present, allowed_cores }) {
  const value = `core${cores > 1 ? 's' : ''} ${allowed_cores}: ${cores} of ${cores_present}`;
  if (cores >= cores_present) return ok(value);
  return poor('warn', value, 'run it outside of taskset or a cpuset; else all pins are within these');
}

/** @type {Check} */
function checkQuota({ cpu_quota_cores: quota, cores }) {
  if (quota === undefined || quota >= cores) return ok(quota === undefined ? 'none' : `${quota} cores: no less than may be used`);
  return poor('warn', `${Number(quota.toFixed(3))} of ${cores} cores: trials that it holds back are flagged`,
    'lift it: docker run --cpus, CPUQuota= of systemd');
}

/** @type {Check} */
function checkDescriptors({ descriptors_soft, descriptors_hard }) {
  const value = `soft ${descriptors_soft}, hard ${descriptors_hard} (the harness takes all of the hard limit)`;
  const status = rate(descriptors_hard, BOUNDS.descriptors);
  if (status === 'ok') return ok(value);
  return poor(status, value, `sudo prlimit --pid $$ --nofile=${4 * BOUNDS.descriptors.wanted}`);
}

/** @type {Check} */
function checkPorts({ ports }) {
  const free = ports.to - ports.from + 1 - ports.in_use - ports.waiting;
  const value = `${free} free of ${ports.from} to ${ports.to} (${ports.waiting} in TIME-WAIT)`;
  const status = rate(free, BOUNDS.ports);
  if (status === 'ok') return ok(value);
  return poor(status, value, 'sudo sysctl -w net.ipv4.ip_local_port_range="32768 60999", or wait a minute');
}

/** @type {Check} */
function checkBacklog({ somaxconn }) {
  if (somaxconn >= BOUNDS.somaxconn) return ok(String(somaxconn));
  return poor('warn', `${somaxconn}: bursts of connections are refused`, 'sudo sysctl -w net.core.somaxconn=4096');
}

/** @type {Check} */
function checkReuse({ tcp_tw_reuse }) {
  if (tcp_tw_reuse !== 0) return ok(tcp_tw_reuse === undefined ? 'not shown here' : String(tcp_tw_reuse));
  return poor('warn', '0: a port is lost for a minute after each connection', 'sudo sysctl -w net.ipv4.tcp_tw_reuse=2');
}

/** @param {import('../agent/machine.js').Tool} tool @returns {Check} */
const checkTool = (tool) => ({ tools, can_install }) => {
  const version = tools[tool.name];
  if (version !== undefined) return ok(version);
  if (can_install) return poor('warn', tool.use ? `absent; for ${tool.use}` : 'absent; installed by what needs it', `runtimes/apt-install.sh ${tool.package}`);
  return poor(tool.use ? 'warn' : 'fail', tool.use ? `absent; for ${tool.use}` : 'absent', `as root: apt-get install --no-install-recommends ${tool.package}`);
};

/** @type {Check} */
function checkGovernor({ governors }) {
  if (!governors.length) return ok('not shown here (a virtual machine, as a rule)');
  if (governors.every((governor) => governor === 'performance')) return ok('performance');
  return poor('warn', `${governors.join(', ')}: cores change their speed`, 'echo performance | sudo tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor');
}

/** @type {Check} */
function checkBusy({ busy_share }) {
  const value = `${percent(busy_share)} of all cores busy`;
  if (busy_share <= BOUNDS.busy_share) return ok(value);
  return poor('warn', value, "stop what else runs; see it with: top -b -n 1 -o '%CPU' | head -15");
}

/** @type {Check} */
function checkLoad({ load_1min, cores }) {
  const value = `${load_1min.toFixed(2)} in the last minute`;
  if (load_1min <= BOUNDS.load_per_core * cores) return ok(value);
  return poor('warn', value, 'wait until it is below half the number of cores: uptime');
}

/** @type {Check} */
function checkSteal({ steal_share }) {
  const value = percent(steal_share);
  if (steal_share <= BOUNDS.steal_share) return ok(value);
  return poor('warn', `${value}: other guests of this host take CPU`, 'a dedicated host, or another hour; watch with: vmstat 5');
}

/** @type {Check} */
function checkAutogroup({ autogroup }) {
  if (autogroup === undefined) return ok('not in this kernel');
  if (autogroup === 0) return ok('0');
  return poor('warn', `${autogroup}: CPU is shared between sessions first, then processes`,
    'sudo sysctl -w kernel.sched_autogroup_enabled=0');
}

/** @type {Check} */
function checkMemory({ memory_free_mb }) {
  const value = `${Math.round(memory_free_mb)} MB available`;
  const status = rate(memory_free_mb, BOUNDS.memory_mb);
  if (status === 'ok') return ok(value);
  return poor(status, value, "stop what holds it; see it with: top -b -n 1 -o '%MEM' | head -15");
}

/** @type {Check} */
function checkDisk({ disk_free_mb }) {
  const value = `${Math.round(disk_free_mb)} MB free`;
  const status = rate(disk_free_mb, BOUNDS.disk_mb);
  if (status === 'ok') return ok(value);
  return poor(status, value, 'make room; see what takes it with: du -xh -d 2 . | sort -h | tail');
}

/** @type {Check} */
function checkNamespaces({ no_namespaces: why }) {
  if (why === undefined) return ok('of the network: can be made');
  return poor('warn', why, 'iproute2, ethtool, root or kernel.unprivileged_userns_clone=1; 11 and 17 need them');
}

/** @type {Check} */
function checkLink({ link, tap, cores }) {
  if (link === 'netem') return ok('of a stated rate and delay: by tc-netem');
  if (!tap) return poor('warn', 'no tc-netem, and /dev/net/tun is not writable', 'a kernel with sch_netem, or root and the module tun, or experiments 11 and 17 have no link');
  if (cores < 2) return poor('warn', 'frames are carried by a process, and there is no core for it', 'a machine of two cores, or of a kernel with sch_netem');
  return ok('of a stated rate and delay: frames carried between TAP devices, on the last core');
}

/** @type {Check} */
function checkClock({ clock_source, clock_sources }) {
  if (clock_source === undefined) return ok('not shown here');
  // The others are read through a device or a hypervisor: microseconds a reading, at several readings a message.
  if (/tsc|kvm-clock|arch_sys_counter/.test(clock_source)) return ok(clock_source);
  const value = `${clock_source}: slow to read`;
  const fast = clock_sources.find((source) => /tsc|kvm-clock/.test(source));
  if (!fast) return poor('warn', value, 'another machine; this kernel offers no faster one');
  return poor('warn', value, `echo ${fast} | sudo tee /sys/devices/system/clocksource/clocksource0/current_clocksource`);
}

/** @type {[string, Check][]} what is looked at, in the order printed */
const CHECKS = [
  ['cores', checkCores],
  ['cores to use', checkAllowed],
  ['CPU quota', checkQuota],
  ['descriptors', checkDescriptors],
  ['ports', checkPorts],
  ['somaxconn', checkBacklog],
  ['tcp_tw_reuse', checkReuse],
  ['CPU governor', checkGovernor],
  ['other load', checkBusy],
  ['load average', checkLoad],
  ['steal', checkSteal],
  ['autogroup', checkAutogroup],
  ['memory', checkMemory],
  ['disk', checkDisk],
  ['namespaces', checkNamespaces],
  ['link', checkLink],
  ['clock source', checkClock],
  ...TOOLS.map((tool) => /** @type {[string, Check]} */ ([tool.name, checkTool(tool)])),
];

/**
 * @param {Readings} readings
 * @returns {Finding[]} one a check; `change` is there unless the status is `ok`
 */
export function diagnose(readings) {
  return CHECKS.map(([what, check]) => ({ ...check(readings), what }));
}

export const COLOURS = /** @type {const} */ ({ ok: 'green', warn: 'yellow', fail: 'red' });

/**
 * @param {Finding[]} findings
 * @param {boolean} coloured
 * @returns {string} a line a finding, and one below it with what to change
 */
export function formatFindings(findings, coloured) {
  const width = Math.max(...findings.map(({ what }) => what.length));
  const lines = findings.flatMap(({ status, what, value, change }) => {
    const mark = status.padEnd(4);
    const shown = coloured ? styleText(COLOURS[status], mark, { validateStream: false }) : mark;
    const line = `${shown}  ${what.padEnd(width)}  ${value}`;
    return change ? [line, `      ; ${change}`] : [line];
  });
  const count = (/** @type {string} */ status) => findings.filter((finding) => finding.status === status).length;
  return `${lines.join('\n')}\n\n${count('ok')} ok, ${count('warn')} warn, ${count('fail')} fail\n`;
}

/**
 * Looks for half a second and prints the table.
 * @returns {Promise<number>} the exit code: 1 when a run is impossible
 */
export async function doctor() {
  const readings = await readMachine(ROOT);
  const findings = diagnose(readings);
  const coloured = process.stdout.isTTY === true && !process.env.NO_COLOR;
  process.stdout.write(`${readings.kernel}, Node ${process.version}\n\n${formatFindings(findings, coloured)}`);
  const absent = [...new Set(TOOLS.filter(({ name }) => readings.tools[name] === undefined).map((tool) => tool.package))];
  if (absent.length) process.stdout.write(`\nall that is absent, at once: sudo apt-get install --no-install-recommends ${absent.join(' ')}\n`);
  const failed = findings.filter(({ status }) => status === 'fail').map(({ what }) => what);
  if (failed.length) console.error(`error: doctor: no run is possible here: ${failed}; change what the table says`);
  return failed.length ? 1 : 0;
}

if (import.meta.main) await finish(doctor(), (error) => { throw error; });
