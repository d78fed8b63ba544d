/**
 * The environment, for this process and all that it starts but a trial's processes (agent/host.js): without what steers programs
 * behind our back (harness/steering.txt), in one locale and one time zone. What is first loaded of a program loads this.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A decimal point is a point, the order of lines that of their bytes, text UTF-8; a PDF holds the time with its zone. */
const FIXED = { LC_ALL: 'C.UTF-8', TZ: 'UTC' };

/** @returns {Record<string, (name: string) => boolean>} of each list of steering.txt, is a name in it? */
function readLists() {
  const text = readFileSync(join(import.meta.dirname, '..', 'steering.txt'), 'utf8');
  return Object.fromEntries([...text.matchAll(/^(\w+): (.*)$/gm)].map(([, list, patterns]) => {
    const words = patterns.split(/\s+/).filter(Boolean);
    return [list, (/** @type {string} */ name) => words.some((word) => (word.endsWith('*') ? name.startsWith(word.slice(0, -1)) : name === word))];
  }));
}

/** @param {NodeJS.ProcessEnv} env @returns {NodeJS.ProcessEnv} what of it a child is given */
export function clearSurroundings(env) {
  const { steering, kept, of_make } = readLists();
  const steers = (/** @type {string} */ name) => of_make(name) || (steering(name) && !kept(name));
  return { ...Object.fromEntries(Object.entries(env).filter(([name]) => !steers(name))), ...FIXED };
}

const clear = clearSurroundings(process.env);
// node --test tells a file's process by it how to report, which node:test reads after this
const OF_TEST_RUNNER = 'NODE_TEST_CONTEXT';
for (const name of Object.keys(process.env)) if (!(name in clear) && name !== OF_TEST_RUNNER) delete process.env[name];
Object.assign(process.env, clear);
