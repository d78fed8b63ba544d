/** The connections of a run to its hosts. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KeeperClient } from '../common/keeper-client.js';
import { RUN_MARK } from '../common/shared-names.js';
import { Exec } from './exec.js';
import { Ssh } from './ssh.js';

/** Holds the private folder of the connections. A keeper process ends them with the coordinator, however the coordinator ends. */
export class Connections {
  /** @param {string} [config] for `ssh -F` */
  constructor(config) {
    this.config = config;
    this.folder = mkdtempSync(join(tmpdir(), 'wscale-ssh-')); // short: the path of a UNIX socket is limited to 107 bytes
    this.runId = randomUUID();
    this.opened = 0;
    this.kept = new KeeperClient(this.runId, [this.folder]);
  }

  /** @param {import('../spec/hosts.js').Host} host @returns {import('./way.js').Way} */
  to(host) {
    return host.exec ? new Exec(host, this.env) : new Ssh(host, this.env, join(this.folder, String(++this.opened)), this.config);
  }

  /** @returns {NodeJS.ProcessEnv} marked, so that the keeper finds the processes to end */
  get env() {
    return { ...process.env, [RUN_MARK]: this.runId };
  }

  /** End every connection, and remove the folder. */
  async close() {
    await this.kept.end();
  }
}
