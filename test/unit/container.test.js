/** Signs of a container, and its limits in cgroups of version 1 and 2. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { findKind, readContainer } from '../../harness/agent/container.js';

const folder = mkdtempSync(join(tmpdir(), 'container-test-'));
after(() => rmSync(folder, { recursive: true }));

const OVERLAY = '700 600 0:50 / / rw,relatime - overlay overlay rw,lowerdir=/var/lib/containers/a\n701 700 0:51 / /proc rw - proc proc rw\n';
const DISK = '22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw\n';
const none = { exists: () => false, env: {}, groups: '0::/\n', mounts: OVERLAY };

for (const [what, seen, kind] of /** @type {[string, Parameters<typeof findKind>[0], string | undefined][]} */ ([
  ['no sign', none, undefined],
  ["podman's file", { ...none, exists: (path) => path === '/run/.containerenv' }, 'podman'],
  ["docker's file", { ...none, exists: (path) => path === '/.dockerenv' }, 'docker'],
  ["docker's file on a machine that was made from an image", { ...none, exists: (path) => path === '/.dockerenv', mounts: DISK }, undefined],
  ["a cluster's variable", { ...none, env: { KUBERNETES_SERVICE_HOST: '10.0.0.1' } }, 'kubernetes'],
  ["a cluster's group", { ...none, groups: '0::/kubepods.slice/kubepods-burstable.slice/cri-containerd-1.scope\n' }, 'kubepods'],
  ["systemd-nspawn's variable", { ...none, env: { container: 'systemd-nspawn' } }, 'systemd-nspawn'],
])) test(`${what}: ${kind ?? 'no container'}`, () => assert.equal(findKind(seen), kind));

/** @param {string} name @param {Record<string, string>} files @returns {string} */
function group(name, files) {
  const path = join(folder, name);
  mkdirSync(path, { recursive: true });
  for (const [file, text] of Object.entries(files)) writeFileSync(join(path, file), `${text}\n`);
  return path;
}

test('a limit is the smallest of its cgroups, in both versions; without limits there is none', () => {
  const v2 = [group('v2/own', { 'memory.max': 'max', 'memory.current': String(100 * 2 ** 20), 'pids.max': '512' }), group('v2', { 'memory.max': String(2 ** 30) })];
  const { seccomp: _filter, ...bounds } = readContainer(() => v2, 'podman') ?? {};
  assert.deepEqual(bounds, { kind: 'podman', memory_limit_mb: 1024, memory_used_mb: 100, processes_limit: 512 });
  const v1 = [group('v1', { 'memory.limit_in_bytes': '9223372036854771712', 'pids.max': 'max' })];
  assert.deepEqual(Object.keys(readContainer(() => v1, 'docker') ?? {}), ['kind', 'seccomp']);
});
