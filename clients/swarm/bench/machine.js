/** Describes the machine and the programs of a bench. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readCommit } from '../../../harness/common/commit.js';
import { CLIENTS } from '../../../harness/common/places.js';
import { readVersion } from '../../../harness/run/environment.js';
import { readEngine } from '../../../harness/spec/engines.js';
import { readFacts } from '../../../harness/agent/facts.js';
import { BINARIES, K6_MODULE } from './binaries.js';

/** @typedef {import('./cpus.js').PinningHost} PinningHost */

/** @param {PinningHost} host @param {string} folder @param {string[]} argv @returns {Promise<string>} last line; 'absent' if it fails */
async function readFirstLine(host, folder, argv) {
  const stdout = join(folder, 'versions');
  const program = await host.start({ argv, cwd: folder, side: 'build', stdout, stderr: join(folder, 'versions.err') });
  const { code } = await program.exited;
  const last = readFileSync(stdout, 'utf8').trimEnd().split('\n').pop() ?? '';
  return code === 0 ? last : 'absent';
}

/** @param {PinningHost} host @param {string} folder @param {boolean} peers @returns {Promise<Record<string, string>>} */
export async function describeMachine(host, folder, peers) {
  const { cpu, cores, kernel, system, memory_mb, hypervisor, governor } = readFacts();
  const { commit, changed } = readCommit({ clients: CLIENTS });
  const { server, client } = host.cpus;
  return {
    machine: `${cpu}, ${cores} cores${hypervisor === 'yes' ? ' of a virtual machine' : ''}, ${memory_mb} MB, governor ${governor}; the server on CPU ${server}, the generator on CPU ${client}`,
    system: `${system}, ${kernel}`,
    compiler: await readFirstLine(host, folder, ['rustc', '--version']),
    swarm: `${await readFirstLine(host, folder, [BINARIES.swarm, '--version'])}, commit ${commit?.slice(0, 12) ?? 'unknown'}${changed?.length ? ' with changes' : ''}`,
    uWebSockets: `Bun ${readVersion(readEngine('uws'))}`,
    ...(peers ? { k6: K6_MODULE } : {}),
  };
}
