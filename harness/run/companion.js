/**
 * Companions: what runs beside the load and makes none itself, such as a browser that shows a worker's page. Each is a program of
 * clients/ with a companion.toml, and speaks the protocol of clients/CONTRACT.md.
 */
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { listParts, runtimePath } from '../spec/engines.js';
import { UserError } from '../common/failure.js';
import { writeJson } from '../common/files.js';
import { readManifest } from '../spec/manifest.js';
import { CLIENTS } from '../common/places.js';

/** @typedef {import('../agent/host.js').LocalHost} LocalHost */
/** @typedef {import('../agent/host.js').Started} Started */
/** @typedef {import('../spec/engines.js').Installable & {start: string[]}} Companion */

/** What it is told of the load, of which its own time follows. */
const KEYS = ['ramp_s', 'settle_s', 'hold_s', 'drain_s', 'seed'];

const MANIFEST = 'companion.toml';

export const listCompanions = () => listParts(CLIENTS, MANIFEST);

/** @param {string} name @returns {Companion} as installParts takes it @throws {UserError} when there is none of that name */
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
