/** Pins server and generator to one CPU each, so that neither takes time from the other and each has one core. */
import { existsSync, readFileSync } from 'node:fs';
import { UserError } from '../../../harness/common/failure.js';
import { LocalHost } from '../../../harness/agent/host.js';

/** @typedef {{server: number, client: number}} Cpus */

/** @param {string} command @returns {boolean} whether it is in PATH */
const isThere = (command) => (process.env.PATH ?? '').split(':').some((folder) => existsSync(`${folder}/${command}`));

/** @param {string} text as the kernel lists CPUs, such as "0-2,5" @returns {number[]} */
export function parseCpuList(text) {
  return text.trim().split(',').flatMap((range) => {
    const [first, last = first] = range.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
}

/** @param {number} cpu @returns {number[]} all CPUs of its core, itself included */
function listSiblings(cpu) {
  const path = `/sys/devices/system/cpu/cpu${cpu}/topology/thread_siblings_list`;
  return existsSync(path) ? parseCpuList(readFileSync(path, 'utf8')) : [cpu];
}

/**
 * Chooses two CPUs of different cores that this process may use.
 * @returns {Cpus}
 * @throws {UserError} when there is only one core, or no taskset
 */
export function chooseCpus() {
  if (!isThere('taskset')) throw new UserError('bench-swarm: taskset is not in PATH; install it: apt-get install util-linux');
  const list = /^Cpus_allowed_list:\s+(.*)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '';
  const [server, ...others] = parseCpuList(list);
  const client = others.find((cpu) => !listSiblings(server).includes(cpu));
  if (client === undefined) {
    throw new UserError(`bench-swarm: only one core may be used here (CPUs ${list}), and server and generator need one each; use a machine of two cores`);
  }
  return { server, client };
}

/** This machine, with each side pinned to its CPU. */
export class PinningHost extends LocalHost {
  /** @param {Cpus} cpus */
  constructor(cpus) {
    super();
    this.cpus = cpus;
  }

  /** @override @param {import('../../../harness/agent/host.js').Launch} launch */
  start(launch) {
    if (launch.side !== 'server' && launch.side !== 'client') return super.start(launch);
    return super.start({ ...launch, argv: ['taskset', '--cpu-list', String(this.cpus[launch.side]), ...launch.argv] });
  }
}
