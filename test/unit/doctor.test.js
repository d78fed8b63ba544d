import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PACKAGES } from '../../harness/cli/provide.js';
import { readMake } from '../../harness/cli/program.js';
import { diagnose, formatFindings } from '../../harness/check/doctor.js';
import { NEEDS_NODE } from '../../harness/check/doctor-hosts.js';
import { readMachine, TOOLS } from '../../harness/agent/machine.js';

/** @typedef {import('../../harness/agent/machine.js').Readings} Readings */

/** @type {Readings} without a fault */
const SOUND = {
  kernel: 'Linux 6.1',
  cpu_model: 'model',
  cores: 8, cores_present: 8, allowed_cores: '0-7', cpu_quota_cores: undefined,
  descriptors_soft: 1024,
  descriptors_hard: 20_000,
  ports: { from: 32_768, to: 60_999, in_use: 12, waiting: 30 },
  somaxconn: 4096,
  tcp_tw_reuse: 2,
  tools: Object.fromEntries(TOOLS.map(({ name }) => [name, '1.0'])),
  can_install: true,
  governors: ['performance'],
  busy_share: 0.01,
  steal_share: 0,
  load_1min: 0.2,
  autogroup: 0,
  container: undefined,
  memory_free_mb: 8000,
  disk_free_mb: 50_000,
  no_namespaces: undefined,
  link: 'carried',
  tap: true,
  clock_source: 'tsc',
  clock_sources: ['tsc', 'acpi_pm'],
};

/** @param {Partial<Readings>} changes @param {string} what */
function find(changes, what) {
  const finding = diagnose({ ...SOUND, ...changes }).find((each) => each.what === what);
  assert.ok(finding, `there is no check named ${what}`);
  return finding;
}

test('a sound machine has no fault', () => {
  assert.deepEqual(diagnose(SOUND).filter(({ status }) => status !== 'ok'), []);
});

/** @type {[string, 'warn' | 'fail', Partial<Readings>, RegExp][]} check, status, the one poor reading, the advice */
const POOR = [
  ['cores', 'warn', { cores: 2 }, /4 cores or more/],
  ['cores to use', 'warn', { cores: 1, allowed_cores: '1' }, /taskset/],
  ['CPU quota', 'warn', { cpu_quota_cores: 1.5 }, /--cpus/],
  ['container', 'warn', { container: { kind: 'podman', seccomp: false } }, /the machine itself/],
  ['seccomp', 'warn', { container: { kind: 'podman', seccomp: true } }, /seccomp=unconfined/],
  ['processes', 'warn', { container: { kind: 'docker', seccomp: false, processes_limit: 100 } }, /--pids-limit/],
  ['descriptors', 'warn', { descriptors_hard: 4096 }, /prlimit .*--nofile=/],
  ['descriptors', 'fail', { descriptors_hard: 256 }, /prlimit/],
  ['ports', 'warn', { ports: { from: 32_768, to: 60_999, in_use: 0, waiting: 25_000 } }, /ip_local_port_range/],
  ['ports', 'fail', { ports: { from: 50_000, to: 50_500, in_use: 0, waiting: 0 } }, /ip_local_port_range/],
  ['somaxconn', 'warn', { somaxconn: 128 }, /sysctl -w net\.core\.somaxconn=/],
  ['tcp_tw_reuse', 'warn', { tcp_tw_reuse: 0 }, /tcp_tw_reuse=2/],
  ['CPU governor', 'warn', { governors: ['powersave'] }, /scaling_governor/],
  ['other load', 'warn', { busy_share: 0.2 }, /top -b/],
  ['load average', 'warn', { load_1min: 6 }, /uptime/],
  ['steal', 'warn', { steal_share: 0.03 }, /dedicated host/],
  ['autogroup', 'warn', { autogroup: 1 }, /sched_autogroup_enabled=0/],
  ['memory', 'warn', { memory_free_mb: 500 }, /%MEM/],
  ['memory', 'fail', { memory_free_mb: 100 }, /%MEM/],
  ['disk', 'warn', { disk_free_mb: 500 }, /du -xh/],
  ['disk', 'fail', { disk_free_mb: 100 }, /du -xh/],
  ['link', 'warn', { tap: false }, /sch_netem/],
  ['link', 'warn', { cores: 1 }, /two cores/],
  ['namespaces', 'warn', { no_namespaces: 'unshare failed: Operation not permitted' }, /unprivileged_userns_clone=1/],
  ['clock source', 'warn', { clock_source: 'acpi_pm' }, /echo tsc/],
  ['clock source', 'warn', { clock_source: 'hpet', clock_sources: ['hpet'] }, /another machine/],
];

