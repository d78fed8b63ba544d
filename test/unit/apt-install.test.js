/**
 * Missing packages are reported together: one line each with the reason, and one command. These tests install no
 * package.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, globSync, mkdirSync, readFileSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { PACKAGES, listPackages } from '../../harness/cli/provide.js';
import { ROOT } from '../../harness/common/places.js';

const folder = mkdtempSync(join(tmpdir(), 'apt-test-'));
after(() => rmSync(folder, { recursive: true }));

/**
 * @param {string} name of a folder for PATH @param {number} code exit code of its apt-get
 * @returns {string} path of the folder
 */
function makeBin(name, code) {
  const bin = join(folder, name);
  mkdirSync(bin);
  for (const command of ['bash', 'env', 'flock', 'sort', 'cat']) symlinkSync(`/usr/bin/${command}`, join(bin, command));
  const scripts = { 'apt-get': `echo "$@" >> ${join(folder, name)}.log; exit ${code}`, 'dpkg-query': 'exit 1', sudo: 'exec "$@"' };
  for (const [command, script] of Object.entries(scripts)) {
    writeFileSync(join(bin, command), `#!/bin/bash\n${script}\n`);
    chmodSync(join(bin, command), 0o755);
  }
  return bin;
}

test('all that is lacking is reported at once, each package once with its reason, and in one command', () => {
  const PATH = makeBin('failing', 100);
  const packages = ['sysstat:no-sar', 'sysstat:no-pidstat', 'tshark:no-tshark', 'bash:bash', 'strange'];
  const { status, stderr } = spawnSync('/bin/bash', [join(ROOT, 'runtimes/apt-install.sh'), ...packages], { env: { PATH }, encoding: 'utf8' });
  assert.equal(status, 69);
  assert.deepEqual(stderr.split('\n').slice(1, 4).map((line) => line.trim().split(/ {2,}/)), [
    ['strange', 'what was asked for is built with it, or runs it'],
    ['sysstat', 'samples CPU, memory and network while a trial runs'],
    ['tshark', 'captures and reads packets'],
  ]);
  assert.match(stderr, /apt-get install --no-install-recommends strange sysstat tshark\n$/);
});

test('with --lacking what is lacking is printed, once each, and nothing is installed', () => {
  const PATH = makeBin('asked', 100);
  const argv = [join(ROOT, 'runtimes/apt-install.sh'), '--lacking', 'tshark:no-tshark', 'sysstat:no-sar', 'sysstat:no-pidstat', 'bash:bash'];
  const { status, stdout, stderr } = spawnSync('/bin/bash', argv, { env: { PATH }, encoding: 'utf8' });
  assert.deepEqual({ status, stdout, stderr }, { status: 0, stdout: 'sysstat\ntshark\n', stderr: '' });
  assert.equal(existsSync(join(folder, 'asked.log')), false);
});

test('each package that the suite\'s own scripts ask for has a reason of its own; an engine\'s may be any', () => {
  const own = globSync(['runtimes/*/', 'clients/*/'], { cwd: ROOT });
  const packages = [...new Set(listPackages([...Object.keys(PACKAGES), ...own]).map((word) => word.split(':')[0]))];
  assert.ok(packages.length > 20, String(packages));
  const PATH = makeBin('reasons', 100);
  const argv = [join(ROOT, 'runtimes/apt-install.sh'), ...packages.map((name) => `${name}:no-such-command`)];
  const { stderr } = spawnSync('/bin/bash', argv, { env: { PATH }, encoding: 'utf8' });
  assert.equal(stderr.split('\n').filter((line) => line.startsWith('  ')).length, packages.length);
  assert.doesNotMatch(stderr, /what was asked for is/);
});

test('where nothing is lacking nothing is said', () => {
  const PATH = makeBin('whole', 100);
  const { status, stderr } = spawnSync('/bin/bash', [join(ROOT, 'runtimes/apt-install.sh'), 'bash:bash', 'x:env'], { env: { PATH }, encoding: 'utf8' });
  assert.deepEqual({ status, stderr }, { status: 0, stderr: '' });
});

