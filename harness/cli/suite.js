/** Starts the native load generator, and checks that are separate programs. */
import { join } from 'node:path';
import { ROOT } from '../common/places.js';
import { start, startEach } from './children.js';

const SWARM = join(ROOT, 'clients/swarm');
const CARGO = join(ROOT, 'runtimes/rust/bin/cargo');

/** @param {string[]} argv */
const build = (argv) => start([CARGO, 'build', '--release', '--locked', '--quiet', ...argv], { cwd: SWARM });

/** @param {string[]} argv of swarm; none only builds it @returns {Promise<number>} */
export async function swarm(argv) {
  const program = join(SWARM, 'target/release/swarm');
  const steps = [() => build(['-p', 'swarm'])];
  if (argv.length) steps.push(() => start([program, ...argv], { cwd: process.cwd() }));
  const code = await startEach(steps);
  if (!argv.length && code === 0) console.log(program);
  return code;
}

/** @returns {Promise<number>} */
export const checkTruth = () => startEach([
  () => build(['--workspace']), () => start([process.execPath, 'clients/swarm/truth/check-truth.js']),
]);

/**
 * @param {{peers?: boolean, repeats?: string, seed?: string, quick?: boolean, loads?: string, baseline?: string}} given
 * @returns {Promise<number>}
 */
export const benchSwarm = ({ peers, repeats, seed, quick, loads, baseline }) => startEach([
  () => build(['--workspace']),
  () => start([
    process.execPath, 'clients/swarm/bench/bench-swarm.js', ...(peers ? ['--peers'] : []), ...(repeats ? [`--repeats=${repeats}`] : []),
    ...(seed ? [`--seed=${seed}`] : []), ...(quick ? ['--quick'] : []),
    ...(loads ? [`--loads=${loads}`] : []), ...(baseline ? [`--baseline=${baseline}`] : []),
  ]),
]);

/** @returns {Promise<number>} */
export const lint = () => start(['test/lint.sh']);
