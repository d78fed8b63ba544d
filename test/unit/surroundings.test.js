/** Child processes inherit no variables that change what a program does, except those for a proxy or a registry. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ROOT } from '../../harness/common/places.js';
import { clearSurroundings } from '../../harness/common/surroundings.js';

const folder = mkdtempSync(join(tmpdir(), 'surroundings-test-'));
after(() => rmSync(folder, { recursive: true }));

const STEERING = {
  GIT_DIR: '/x', GIT_WORK_TREE: '/x', GIT_INDEX_FILE: '/x', GIT_CONFIG_COUNT: '1', npm_config_omit: 'dev', npm_config_prefix: '/x', npm_package_name: 'x',
  NPM_CONFIG_GLOBAL: 'true', NODE_OPTIONS: '--require /x', NODE_PATH: '/x', NODE_ENV: 'production', NODE_TEST_CONTEXT: 'child-v8', PYTHONPATH: '/x',
  PYTHONHOME: '/x', PIP_TARGET: '/x', MAKEFLAGS: 'n', MFLAGS: '-n', MAKELEVEL: '1', MAKEFILES: '/x', GNUTERM: 'x11', AWKPATH: '/x', POSIXLY_CORRECT: '1',
  BASH_ENV: '/x', 'BASH_FUNC_cd%%': '() { echo; }', CDPATH: '/', TAR_OPTIONS: '-v', XZ_OPT: '-0', LANGUAGE: 'de',
};
const KEPT = {
  PATH: '/bin', HOME: '/root', TMPDIR: '/x', HTTPS_PROXY: 'http://x', no_proxy: 'x', NODE_EXTRA_CA_CERTS: '/x', SSL_CERT_FILE: '/x', GIT_SSL_CAINFO: '/x',
  npm_config_registry: 'http://x', 'npm_config_//x/:_authToken': 'x', npm_config_https_proxy: 'http://x', NPM_CONFIG_REGISTRY: 'http://x',
  PIP_INDEX_URL: 'http://x', PIP_CERT: '/x', PIP_FIND_LINKS: '/x', CARGO_HOME: '/x', GOPROXY: 'http://x', WSCALE_TRACE: '1', LOCPATH: '/x',
};

test('what steers is cleared, what finds and trusts a registry stays, locale and time zone are one', () => {
  const cleared = clearSurroundings({ ...STEERING, ...KEPT, LC_ALL: 'de_DE.UTF-8', TZ: 'Asia/Tokyo' });
  assert.deepEqual(cleared, { ...KEPT, LC_ALL: 'C.UTF-8', TZ: 'UTC' });
});

test('./wscale passes none of these on, by make or not, and runs no code in the name of a variable', () => {
  const copy = join(folder, 'copy');
  for (const part of ['runtimes/node-24/bin', 'harness', 'node_modules']) mkdirSync(join(copy, part), { recursive: true });
  for (const file of ['wscale', 'Makefile', 'harness/steering.txt']) copyFileSync(join(ROOT, file), join(copy, file));
  for (const file of ['package.json', 'package-lock.json', 'node_modules/.harness-complete']) writeFileSync(join(copy, file), '');
  writeFileSync(join(copy, 'runtimes/node-24/bin/node'), '#!/bin/sh\nexec env\n', { mode: 0o755 });
  writeFileSync(join(copy, 'runtimes/node-24/install.sh'), '#!/bin/sh\n', { mode: 0o755 });
  const ran = join(folder, 'ran');
  const steering = Object.fromEntries(Object.entries(STEERING).filter(([name]) => !name.startsWith('MAKE') && name !== 'MFLAGS' && !name.includes('%')));
  const env = { PATH: process.env.PATH, HOME: folder, ...steering, GIT_SSL_CAINFO: '/x', npm_config_registry: 'http://x', [`GIT_$(shell touch ${ran})`]: '1' };
  for (const argv of [['make', 'list'], ['./wscale', 'list']]) {
    const { status, stdout, stderr } = spawnSync(argv[0], argv.slice(1), { cwd: copy, encoding: 'utf8', env });
    assert.equal(status, 0, stderr);
    const names = stdout.split('\n').map((line) => line.split('=')[0]);
    assert.deepEqual(names.filter((name) => name in steering), [], argv[0]);
    assert.ok(names.includes('GIT_SSL_CAINFO') && names.includes('npm_config_registry'), stdout);
    assert.equal(existsSync(ran), false);
  }
});

test('the commit of a run is that of the suite, whatever repository the environment names', () => {
  const other = join(folder, 'other');
  execFileSync('git', ['init', '--quiet', other]);
  execFileSync('git', ['-C', other, '-c', 'user.name=x', '-c', 'user.email=x@x', 'commit', '--quiet', '--allow-empty', '--message', 'x']);
  const program = `import { readCommit } from ${JSON.stringify(join(ROOT, 'harness/common/commit.js'))}; console.log(readCommit({}).commit);`;
  const read = (/** @type {Record<string, string>} */ env) => execFileSync(process.execPath, ['--input-type=module', '--eval', program],
    { encoding: 'utf8', env: { ...process.env, ...env } }).trim();
  assert.equal(read({ GIT_DIR: join(other, '.git'), GIT_WORK_TREE: other, GIT_CEILING_DIRECTORIES: ROOT }), read({}));
});

test('a filter reads a decimal point where the locale has a comma', { skip: hasComma() ? false : 'this machine can make no locale with a decimal comma' }, () => {
  const program = `import { runProgram } from ${JSON.stringify(join(ROOT, 'harness/common/programs.js'))};
    process.stdout.write(runProgram(['mawk', 'BEGIN { print 1.5, "2.5" + 1 }']).stdout);`;
  const env = { ...process.env, LOCPATH: folder, LC_ALL: 'de_DE.UTF-8' };
  assert.equal(execFileSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8', env }), '1.5 3.5\n');
});

/** @returns {boolean} whether a locale with a decimal comma could be made in the folder, and mawk uses it */
function hasComma() {
  spawnSync('localedef', ['-i', 'de_DE', '-f', 'UTF-8', join(folder, 'de_DE.UTF-8')]);
  return spawnSync('mawk', ['BEGIN { print 1.5 }'], { encoding: 'utf8', env: { ...process.env, LOCPATH: folder, LC_ALL: 'de_DE.UTF-8' } }).stdout === '1,5\n';
}