for (const [what, status, changes, change] of POOR) {
  test(`${what}: ${JSON.stringify(changes)} is a ${status}, and the advice says what to change`, () => {
    const finding = find(changes, what);
    assert.equal(finding.status, status);
    assert.match(finding.change ?? '', change);
  });
}

test('one poor reading spoils one line and no other', () => {
  const spoilt = diagnose({ ...SOUND, somaxconn: 128 }).filter(({ status }) => status !== 'ok');
  assert.deepEqual(spoilt.map(({ what }) => what), ['somaxconn']);
});

for (const tool of TOOLS) {
  const tools = { ...SOUND.tools, [tool.name]: undefined };
  test(`without ${tool.name} a run installs ${tool.package}, and is impossible where nothing can be installed`, () => {
    assert.equal(find({ tools }, tool.name).status, 'warn');
    assert.equal(find({ tools, can_install: false }, tool.name).status, tool.use ? 'warn' : 'fail', 'what one experiment alone needs stops no other');
    assert.match(find({ tools, can_install: false }, tool.name).change ?? '', new RegExp(tool.package));
  });
}

test('what a host does not tell is no fault', () => {
  const silent = { governors: [], autogroup: undefined, tcp_tw_reuse: undefined, clock_source: undefined };
  assert.deepEqual(diagnose({ ...SOUND, ...silent }).filter(({ status }) => status !== 'ok'), []);
});

test('the table fits 100 columns, its columns are aligned, and it is plain unless colours are asked for', () => {
  const warnings = POOR.filter(([, status]) => status === 'warn').map(([, , changes]) => changes);
  const poor = Object.assign({}, SOUND, ...warnings.reverse(), { cpu_model: 'Intel(R) Xeon(R) Platinum 8375C CPU @ 2.90GHz' });
  const table = formatFindings(diagnose(poor), false);
  const [counts, , ...lines] = table.trimEnd().split('\n').reverse();
  assert.match(counts, /^\d+ ok, \d+ warn, 0 fail$/);
  for (const line of lines) {
    assert.ok(line.length <= 100, `${line.length} columns: ${line}`);
    assert.match(line, /^(ok {2}|warn|fail) {2}.{12} {2}\S|^ {6}; \S/);
  }
  assert.ok(!table.includes('\u001b'));
  assert.ok(formatFindings(diagnose(SOUND), true).startsWith('\u001b[32mok'));
});

test('this machine can be read', async () => {
  const readings = await readMachine('.');
  assert.ok(readings.cores >= 1);
  assert.ok(readings.descriptors_hard >= readings.descriptors_soft);
  assert.ok(readings.ports.to > readings.ports.from);
  assert.ok(readings.busy_share >= 0 && readings.busy_share <= 1, `busy_share is ${readings.busy_share}`);
  assert.ok(readings.memory_free_mb > 0);
  assert.ok(readings.disk_free_mb >= 0);
});

test('the doctor looks for every package that is installed for a run', () => {
  const installed = [...PACKAGES.run, ...PACKAGES.figures];
  assert.deepEqual(installed.map((each) => each.split(':')[0]), TOOLS.filter(({ use }) => !use).map((tool) => tool.package));
});

test('what the doctor of hosts asks of their make is a target', () => {
  assert.deepEqual(readMake(NEEDS_NODE, {}), NEEDS_NODE);
});
