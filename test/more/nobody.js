/**
 * Runs commands as a user without root, in a mount namespace where that user can reach this checkout. Only root can do
 * this.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { ROOT } from '../../harness/common/places.js';

const AS_NOBODY = 'mount --bind "$0" "$1" && cd "$1" && shift && exec setpriv --reuid=65534 --regid=65534 --clear-groups -- "$@"';
/** Without the variables of the make that runs the tests. @type {NodeJS.ProcessEnv} */
const { MAKEFLAGS: _flags, MAKELEVEL: _level, MFLAGS: _more, ...outer } = process.env;

/** @typedef {{home: string, env: NodeJS.ProcessEnv, argvOf: (...argv: string[]) => [string, string[]], obstacle: string | false}} Nobody */

/**
 * @returns {Nobody} `argvOf`: program and arguments that run a command as that user in the checkout; `obstacle`: why it
 *   cannot work here
 */
export function makeNobody() {
  const home = mkdtempSync(join(tmpdir(), 'nobody-test-'));
  after(() => rmSync(home, { recursive: true, force: true }));
  chmodSync(home, 0o777);
  const place = join(home, 'wscale');
  mkdirSync(place);
  const argvOf = (/** @type {string[]} */ ...argv) =>
    /** @type {[string, string[]]} */ (['unshare', ['--mount', '--propagation', 'private', 'sh', '-c', AS_NOBODY, ROOT, place, ...argv]]);
  const can = (/** @type {string[]} */ ...argv) => spawnSync(...argvOf(...argv)).status === 0;
  const findObstacle = () => {
    if (process.getuid?.() !== 0) return 'this user is not root, who alone can become another';
    if (!can('test', '-r', 'harness/main.js')) return 'others may not read this checkout';
    return can('unshare', '--user', '--map-root-user', '--net', 'true') ? false : 'this kernel gives users no namespaces';
  };
  const env = { ...outer, HOME: home, TMPDIR: home, WSCALE_RESULTS: join(home, 'results') };
  return { home, env, argvOf, obstacle: findObstacle() };
}
