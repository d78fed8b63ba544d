/** What a command needs is known before anything is installed: the packages of all parts, and the user's rights. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { COMMANDS } from '../../harness/cli/program.js';
import { needsOfMore } from '../../harness/cli/tests.js';
import { listOfFolders, listPackages } from '../../harness/cli/provide.js';
import { ROOT } from '../../harness/common/places.js';
import { listCompanions, readCompanion } from '../../harness/spec/generators.js';

const folder = mkdtempSync(join(tmpdir(), 'needs-test-'));
chmodSync(folder, 0o755);
after(() => rmSync(folder, { recursive: true }));

/**
 * @param {string} name @param {any} [given] @param {string[]} [operands]
 * @returns {Promise<string[]>} Debian packages that the command needs
 */
async function packagesOf(name, given = {}, operands = []) {
  const command = COMMANDS.find((each) => each.name === name);
  assert.ok(command, name);
  return listPackages(await command.needs(given, operands));
}

test('an engine needs what its runtime and its build install, whether or not it is there', () => {
  for (const name of ['libwebsocketpp-dev', 'libasio-dev', 'g++:c++']) assert.ok(listOfFolders(['servers/websocketpp']).includes(name), name);
  assert.deepEqual(listOfFolders(['servers/ws', 'clients/browser']), ['chromium:chromium']);
  assert.deepEqual(listOfFolders(['servers/nothing']), []);
});

test('an engine may be of any package of Debian, with the flags that pkg-config knows of it', () => {
  const engine = join(folder, 'qt');
  mkdirSync(engine, { recursive: true });
  const build = (/** @type {string[]} */ ...argv) => spawnSync(join(ROOT, 'runtimes/cpp/build.sh'), argv, {
    cwd: engine, encoding: 'utf8', env: { PATH: process.env.PATH, PKG_CONFIG_PATH: engine },
  });
  const asked = build('--lacking', 'qt6-websockets-dev', '-fPIC', 'pkg-config:Qt6WebSockets', '--', 'qt6-base-dev');
  assert.deepEqual([asked.stdout, asked.status], ['qt6-websockets-dev qt6-base-dev pkg-config:pkg-config\n', 0]);
});

const hasTools = existsSync(join(ROOT, 'runtimes/cpp/bin/c++')) && spawnSync('pkg-config', ['--version']).status === 0;
test('flags of pkg-config are those that an engine in C++ is built with', { skip: hasTools ? false : 'there is no C++ compiler, or no pkg-config' }, () => {
  const engine = join(folder, 'some');
  mkdirSync(engine, { recursive: true });
  writeFileSync(join(engine, 'some.pc'), 'Name: some\nDescription: none\nVersion: 1\nCflags: -DANSWER=42\nLibs: -lm\n');
  writeFileSync(join(engine, 'server.cpp'), '#include <cstdio>\nint main() { std::printf("%d %s", ANSWER, PACKAGE_VERSION); }\n');
  const build = (/** @type {string} */ name) => spawnSync(join(ROOT, 'runtimes/cpp/build.sh'), ['bash', '-O0', `pkg-config:${name}`], {
    cwd: engine, encoding: 'utf8', env: { PATH: process.env.PATH, PKG_CONFIG_PATH: engine },
  });
  const { status, stderr } = build('some');
  assert.equal(status, 0, stderr);
  assert.match(execFileSync(join(engine, 'target/server'), { encoding: 'utf8' }), /^42 \d/);
  const unknown = build('nothing-of-the-kind');
  assert.equal(unknown.status, 69);
  assert.match(unknown.stderr, /nothing-of-the-kind/);
});

test('what an experiment needs is reported by its profile and the engines that are chosen', async () => {
  const own = await packagesOf('run', { profile: 'quick', engines: 'websocketpp' }, ['16']);
  // The yardstick needs libc6-dev
  assert.deepEqual(own.filter((word) => word.endsWith('-dev')), ['libasio-dev', 'libc6-dev', 'libwebsocketpp-dev']);
  assert.ok((await packagesOf('run', { profile: 'quick' }, ['10'])).includes('permit:capture'));
  await assert.rejects(packagesOf('run', {}, ['99']), /there is no experiment "99"/);
});

