/** `make ec2-run`: brings hosts up, runs an experiment, and always takes the hosts down. The results arrive here, trial by trial. */
import { spawn } from 'node:child_process';
import { join, relative } from 'node:path';
import { UserError } from '../../harness/common/failure.js';
import { formatDuration } from '../../harness/common/format.js';
import { parseChoice, parsePatience } from '../../harness/common/options.js';
import { ROOT } from '../../harness/common/places.js';
import { estimateExperimentS } from '../../harness/plan/plan.js';
import { findExperiment, makeSpec } from '../../harness/spec/spec.js';
import { takeDown } from './down.js';
import { bringUp } from './up.js';

/**
 * @typedef {{experiment: string, passed: Record<string, string>, cores?: number}} Task `passed`: the user's options for
 *   `./wscale run`; `cores` of the server's host decide which trials fit (harness/spec/room.js)
 */

/** Time to start and set up the hosts and to install the suite, and a margin for the plan's estimate. */
const SPARE_S = 3600;
/** More than any experiment uses. */
const METAL_CORES = 64;

/** @param {string} type such as "c7i.4xlarge" @returns {number} its vCPUs, from Amazon's names of sizes */
export function coresOf(type) {
  const [family, size = ''] = type.split('.');
  if (size.startsWith('metal')) return METAL_CORES;
  if (size === 'medium' && !family.startsWith('t')) return 1;
  const [, times] = /^(\d*)xlarge$/.exec(size) ?? [];
  return times === undefined ? 2 : 4 * Number(times || 1);
}

/** @param {Task} task @returns {number} hours that the hosts must live, so that they outlast the experiment */
export function estimateHours({ experiment, passed, cores }) {
  const choice = parseChoice(passed);
  const spec = makeSpec(findExperiment(experiment), profileOf(passed), 0, passed.generator, { cores, isSpread: true, ...choice });
  return Math.ceil((1.25 * estimateExperimentS(spec) + parsePatience(passed.patience) + SPARE_S) / 3600);
}

/** @param {Task['passed']} passed */
const profileOf = ({ profile = 'default' }) => /** @type {import('../../harness/spec/spec.js').Profile} */ (profile);

/** @param {Task} task @param {number} hours @throws {UserError} if hosts would terminate before the end of the experiment */
export function checkHours(task, hours) {
  const needed = estimateHours(task);
  if (hours < needed) {
    const { experiment, passed } = task;
    throw new UserError(`HOURS: ${hours} is less than experiment ${experiment} takes in profile ${profileOf(passed)}, with setting up (${formatDuration(needed * 3600)}); give HOURS=${needed}`);
  }
}

/**
 * @param {import('./amazon.js').Amazon} amazon @param {import('./request.js').Request} request @param {any} machines of chooseMachines
 * @param {Task} task @param {boolean} keep @param {import('./signals.js').Signals} signals
 * @returns {Promise<number>} exit code of the experiment; by then the hosts are gone, unless kept
 */
export async function runThere(amazon, request, machines, task, keep, signals) {
  const { cluster, hosts, ends, remove } = await bringUp(amazon, request, machines, { signal: signals.signal, keep });
  let code = 1;
  try {
    code = await runExperiment(task, relative(ROOT, hosts), signals);
  } finally {
    if (keep) console.log(`KEEP: ${cluster} is kept; remove it with ${remove}`);
    else code = Math.max(code, await takeDown(amazon, cluster, ends));
  }
  signals.signal.throwIfAborted();
  return code;
}

/** @param {Task} task @param {string} hosts @param {import('./signals.js').Signals} signals @returns {Promise<number>} */
async function runExperiment({ experiment, passed }, hosts, signals) {
  signals.signal.throwIfAborted();
  const options = Object.entries({ ...passed, hosts }).map(([name, value]) => `--${name}=${value}`);
  // In its own process group, so that a terminal's Ctrl-C reaches it only once, through this process
  const child = spawn(join(ROOT, 'wscale'), ['run', experiment, ...options], {
    cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'], detached: true,
  });
  const stopPassing = signals.passTo(Number(child.pid));
  const ended = new Promise((resolve, reject) => child.on('error', reject).on('close', (...how) => resolve(how)));
  const [code, signal] = await ended.finally(stopPassing);
  return code ?? (signal ? 130 : 1);
}
