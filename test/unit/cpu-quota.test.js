/** Quotas need the privilege to make control groups. Without it, tests that make one are skipped. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { CpuQuota, NoQuota, periodFor, readCpuCgroup, removeQuotas } from '../../harness/agent/cpu-quota.js';

const parent = readCpuCgroup();
const skip = parent?.writable ? false : 'no privilege to make a control group';
const folder = mkdtempSync(join(tmpdir(), 'quota-test-'));
after(() => rmSync(folder, { recursive: true }));

test('the period is the shortest that lets a process run for a millisecond, and never under ten', () => {
  assert.deepEqual([1, 0.25, 0.1, 0.05].map(periodFor), [10_000, 10_000, 10_000, 20_000]);
});

test('a process and what it starts are held to the quota, and the group goes when they are gone', { skip }, async () => {
  const quota = new CpuQuota(0.1);
  const [program, ...rest] = quota.confine(['sh', '-c', 'sh -c "while :; do :; done"; :']);
  spawn(program, rest, { stdio: 'ignore' });
  const isThrottled = () => /nr_throttled [1-9]/.test(readFileSync(join(quota.path, 'cpu.stat'), 'utf8'));
  for (let waitedMs = 0; !isThrottled() && waitedMs < 60_000; waitedMs += 50) await new Promise((resolve) => setTimeout(resolve, 50));
  assert.ok(isThrottled());
  const members = readFileSync(join(quota.path, 'cgroup.procs'), 'utf8').trim().split('\n');
  assert.equal(members.length, 2);
  members.forEach((pid) => process.kill(Number(pid), 'SIGKILL'));
  assert.equal(await quota.remove(), true);
  assert.equal(existsSync(quota.path), false);
});

test('a group that an owner who is dead left behind is removed by the next, those of others are not', { skip }, async () => {
  const left = join(String(parent?.path), 'wscale-999999999-1');
  const other = join(String(parent?.path), `wscale-${process.ppid}-1`);
  mkdirSync(left);
  mkdirSync(other);
  const quota = new CpuQuota(0.5);
  assert.deepEqual([left, other].map((path) => existsSync(path)), [false, true]);
  assert.equal(removeQuotas(/** @type {any} */ (parent), (owner) => owner === process.ppid), 0);
  assert.equal(existsSync(other), false);
  await quota.remove();
});

test('where there is no controller, no privilege or no such file, it says so', () => {
  assert.throws(() => new CpuQuota(0.1, /** @type {any} */ ({ version: 1, path: folder, writable: false })), NoQuota);
  assert.throws(() => new CpuQuota(0.1, { version: 1, path: folder, writable: true }), /took no quota: ENOENT/);
  assert.deepEqual(readdirSync(folder), []);
});

test('version 2 takes quota and period in one file', () => {
  const group = join(folder, 'v2');
  mkdirSync(group);
  writeFileSync(join(group, 'cpu.max'), ''); // the kernel makes this file with the group
  CpuQuota.limit(group, 2, 0.1);
  assert.equal(readFileSync(join(group, 'cpu.max'), 'utf8'), '1000 10000');
});
