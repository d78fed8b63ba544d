/** Hosts that are containers (podman with runc), for as long as a test takes, on a base that debootstrap makes: no registry is asked. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../../harness/common/places.js';
import { until } from '../smoke/lab.js';

const RELEASE = 'bookworm';
/** Of this process alone: test files run side by side. WSCALE_TEST_BASE names one that is there, and stays. */
export const BASE = process.env.WSCALE_TEST_BASE ?? `localhost/wscale-test-${process.pid}:${RELEASE}`;

const lacking = ['podman', 'runc', 'netavark:/usr/lib/podman/netavark', 'debootstrap', 'ip']
  .find((each) => spawnSync('sh', ['-c', `PATH=$PATH:/usr/sbin:/sbin command -v ${each.split(':').pop()}`]).status !== 0);
/** Why a test of containers can't be had on this machine. */
export const skip = lacking ? `no containers on this machine: it has no ${lacking.split(':')[0]}` : process.getuid?.() === 0 ? false : 'no containers on this machine: not root';

/** crun refuses a machine with control groups of both versions. The limits of podman itself are more than may be had everywhere. */
export const LIMITS = ['--ulimit', 'nofile=20000:20000', '--ulimit', 'nproc=10000:10000'];

/** @param {string[]} argv of podman @param {{input?: string, timeout?: number}} [how] */
export function podman(argv, { input, timeout = 600_000 } = {}) {
  const { status, stdout, stderr } = spawnSync('podman', ['--runtime', 'runc', ...argv], { encoding: 'utf8', input, timeout, cwd: ROOT });
  return { code: status, stdout, stderr };
}

/** @param {string[]} argv @returns {string} what it says @throws {assert.AssertionError} where it fails */
export function podmanOk(...argv) {
  const { code, stdout, stderr } = podman(argv);
  assert.equal(code, 0, `podman ${argv.join(' ')}: ${stdout}${stderr}`);
  return stdout.trim();
}

/** @param {string} [packages] beside those of a bare Debian, a comma between them */
export function makeBase(packages = '') {
  if (process.env.WSCALE_TEST_BASE) return;
  const { status, stdout, stderr } = spawnSync(join(ROOT, 'infra/container/base.sh'), [BASE, RELEASE, packages], { encoding: 'utf8' });
  assert.equal(status, 0, stdout + stderr);
}

export function removeBase() {
  if (!process.env.WSCALE_TEST_BASE) podman(['image', 'rm', '--force', BASE]);
}

/**
 * @param {string} name of a container @param {string} command a part of what runs there
 * @returns {number[]} the podman of this machine, by which it runs
 */
export const listOfPodman = (name, command) => readdirSync('/proc').filter((pid) => /^\d+$/.test(pid)).filter((pid) => {
  const words = readProc(pid).split('\0');
  return words[0].endsWith('podman') && words.includes(name) && words.some((word) => word.includes(command));
}).map(Number);

/** @param {string} pid @returns {string} its command; '' when it is gone */
function readProc(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return '';
  }
}

/** A first process that reaps what ends. */
export const STAY = ['sh', '-c', 'trap "exit 0" TERM; while :; do sleep 3600 & wait $!; done'];

let made = 0;

export class Containers {
  /** @param {number} count @param {{options?: string[], suite?: string}} [how] options of podman run; where the suite stands in each */
  constructor(count, { options = [], suite } = {}) {
    this.folder = mkdtempSync(join(tmpdir(), 'containers-'));
    this.file = join(this.folder, 'hosts.toml');
    this.names = Array.from({ length: count }, (_, index) => `c${index + 1}`);
    const prefix = `wscale-test-${process.pid}-${++made}`;
    this.longNames = new Map(this.names.map((name) => [name, `${prefix}-${name}`]));
    for (const name of this.names) {
      podmanOk('run', '--detach', '--pull', 'never', '--name', this.long(name), ...LIMITS, '--volume', `${ROOT}:${ROOT}:ro`, ...options, BASE, ...STAY);
    }
    writeFileSync(this.file, this.names.map((name, index) => `[[hosts]]
name = "${name}"
exec = ["podman", "exec", "-i", "${this.long(name)}"]
role = "${index === 0 ? 'server' : 'client'}"
address = "${this.addressOf(name)}"
${suite ? `suite = "${suite}"\n` : ''}`).join('\n'));
  }

  /** @param {string} name @returns {string} by which podman knows it */
  long(name) {
    return String(this.longNames.get(name));
  }

  /** @param {string} name @returns {string} */
  addressOf(name) {
    return podmanOk('inspect', '--format', '{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}', this.long(name));
  }

  /** @param {string} name @param {string[]} argv @returns {string} what it says */
  runOn(name, ...argv) {
    return podmanOk('exec', this.long(name), ...argv);
  }

  /** @param {string[]} names @returns {string[]} what a run has left on them */
  listLeft(names) {
    return names.flatMap((name) => {
      const { stdout } = podman(['exec', this.long(name), 'sh', '-c', 'ps -eo args=; ls -d /tmp/* 2> /dev/null']);
      const own = /^(sh -c trap|sleep 3600|sh -c ps -eo|ps -eo|ls -d)/;
      return stdout.split('\n').filter((line) => line && !own.test(line)).map((line) => `${name}: ${line}`);
    });
  }

  /** What must hold after a run, soon. @param {string[]} [names] */
  async checkClean(names = this.names) {
    let left = /** @type {string[]} */ ([]);
    await until(() => (left = this.listLeft(names)).length === 0, `nothing left: ${left.join('; ')}`, 120).catch(() => {});
    assert.deepEqual(left, []);
  }

  remove() {
    podman(['rm', '--force', '--ignore', '--time', '0', ...this.longNames.values()]);
    rmSync(this.folder, { recursive: true });
  }
}
