/** Ansible makes hosts fit to measure on (playbook.yaml). */
import { spawn } from 'node:child_process';
import { createWriteStream, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { UserError } from '../../harness/common/failure.js';

const HERE = import.meta.dirname;
const LOG = 'provision.log';
const ANSIBLE = join(HERE, 'venv', 'bin', 'ansible-playbook');

/**
 * @param {import('./folder.js').ClusterFolder} folder
 * @param {(line: string) => void} tell @param {AbortSignal} [signal]
 * @throws {UserError} with the first thing that failed
 */
export async function provision(folder, tell, signal) {
  if (!existsSync(ANSIBLE)) throw new UserError('infra/ec2: Ansible is not installed; run this by its target, such as make ec2-up');
  const home = mkdtempSync(join(tmpdir(), 'wscale-ansible-')); // short: the path of a UNIX socket is limited to 107 bytes
  const code = await play(folder, home, tell, signal).finally(() => rmSync(home, { recursive: true, force: true }));
  if (code === 0) return;
  const log = folder.at(LOG);
  const isFailure = (/** @type {string} */ line) => /^(fatal|failed): |^ERROR|^\[ERROR\]/.test(line);
  const failed = readFileSync(log, 'utf8').split('\n').find(isFailure) ?? `ansible-playbook ended with ${code}`;
  throw new UserError(`setting up: ${failed.slice(0, 400)}; see ${relative(process.cwd(), log)}`);
}

/**
 * @param {import('./folder.js').ClusterFolder} folder @param {string} home of Ansible's own
 * @param {(line: string) => void} tell @param {AbortSignal} [signal]
 * @returns {Promise<number>} exit code
 */
async function play(folder, home, tell, signal) {
  const child = spawn(ANSIBLE, ['--inventory', folder.at('inventory.ini'), join(HERE, 'playbook.yaml')], {
    stdio: ['ignore', 'pipe', 'pipe'], signal,
    env: {
      ...process.env, PATH: [join(HERE, 'venv', 'bin'), process.env.PATH].join(delimiter),
      ANSIBLE_CONFIG: join(HERE, 'ansible.cfg'), ANSIBLE_HOME: home, ANSIBLE_SSH_CONTROL_PATH_DIR: home, ANSIBLE_NOCOLOR: '1',
    },
  });
  const kept = createWriteStream(folder.at(LOG));
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
