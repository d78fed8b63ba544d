/**
 * Cleans the environment of this process and of all that it starts, except a trial's processes (agent/host.js). It removes
 * variables that steer programs unnoticed (harness/steering.txt), and fixes locale and time zone. A program imports this first.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Decimal points, lines sorted by bytes, UTF-8. A PDF contains the time with its zone. */
const FIXED = { LC_ALL: 'C.UTF-8', TZ: 'UTC' };

/** @returns {Record<string, (name: string) => boolean>} for each list of steering.txt: is a name in it? */
function readLists() {
  const text = readFileSync(join(import.meta.dirname, '..', 'steering.txt'), 'utf8');
  return Object.fromEntries([...text.matchAll(/^(\w+): (.*)$/gm)].map(([, list, patterns]) => {
    const words = patterns.split(/\s+/).filter(Boolean);
    return [list, (/** @type {string} */ name) => words.some((word) => (word.endsWith('*') ? name.startsWith(word.slice(0, -1)) : name === word))];
  }));
}

/** @param {NodeJS.ProcessEnv} env @returns {NodeJS.ProcessEnv} the part given to a child */
export function clearSurroundings(env) {
  const { steering, kept, of_make } = readLists();
  const steers = (/** @type {string} */ name) => of_make(name) || (steering(name) && !kept(name));
  return { ...Object.fromEntries(Object.entries(env).filter(([name]) => !steers(name))), ...FIXED };
}

const clear = clearSurroundings(process.env);
// node --test passes the form of reports in it, and node:test reads it later
const OF_TEST_RUNNER = 'NODE_TEST_CONTEXT';
for (const name of Object.keys(process.env)) if (!(name in clear) && name !== OF_TEST_RUNNER) delete process.env[name];
Object.assign(process.env, clear);
