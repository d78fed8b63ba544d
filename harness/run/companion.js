/**
 * Companions: what runs beside the load and makes none itself, such as a browser that shows a worker's page. Each is a program of
 * clients/ with a companion.toml, and speaks the protocol of clients/CONTRACT.md.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { runtimePath } from '../spec/engines.js';
import { readCompanion } from '../spec/generators.js';
import { writeJson } from '../common/files.js';

/** @typedef {import('../agent/host.js').LocalHost} LocalHost */
/** @typedef {import('../agent/host.js').Started} Started */

/** What it is told of the load, of which its own time follows. */
const KEYS = ['ramp_s', 'settle_s', 'hold_s', 'drain_s', 'seed'];

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
