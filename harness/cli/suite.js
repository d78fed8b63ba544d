/** Starts the native load generator, and checks that are separate programs. */
import { join } from 'node:path';
import { ROOT } from '../common/places.js';
import { start, startEach } from '../common/children.js';

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

/** @param {Record<string, string | true>} given options of bench-swarm.js @returns {Promise<number>} */
export const benchSwarm = (given) => startEach([
  () => build(['--workspace']),
  () => start([
    process.execPath, 'clients/swarm/bench/bench-swarm.js',
    ...Object.entries(given).map(([name, value]) => (value === true ? `--${name}` : `--${name}=${value}`)),
  ]),
]);
