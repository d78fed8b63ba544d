/** Tests the Makefile: which arguments it would pass to ./wscale, without running it. */
import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readMake } from '../harness/cli/program.js';
import { ROOT } from '../harness/common/places.js';

/** In place of ./wscale: prints its arguments and environment as JSON. */
const ASKED = `#!${process.execPath}
console.log(JSON.stringify({ argv: process.argv.slice(2), env: process.env }));
`;

/** @param {string[]} args @param {Record<string, string>} env @param {string} cwd */
function make(args, env, cwd) {
  return spawnSync('make', args, { cwd, encoding: 'utf8', env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env } });
}

/**
 * @param {string[]} args of make @param {Record<string, string>} [env] besides PATH and HOME
 * @returns {{argv: string[], stderr: string}} the equivalent arguments of ./wscale; none if make itself refused
 * @throws {import('../harness/common/failure.js').UserError} for an unknown target or variable
 */
export function askMake(args, env = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'make-'));
  try {
    copyFileSync(join(ROOT, 'Makefile'), join(folder, 'Makefile'));
    writeFileSync(join(folder, 'wscale'), ASKED);
    chmodSync(join(folder, 'wscale'), 0o755);
    const { stdout, stderr } = make(args, env, folder);
    if (!stdout.startsWith('{')) return { argv: [], stderr };
    const called = JSON.parse(stdout);
    return { argv: readMake(called.argv, called.env), stderr };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * Runs make in the suite itself.
 * @param {string[]} args a command that is refused before it starts anything @param {Record<string, string>} [env]
 */
export const callMake = (args, env = {}) => make(args, env, ROOT);