/**
 * @param {string} name of a folder for PATH @param {Record<string, string>} special scripts of commands in it, by name
 * @returns {string} path of the folder
 */
function makeArchive(name, special) {
  const bin = makeBin(name, 0);
  const scripts = { 'apt-cache': 'echo "Package: $2"', ...special };
  for (const command of ['grep', 'dpkg']) symlinkSync(`/usr/bin/${command}`, join(bin, command));
  for (const [command, script] of Object.entries(scripts)) writeFileSync(join(bin, command), `#!/bin/bash\n${script}\n`, { mode: 0o755 });
  return bin;
}

test('of alternative packages the first that this release has is installed, unless one of them already is', () => {
  const words = [join(ROOT, 'runtimes/apt-install.sh'), 'jdk-17,jdk-21,jdk-25', 'strange'];
  const PATH = makeArchive('trixie', { 'apt-cache': '[[ $2 != jdk-17 ]] && echo "Package: $2"' });
  const { stderr } = spawnSync('/bin/bash', words, { env: { PATH }, encoding: 'utf8' });
  assert.match(stderr, /jdk-17 or jdk-21 or jdk-25 /);
  assert.match(readFileSync(join(folder, 'trixie.log'), 'utf8'), /^-qq .* install --no-install-recommends -y jdk-21 strange$/m);
  const installed = makeArchive('later', { 'dpkg-query': '[[ ${@: -1} == jdk-25 ]] && echo "ii 25.0"' });
  assert.equal(spawnSync('/bin/bash', [...words.slice(0, 2), 'bash:bash'], { env: { PATH: installed }, encoding: 'utf8' }).stderr, '');
});

test('a package that is too old is upgraded; if the archives have none new enough, the error names it and what to do', () => {
  const PATH = makeArchive('old', { 'dpkg-query': 'echo "ii  1.85.0+dfsg3-1~deb12u3"' });
  const words = [join(ROOT, 'runtimes/apt-install.sh'), 'rustc-web@1.88', 'cargo-web@1.85'];
  const { status, stderr } = spawnSync('/bin/bash', words, { env: { PATH }, encoding: 'utf8' });
  assert.match(readFileSync(join(folder, 'old.log'), 'utf8'), /install --no-install-recommends -y rustc-web$/m);
  assert.equal(status, 72);
  assert.match(stderr, /rustc-web 1\.88 or later +builds what is in Rust/);
  const said = /^error: apt-install: (rustc-web is to be 1\.88 or later, and these archives have .*1\.85.*); (.*)$/m.exec(stderr);
  assert.match(said?.[2] ?? stderr, /^add the archive of security updates .*apt-get update && apt-get install rustc-web$/);
});

test('a bare system is built only of a Debian that is known', () => {
  const check = (/** @type {string[]} */ ...argv) => spawnSync('infra/newcomer/check.sh', argv, { cwd: ROOT, encoding: 'utf8' });
  for (const argv of [[], ['sid'], ['trixie; id']]) {
    const { status, stderr } = check(...argv);
    assert.deepEqual([status, stderr], [2, `error: SUITE is '${argv[0] ?? ''}'; say bookworm, trixie, jammy, noble or resolute\n`]);
  }
});

test('a package that this release lacks is an error; with --if-there the others are installed', () => {
  const PATH = makeArchive('without', { 'apt-cache': '[[ $2 != crystal ]] && echo "Package: $2"' });
  const run = (/** @type {string[]} */ ...argv) => spawnSync('/bin/bash', [join(ROOT, 'runtimes/apt-install.sh'), ...argv], { env: { PATH }, encoding: 'utf8' });
  const alone = run('crystal');
  assert.equal(alone.status, 72);
  assert.match(alone.stderr, /^error: apt-install: this release has no package crystal; install it by other means/m);
  const others = run('--if-there', 'crystal', 'ruby');
  assert.equal(others.status, 0);
  assert.match(others.stderr, /not in this release, so what needs it is left out:\n {2}crystal +builds engines in Crystal\n/);
  assert.match(readFileSync(join(folder, 'without.log'), 'utf8'), /install --no-install-recommends -y ruby$/m);
});
