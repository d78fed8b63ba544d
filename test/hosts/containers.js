/** The suite's image, and containers of it (podman with runc) for one test. Nothing is pulled from a registry. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../../harness/common/places.js';
import { until } from '../smoke/lab.js';

const RELEASE = 'bookworm';
/** Images of this process alone. To write a test faster, set WSCALE_TEST_IMAGE to an existing image, which is kept. */
const [BASE, OWN] = [RELEASE, 'image'].map((tag) => `localhost/wscale-test-${process.pid}:${tag}`);
export const IMAGE = process.env.WSCALE_TEST_IMAGE ?? OWN;
/** A trial of `ws` needs only these parts. */
const PARTS = 'servers/ws clients/forked/ws clients/forked';

const SBIN = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/sbin:/usr/lib/podman` };
const lacking = ['podman', 'runc', 'netavark', 'iptables', 'debootstrap', 'ip'].find((each) => spawnSync('sh', ['-c', `command -v ${each}`], { env: SBIN }).status !== 0);
/** runc mounts file systems. Inside a container this may be forbidden. */
const mayMount = () => spawnSync('unshare', ['--mount', '--net', '--pid', '--fork', 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0;
const why = lacking ? `it has no ${lacking}` : process.getuid?.() !== 0 ? 'not root' : mayMount() ? undefined : 'root may not mount here';
/** Why this machine cannot run tests of containers, else false. */
export const skip = why ? `no containers on this machine: ${why}` : false;

/** podman's default limits are higher than some machines allow. */
export const LIMITS = ['--ulimit', 'nofile=20000:20000', '--ulimit', 'nproc=10000:10000'];

/**
 * With runc: crun refuses a machine with both versions of cgroups.
 * @param {string[]} argv @param {{input?: string, timeout?: number}} [how]
 */
export function podman(argv, { input, timeout = 600_000 } = {}) {
  const { status, stdout, stderr } = spawnSync('podman', ['--runtime', 'runc', ...argv], { encoding: 'utf8', input, timeout, cwd: ROOT });
  return { code: status, stdout, stderr };
}

/** @param {string[]} argv @returns {string} its output @throws {assert.AssertionError} if it fails */
export function podmanOk(...argv) {
  const { code, stdout, stderr } = podman(argv);
  assert.equal(code, 0, `podman ${argv.join(' ')}: ${stdout}${stderr}`);
  return stdout.trim();
}

/** Builds the suite's image (Containerfile) on a bare Debian. */
export function makeImage() {
  if (IMAGE !== OWN) return;
  const made = spawnSync(join(ROOT, 'infra/container/base.sh'), [BASE, RELEASE], { encoding: 'utf8' });
  assert.equal(made.status, 0, made.stdout + made.stderr);
  // With layers, podman would compare each with the one before, file by file. This takes longer than building it
  const how = ['--layers=false', '--force-rm', '--pull=never', ...LIMITS, '--build-arg', `BASE=${BASE}`, '--build-arg', `PARTS=${PARTS}`];
  const { code, stdout, stderr } = podman(['build', ...how, '--tag', IMAGE, '.'], { timeout: 1_800_000 });
  assert.equal(code, 0, `${stdout}${stderr}`.slice(-5000));
}

export function removeImage() {
  if (IMAGE !== OWN) return;
  podman(['image', 'rm', '--force', IMAGE, BASE]);
  podman(['image', 'prune', '--force', '--filter', 'label=org.opencontainers.image.title=wscale-build']); // the build stage
}

/**
 * @param {string} name of a container @param {string} command a part of a command in it
 * @returns {number[]} pids of podman on this machine that run this command
 */
export const listOfPodman = (name, command) => readdirSync('/proc').filter((pid) => /^\d+$/.test(pid)).filter((pid) => {
  const words = readProc(pid).split('\0');
  return words[0].endsWith('podman') && words.includes(name) && words.some((word) => word.includes(command));
}).map(Number);

/** @param {string} pid @returns {string} its command line; '' if it has exited */
function readProc(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return '';
  }
}

/** Keeps the container running, as a process 1 that reaps zombies. */
const STAY = ['-c', 'trap "exit 0" TERM; while :; do sleep 3600 & wait $!; done'];

let made = 0;

/** Containers of the image to be used as hosts: run as root, and allowed to install (WSCALE_SEALED=0). */
export class Containers {
  /** @param {number} count @param {string[]} [options] of podman run */
  constructor(count, options = []) {
    this.folder = mkdtempSync(join(tmpdir(), 'containers-'));
    this.names = Array.from({ length: count }, (_, index) => `c${index + 1}`);
    const prefix = `wscale-test-${process.pid}-${++made}`;
    this.longNames = new Map(this.names.map((name) => [name, `${prefix}-${name}`]));
    for (const name of this.names) {
      podmanOk('run', '--detach', '--pull', 'never', '--name', this.long(name), ...LIMITS, '--user', '0', '--env', 'WSCALE_SEALED=0', ...options, '--entrypoint', 'sh', IMAGE, ...STAY);
    }
    this.addresses = new Map(this.names.map((name) => [name, this.#addressOf(name)]));
  }

  /**
   * @param {string} [suite] its path in each container; by default the run copies it there
   * @returns {string} path of hosts.toml
   */
  writeHosts(suite) {
    const path = join(this.folder, `hosts${suite ? '' : '-brought'}.toml`);
    writeFileSync(path, this.names.map((name, index) => `[[hosts]]
name = "${name}"
exec = ["podman", "exec", "-i", "${this.long(name)}"]
role = "${index === 0 ? 'server' : 'client'}"
address = "${this.addresses.get(name)}"
${suite ? `suite = "${suite}"\n` : ''}`).join('\n'));
    return path;
  }

  /** @param {string} name @returns {string} podman's name for it */
  long(name) {
    return String(this.longNames.get(name));
  }

  /** @param {string} name @returns {string} */
  #addressOf(name) {
    return podmanOk('inspect', '--format', '{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}', this.long(name));
  }

  /** @param {string} name @param {string[]} argv @returns {string} its output */
  runOn(name, ...argv) {
    return podmanOk('exec', this.long(name), ...argv);
  }

  /** Repeated: on a busy machine runc gives up if it cannot freeze all processes soon enough. @param {string} name */
  async pause(name) {
    await until(() => podman(['pause', this.long(name)]).code === 0, `a pause of ${name}`, 60);
  }

  /** @param {string[]} names @returns {string[]} processes and files that a run left on them */
  #listLeft(names) {
    return names.flatMap((name) => {
      const { code, stdout, stderr } = podman(['exec', this.long(name), 'sh', '-c', 'ps -eo args= && ls -A /tmp /dev/shm']);
      if (code !== 0) return [`${name}: ${stderr}`];
      const own = /^(sh -c trap|sleep 3600|sh -c ps -eo|ps -eo|ls -A|\/tmp:|\/dev\/shm:)/;
      return stdout.split('\n').filter((line) => line && !own.test(line)).map((line) => `${name}: ${line}`);
    });
  }

  /** Soon after a run nothing of it may be left. @param {string[]} [names] */
  async checkClean(names = this.names) {
    let left = /** @type {string[]} */ ([]);
    await until(() => (left = this.#listLeft(names)).length === 0, `nothing left: ${left.join('; ')}`, 120).catch(() => {});
    assert.deepEqual(left, []);
  }

  remove() {
    podman(['rm', '--force', '--ignore', '--time', '0', ...this.longNames.values()]);
    rmSync(this.folder, { recursive: true });
  }
}
