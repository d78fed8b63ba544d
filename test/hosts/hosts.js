/** Hosts made of namespaces (hosts.sh), for the duration of a test. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { ROOT } from '../../harness/common/places.js';
import { installParts } from '../../harness/run/install.js';
import { LINK_PART } from '../../harness/spec/engines.js';
import { Lab, installWs, until } from '../smoke/lab.js';

const refused = ['sshd', 'ip', 'unshare'].find((program) => spawnSync('sh', ['-c', `PATH=$PATH:/usr/sbin:/sbin command -v ${program}`]).status !== 0)
  ?? (process.getuid?.() === 0 ? undefined : 'root');
/** Why this machine can't run tests with hosts; false if it can. */
export const skip = refused ? `no hosts on this machine: it has no ${refused}` : false;

/** @param {number | string} pid @param {string} name @returns {string} '' when it is gone */
function readProc(pid, name) {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'latin1');
  } catch {
    return '';
  }
}

/** @returns {Map<number, number[]>} children by parent, of all processes */
function readChildren() {
  /** @type {Map<number, number[]>} */
  const children = new Map();
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map(Number)) {
    const parent = Number(readProc(pid, 'stat').split(') ').pop()?.split(' ')[1]);
    children.set(parent, [...children.get(parent) ?? [], pid]);
  }
  return children;
}

/** @param {number} pid @returns {{pid: number, command: string}[]} its descendants */
function listBelow(pid, children = readChildren()) {
  return (children.get(pid) ?? []).flatMap((child) => [
    { pid: child, command: readProc(child, 'cmdline').replaceAll('\0', ' ').trim() }, ...listBelow(child, children),
  ]);
}

export class Hosts {
  /** @param {number} count @param {number} [rtt_us] added to the round trip to each client host */
  constructor(count, rtt_us) {
    this.folder = mkdtempSync(join(tmpdir(), 'hosts-'));
    this.file = join(this.folder, 'hosts.toml');
    this.child = spawn(join(ROOT, 'test/hosts/hosts.sh'), [this.folder, ...[count, rtt_us ?? []].flat().map(String)], { stdio: ['pipe', 'pipe', 'ignore'] });
    this.said = '';
    this.child.stdout.on('data', (data) => { this.said += data; });
    this.gone = new Promise((resolve) => this.child.once('exit', resolve));
  }

  /** Put before an argv, it runs the program in the network that reaches the hosts. */
  get inside() {
    return ['nsenter', `--net=/proc/${this.child.pid}/ns/net`, '--'];
  }

  /** @param {string} name @returns {string[]} put before an argv, it runs the program in that host's network */
  insideOf(name) {
    return ['nsenter', `--net=/proc/${this.findSshd(name)}/ns/net`, '--'];
  }

  /** @param {string} name @returns {number} pid of its first process, an sshd */
  findSshd(name) {
    const found = listBelow(Number(this.child.pid)).find(({ command }) => command.includes(`${name}/sshd_config`));
    assert.ok(found, `${name} has an sshd`);
    return found.pid;
  }

  /** @param {string} name of a host @returns {{pid: number, command: string}[]} the descendants of its sshd */
  listOn(name) {
    return listBelow(this.findSshd(name));
  }

  /**
   * Runs a program in the host's process and mount namespaces, so that it sees the host's /proc.
   * @param {string} name of a host @param {string[]} argv
   * @returns {number | null} exit code
   */
  runOn(name, ...argv) {
    return spawnSync('nsenter', [`--target=${this.findSshd(name)}`, '--mount', '--pid', '--', ...argv]).status;
  }

  /** @param {string[]} names @returns {string[]} processes and files left on them by a run */
  listLeft(names) {
    return names.flatMap((name) => [
      ...this.listOn(name).map(({ command }) => `${name}: ${command}`),
      ...readdirSync(`/proc/${this.findSshd(name)}/root/tmp`).filter((each) => /^(wscale|node-compile-cache)/.test(each)).map((each) => `${name}: /tmp/${each}`),
    ]);
  }

  /** Fails unless a run's processes and files are gone within 2 minutes. @param {string[]} [names] */
  async checkClean(names = ['h1', 'h2']) {
    await until(() => this.listLeft(names).length === 0, `nothing left: ${this.listLeft(names).join('; ')}`, 120);
  }

  async remove() {
    this.child.stdin.end();
    await this.gone;
    rmSync(this.folder, { recursive: true });
  }
}

/** Hosts for the tests of a `describe`, and labs whose harness reaches them. Removes them after the last test. */
class Testbed {
  /** @type {Lab[]} */
  #labs = [];

  /** @param {number} count @param {number} [rtt_us] */
  constructor(count, rtt_us) {
    before(async () => {
      await installWs();
      if (rtt_us) await installParts([LINK_PART], console.log);
      this.hosts = new Hosts(count, rtt_us);
      await until(() => this.up.said.includes('ready'), 'the hosts', 180);
    });
    after(async () => {
      this.#labs.forEach((lab) => lab.remove());
      await this.hosts?.remove();
    });
  }

  get up() {
    assert.ok(this.hosts, 'hosts are there within a test');
    return this.hosts;
  }

  /** Options for a run on the hosts. */
  get options() {
    return ['--hosts', this.up.file];
  }

  /** @param {ConstructorParameters<typeof Lab>[0]} [settings] @returns {Lab} */
  makeLab(settings) {
    const lab = new Lab({ repeats: 1, before: this.up.inside, ...settings });
    this.#labs.push(lab);
    return lab;
  }
}

/** Call it within a `describe`. @param {number} count @param {number} [rtt_us] as for `Hosts` @returns {Testbed} */
export const useHosts = (count, rtt_us) => new Testbed(count, rtt_us);

/** @param {string} runId of a run's connections @returns {{pid: number, command: string}[]} their ssh processes */
export const listSsh = (runId) => readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map(Number)
  .filter((pid) => readProc(pid, 'environ').includes(`WSCALE_RUN=${runId}`))
  .map((pid) => ({ pid, command: readProc(pid, 'cmdline').replaceAll('\0', ' ').trim() }))
  .filter(({ command }) => command.startsWith('ssh'));
