/** Engines under new names, in a folder used in place of servers/: engines of another checkout, or engines slowed down per message. */
import { existsSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { parse, stringify } from 'smol-toml';
import { UserError } from '../../common/failure.js';
import { ROOT } from '../../common/places.js';
import { makeTemporary } from '../../common/temporary.js';
import { isInstalled } from '../install.js';

/**
 * @typedef {{name: string, folder: string, burn_us?: number, preload?: {file: string, env: Record<string, string>}}} Variant `folder` is
 *   the original engine's; `burn_us` is CPU time added per message; `preload` is a file loaded by node before the server, and its `env`
 */

const BURN = join(ROOT, 'harness', 'run', 'duet', 'burn.cjs');

/** @param {Variant[]} variants @returns {string} a temporary folder, to give as WSCALE_SERVERS @throws {UserError} */
export function makeVariants(variants) {
  const absent = variants.filter(({ folder }) => !existsSync(join(folder, 'engine.toml')));
  if (absent.length) throw new UserError(absent.map(({ folder }) => `${folder}: holds no engine.toml, so it is not an engine; give a folder of servers/`));
  const servers = makeTemporary('variants');
  variants.forEach((variant) => makeVariant(servers, variant));
  const from = dirname(variants[0].folder);
  const shared = readdirSync(from, { withFileTypes: true }).filter((entry) => entry.isFile()); // such as the lock file of their workspace
  for (const { name } of shared) symlinkSync(join(from, name), join(servers, name));
  return servers;
}

/** @param {string} servers @param {Variant} variant */
function makeVariant(servers, { name, folder, burn_us, preload = burn_us ? slowDown(burn_us) : undefined }) {
  const made = join(servers, name);
  mkdirSync(made);
  for (const entry of readdirSync(folder)) {
    if (entry !== 'engine.toml' && entry !== '.installed') symlinkSync(join(folder, entry), join(made, entry));
  }
  const { build_inputs, ...engine } = /** @type {any} */ (parse(readFileSync(join(folder, 'engine.toml'), 'utf8')));
  const isBuilt = !engine.build || (build_inputs && isInstalled({ ...engine, build_inputs, folder }));
  const build = isBuilt ? ['true'] : ['flock', '--no-fork', folder, ...within(folder, engine.build)]; // two variants may be of one folder
  const start = within(folder, preload ? loadFirst(engine, preload) : engine.start);
  writeFileSync(join(made, 'engine.toml'), stringify({ ...engine, name, title: `${engine.title} (${name})`, build, start }));
}

/** Servers look for their files in their own folder, so they run there. @param {string} folder @param {string[]} argv */
const within = (folder, argv) => ['sh', '-c', 'cd "$0" && exec "$@"', folder, ...argv];

/** @param {number} burn_us @returns {NonNullable<Variant['preload']>} */
const slowDown = (burn_us) => ({ file: BURN, env: { WSCALE_BURN_US: String(burn_us) } });

/** @param {any} engine @param {NonNullable<Variant['preload']>} preload @returns {string[]} @throws {UserError} */
function loadFirst({ name, start: [command, ...rest] }, { file, env }) {
  if (basename(command) !== 'node') throw new UserError(`${name}: is started by ${command}; only an engine that node starts can be slowed down or made faulty`);
  return ['env', ...Object.entries(env).map(([key, value]) => `${key}=${value}`), command, '--require', file, ...rest];
}