test('an experiment with a companion installs the packages that it names, and no other does', async () => {
  const packages = await packagesOf('run', { profile: 'quick' }, ['2']);
  const named = listCompanions().flatMap((companion) => readCompanion(companion).packages ?? []);
  for (const name of named) assert.ok(packages.includes(name), name);
  assert.ok(!(await packagesOf('run', { profile: 'quick' }, ['1'])).some((name) => name.startsWith('chromium')));
});

test('the list and a plan need nothing of this machine beside Node and the packages of the harness; a run does', async () => {
  for (const [name, given, ...operands] of /** @type {const} */ ([['list', {}], ['settings', {}], ['run', { plan: true }, '11']])) {
    assert.deepEqual(await packagesOf(name, given, [...operands]), [], name);
  }
  assert.ok((await packagesOf('run', {}, ['11'])).includes('sysstat:sar'));
});

test('the long tests install here what a host on EC2 is set up with: their hosts share these files, and have no network', () => {
  assert.ok(listPackages(needsOfMore()).includes('iperf3:iperf3'));
});

/** @param {string} name @param {string} way @returns {string} path */
function writeHosts(name, way) {
  const path = join(folder, name);
  writeFileSync(path, `[[hosts]]\nname = "one"\n${way}\nrole = "both"\naddress = "10.0.0.1"\n`);
  return path;
}

test('with hosts this machine needs no programs of a trial, only those for figures, and ssh if a host is reached by it', async () => {
  const bySsh = writeHosts('ssh.toml', 'ssh = "one"');
  const packages = await packagesOf('run', { hosts: bySsh }, ['10']);
  assert.ok(packages.includes('openssh-client:ssh') && packages.includes('gnuplot-nox:gnuplot'));
  assert.ok(!packages.includes('tcpdump:tcpdump'));
  const byCommand = writeHosts('exec.toml', 'exec = ["podman", "exec", "-i", "one"]');
  for (const name of ['run', 'reproduce', 'doctor']) {
    const isSsh = (/** @type {string} */ each) => each.startsWith('openssh');
    assert.ok((await packagesOf(name, { hosts: bySsh }, ['10'])).some(isSsh), name);
    assert.ok(!(await packagesOf(name, { hosts: byCommand }, ['10'])).some(isSsh), name);
  }
});

const isRoot = process.getuid?.() === 0;
const NOBODY = isRoot ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', '--'] : [];
const script = join(ROOT, 'runtimes/check-first.sh');
const canRead = spawnSync(NOBODY[0] ?? 'test', [...NOBODY.slice(1), ...(isRoot ? ['test'] : []), '-r', script]).status === 0;
const skip = canRead ? false : 'others may not read this checkout';

/** @param {boolean} permits whether `unshare` works @param {string[]} words */
function checkFirst(permits, ...words) {
  const bin = join(folder, `permits-${permits}`);
  mkdirSync(bin, { recursive: true });
  rmSync(join(bin, 'unshare'), { force: true });
  writeFileSync(join(bin, 'unshare'), `#!/bin/sh\nexit ${permits ? 0 : 1}\n`);
  chmodSync(join(bin, 'unshare'), 0o755);
  const [program, ...rest] = [...NOBODY, '/bin/bash', script, ...words];
  return spawnSync(program, rest, { encoding: 'utf8', env: { PATH: `${bin}:${process.env.PATH}` } });
}

test('what this user may not do is reported before packages are installed, which are listed with it', { skip }, () => {
  const { status, stderr } = checkFirst(false, 'bash:bash', 'permit:capture', 'permit:link', 'strange:no-such-command');
  assert.equal(status, 77);
  assert.match(stderr, /^error: capture: .* may make no network namespace; run it as root/m);
  assert.match(stderr, /^error: link: .* has neither tc-netem nor \/dev\/net\/tun; run it as root$/m);
  assert.match(stderr, /not installed: apt-get install --no-install-recommends strange$/m);
});

test('where this user may, and nothing is lacking, nothing is said', { skip }, () => {
  const { status, stdout, stderr } = checkFirst(true, 'bash:bash', 'permit:capture');
  assert.deepEqual({ status, stdout, stderr }, { status: 0, stdout: '', stderr: '' });
});
