/**
 * Companions: what runs beside the load and makes none itself, such as a browser that shows a worker's page. Each is a program of
 * clients/ with a companion.toml, and speaks the protocol of clients/CONTRACT.md.
 */
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { within } from './clock.js';
import { listParts, runtimePath } from './engines.js';
import { TrialError, UserError } from './failure.js';
import { writeJson } from './files.js';
import { readManifest } from './manifest.js';
import { CLIENTS } from './places.js';

/** @typedef {import('./host.js').LocalHost} LocalHost */
/** @typedef {import('./host.js').Started} Started */
/** @typedef {import('./engines.js').Installable & {start: string[]}} Companion */

/** What it is told of the load, of which its own time follows. */
const KEYS = ['ramp_s', 'settle_s', 'hold_s', 'drain_s', 'seed'];
/** Time after the drain: for what it still looks at when the load is over, and for its records. */
const ENDS_WITHIN_S = 30;

const MANIFEST = 'companion.toml';

export const listCompanions = () => listParts(CLIENTS, MANIFEST);

/** @param {string} name @returns {Companion} as installPart takes it @throws {UserError} when there is none of that name */
export function readCompanion(name) {
  const folder = join(CLIENTS, name);
  const path = join(folder, MANIFEST);
  if (!existsSync(path)) throw new UserError(`load.companion: "${name}" is not a companion; use one of ${listCompanions().join(', ')}`);
  return { ...readManifest(path, 'generator'), folder }; // the same keys
}

/**
 * Start a companion; it is ready as a client is (waitUntilReady), and is told `go` at the same time.
 * @param {LocalHost} host
 * @param {string} name
 * @param {Record<string, any>} config the client's, with the `url` that the companion opens
 * @param {string} folder for its logs, its configuration, and its records in a folder of its name
 * @returns {Promise<Started>}
 */
export async function startCompanion(host, name, config, folder) {
  const companion = readCompanion(name);
  const out = join(folder, name);
  mkdirSync(out, { recursive: true });
  const path = join(folder, `${name}.json`);
  writeJson(path, { url: config.url, out, ...Object.fromEntries(KEYS.map((key) => [key, config[key]])) });
  return host.start({
    argv: [...companion.start, path],
    cwd: companion.folder,
    side: 'client',
    path: runtimePath(companion),
    stdout: join(folder, `${name}.out`),
    stderr: join(folder, `${name}.err`),
    stdin: 'pipe',
  });
}

/**
 * @param {Started} companion @param {string} name
 * @param {number} drainS the drain of the load, which it waits for
 * @param {AbortSignal} [signal]
 * @throws {TrialError} when it takes longer, or fails
 */
export async function finishCompanion(companion, name, drainS, signal) {
  const limit = drainS + ENDS_WITHIN_S;
  const exit = await within(companion.exited, limit * 1000, signal);
  if (!exit) throw new TrialError(`the companion ${name} did not end within ${limit} s of the window's end; read ${name}.err beside it`);
  if (exit.code !== 0) throw new TrialError(`the companion ${name} failed: it ${companion.describeEnd()}`);
}
