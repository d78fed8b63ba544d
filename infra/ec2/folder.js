/** The caller's files of a cluster, in results/ec2/<cluster>: keys, ssh configuration, hosts.toml. The log stays after its removal. */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'smol-toml';
import { UserError } from '../../harness/common/failure.js';
import { writeAtomically } from '../../harness/common/files.js';
import { RESULTS } from '../../harness/common/places.js';

/** @typedef {import('./stack.js').Host} Host */
/** @typedef {{host: Host, at: string, keys: string[]}} Reached a host, its address for ssh, and its host keys */

export class ClusterFolder {
  /** @param {string} cluster */
  constructor(cluster) {
    this.path = join(RESULTS, 'ec2', cluster);
  }

  /** @returns {boolean} */
  get exists() {
    return existsSync(this.path);
  }

  /** @returns {string} the log of the setup, beside the folder: it is still needed when hosts and folder have gone */
  get log() {
    return `${this.path}.log`;
  }

  /** @param {string} name @returns {string} */
  at(name) {
    return join(this.path, name);
  }

  /** Makes a key pair for these hosts only. @returns {string} its public key */
  makeKey() {
    mkdirSync(this.path, { recursive: true });
    chmodSync(this.path, 0o700);
    rmSync(this.at('id'), { force: true });
    const argv = ['-q', '-t', 'ed25519', '-N', '', '-C', 'wscale', '-f', this.at('id')];
    const { status, stderr, error } = spawnSync('ssh-keygen', argv, { encoding: 'utf8' });
    if (status !== 0) throw new UserError(`ssh-keygen: ${stderr?.trim() || error?.message}; install openssh-client, or look at ${this.path}`);
    return readFileSync(this.at('id.pub'), 'utf8').trim();
  }

  /** Writes a complete ssh configuration, independent of the user's own. @param {Reached[]} reached @param {string} login */
  writeSsh(reached, login) {
    const quoted = (/** @type {string} */ name) => `"${this.at(name)}"`;
    const hosts = reached.map(({ host, at }) => `Host ${host.name}\n  HostName ${at}\n  User ${login}\n`);
    const all = ['Host *', `IdentityFile ${quoted('id')}`, 'IdentitiesOnly yes', `UserKnownHostsFile ${quoted('known_hosts')}`,
      'GlobalKnownHostsFile /dev/null', 'StrictHostKeyChecking yes', 'PasswordAuthentication no', 'BatchMode yes', 'ServerAliveInterval 15',
      'ConnectTimeout 20'].join('\n  ');
    writeAtomically(this.at('known_hosts'), reached.flatMap(({ at, keys }) => keys.map((key) => `${at} ${key}\n`)).join(''));
    writeAtomically(this.at('ssh_config'), `${hosts.join('\n')}\n${all}\n`);
    writeAtomically(this.at('inventory.ini'), `${reached.map(({ host }) => host.name).join('\n')}\n\n`
      + `[all:vars]\nansible_user=${login}\nansible_ssh_common_args=-F '${this.at('ssh_config')}'\n`);
  }

  /** @param {Host[]} hosts @param {string} [suite] its path on the hosts @returns {string} the path of hosts.toml */
  writeHosts(hosts, suite) {
    const roleOf = (/** @type {string} */ name) => (name === 'server' ? 'server' : 'client');
    const tables = hosts.map(({ name, private: address }) => ({ name, ssh: name, role: roleOf(name), address, ...(suite && { suite }) }));
    const path = this.at('hosts.toml');
    writeAtomically(path, `# Written by make ec2-up; hosts.example.toml explains each key.\n${stringify({ ssh_config: 'ssh_config', hosts: tables })}\n`);
    return path;
  }

  remove() {
    rmSync(this.path, { recursive: true, force: true });
  }
}
