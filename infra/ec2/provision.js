/** Sets up hosts for measurements with Ansible (playbook.yaml). */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createWriteStream, existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { UserError } from '../../harness/common/failure.js';
import { KeeperClient } from '../../harness/common/keeper-client.js';
import { RUN_MARK } from '../../harness/common/shared-names.js';
import { TO_LOOK } from './say.js';

const HERE = import.meta.dirname;
const ANSIBLE = join(HERE, 'venv', 'bin', 'ansible-playbook');

/**
 * @param {import('./folder.js').ClusterFolder} folder
 * @param {(line: string) => void} tell @param {AbortSignal} [signal]
 * @throws {UserError} with the first failure
 */
export async function provision(folder, tell, signal) {
  if (!existsSync(ANSIBLE)) throw new UserError('infra/ec2: Ansible is not installed; run this by ./wscale, such as ./wscale ec2 up');
  const home = mkdtempSync(join(tmpdir(), 'wscale-ansible-')); // short: the path of a UNIX socket is limited to 107 bytes
  const runId = randomUUID();
  const kept = new KeeperClient(runId, [home]); // ends Ansible and removes its folder even if this process is killed
  const own = { ANSIBLE_HOME: home, ANSIBLE_SSH_CONTROL_PATH_DIR: home, [RUN_MARK]: runId };
  const code = await play(folder, own, tell, signal).finally(() => kept.end());
  if (code === 0) return;
  const isFailure = (/** @type {string} */ line) => /^(fatal|failed): |^ERROR|^\[ERROR\]/.test(line);
  const failed = readFileSync(folder.log, 'utf8').split('\n').find(isFailure) ?? `ansible-playbook ended with ${code}`;
  throw new UserError(`setting up: ${failed.slice(0, 400)}; read ${relative(process.cwd(), folder.log)}; ${TO_LOOK}`);
}

/**
 * @param {import('./folder.js').ClusterFolder} folder @param {Record<string, string>} own additional environment variables
 * @param {(line: string) => void} tell @param {AbortSignal} [signal]
 * @returns {Promise<number>} exit code
 */
async function play(folder, own, tell, signal) {
  const child = spawn(ANSIBLE, ['--inventory', folder.at('inventory.ini'), join(HERE, 'playbook.yaml')], {
    stdio: ['ignore', 'pipe', 'pipe'], signal,
    env: {
      ...process.env, PATH: [join(HERE, 'venv', 'bin'), process.env.PATH].join(delimiter),
      ANSIBLE_CONFIG: join(HERE, 'ansible.cfg'), ANSIBLE_NOCOLOR: '1', LC_ALL: 'C.UTF-8', ...own,
    },
  });
  const kept = createWriteStream(folder.log);
  child.stderr.pipe(kept, { end: false });
  createInterface({ input: child.stdout }).on('line', (line) => {
    kept.write(`${line}\n`);
    const [, task] = /^TASK \[(.*)\]/.exec(line) ?? [];
    if (task) tell(`setting up: ${task[0].toLowerCase()}${task.slice(1)}`);
  });
  const code = await new Promise((resolve, reject) => child.on('error', reject).on('close', resolve));
  await new Promise((resolve) => kept.end(resolve));
  return code;
}
