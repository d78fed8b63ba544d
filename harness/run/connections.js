/** The connections of a run to its hosts. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { KeeperClient } from '../common/keeper-client.js';
import { RUN_MARK } from '../common/shared-names.js';
import { ownPrefix } from '../common/temporary.js';
import { Ssh } from './ssh.js';
import { Way } from './way.js';

/** Holds the private folder of the connections. A keeper process ends them with the coordinator, however the coordinator ends. */
export class Connections {
  /** @param {string} [config] for `ssh -F` */
  constructor(config) {
    this.config = config;
    this.folder = mkdtempSync(join(tmpdir(), `${ownPrefix()}ssh-`)); // short: the path of a UNIX socket is limited to 107 bytes
    this.opened = 0;
    const runId = basename(this.folder); // if coordinator and keeper are killed, it still tells what they started
    this.env = { ...process.env, [RUN_MARK]: runId }; // marked: the keeper ends its processes by it
    this.kept = new KeeperClient(runId, [this.folder]);
  }

  /** @param {import('../spec/hosts.js').Host} host @returns {Way} */
  to(host) {
    return host.exec ? new Way(host, this.env) : new Ssh(host, this.env, join(this.folder, String(++this.opened)), this.config);
  }

  /** End every connection, and remove the folder. */
  async close() {
    await this.kept.end();
  }
}
