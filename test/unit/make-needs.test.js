/** What a target needs is known, and told, before anything is installed: by its rule, by the parts of an experiment, by this user. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ROOT } from '../../harness/common/places.js';

const folder = mkdtempSync(join(tmpdir(), 'needs-test-'));
chmodSync(folder, 0o755);
after(() => rmSync(folder, { recursive: true }));

const MAKEFILE = `
needs_start := needs-run
experiment-%: $(needs_start) needs-harness
figures: set-FROM needs-figures needs-harness
\t@needs-nothing
needs-harness: needs-node node_modules/.complete
x := needs-y
`;

/** @param {string} goals @returns {string[]} */
function listNeeded(goals) {
  writeFileSync(join(folder, 'Makefile'), MAKEFILE);
  const argv = ['-f', join(ROOT, 'harness/make-needs.awk'), join(folder, 'Makefile')];
  return execFileSync('awk', argv, { encoding: 'utf8', env: { ...process.env, goals } }).split(/\s+/).filter(Boolean);
}

test('a goal needs what its rule names, and what that needs; a variable is left to make', () => {
  assert.deepEqual(listNeeded('experiment-3'), ['$(needs_start)', 'harness', 'node']);
  assert.deepEqual(listNeeded('figures experiment-03-a'), ['figures', 'harness', 'node', '$(needs_start)']);
});

test('a goal without a rule needs nothing', () => {
  assert.deepEqual(listNeeded('x nothing'), []);
});

/** @param {string[]} words @returns {string[]} */
const needsOf = (...words) => execFileSync(join(ROOT, 'runtimes/needs.sh'), words, { encoding: 'utf8' }).split('\n').filter(Boolean);

test('an engine needs what its runtime and its build install, whether or not it is there', () => {
  for (const name of ['libwebsocketpp-dev', 'libasio-dev', 'g++:c++']) assert.ok(needsOf('servers/websocketpp').includes(name), name);
  assert.deepEqual(needsOf('servers/ws', 'clients/browser'), ['chromium:chromium']);
  assert.deepEqual(needsOf('servers/nothing'), []);
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

test('what an experiment needs is reported by its profile and the engines that are chosen', () => {
  assert.deepEqual(needsOf('--experiment', '16', '--profile=quick', '--engines=websocketpp').filter((word) => word.endsWith('-dev')), ['libasio-dev', 'libwebsocketpp-dev']);
  assert.ok(needsOf('--experiment', '10', '--profile=quick').includes('permit:capture'));
  assert.deepEqual(needsOf('--experiment', '99'), []);
});

const isRoot = process.getuid?.() === 0;
const NOBODY = isRoot ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', '--'] : [];
const script = join(ROOT, 'runtimes/check-first.sh');
const canRead = spawnSync(NOBODY[0] ?? 'test', [...NOBODY.slice(1), ...(isRoot ? ['test'] : []), '-r', script]).status === 0;
const skip = canRead ? false : 'others may not read this checkout';

/** @param {boolean} permits may namespaces be made? @param {string[]} words */
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

test('an experiment is guessed by the words of its manifest where there is no Node yet', () => {
  const copy = join(folder, 'copy');
  for (const part of ['runtimes', 'experiments/90-some', 'servers/websocketpp', 'servers/gorilla']) mkdirSync(join(copy, part), { recursive: true });
  for (const file of ['needs.sh', 'toml.sh', 'apt-install.sh', 'cpp']) symlinkSync(join(ROOT, 'runtimes', file), join(copy, 'runtimes', file));
  symlinkSync(join(ROOT, 'servers/websocketpp/engine.toml'), join(copy, 'servers/websocketpp/engine.toml'));
  symlinkSync(join(ROOT, 'servers/gorilla/engine.toml'), join(copy, 'servers/gorilla/engine.toml'));
  writeFileSync(join(copy, 'experiments/90-some/experiment.toml'), '[axes]\nengine = ["websocketpp"]\n[network]\ncapture = true\n');
  const found = execFileSync(join(copy, 'runtimes/needs.sh'), ['--experiment', '90'], { encoding: 'utf8' }).split('\n').filter(Boolean);
  assert.deepEqual(found.sort(), ['capture', 'g++:c++', 'libasio-dev', 'libwebsocketpp-dev', 'network', 'permit:capture']);
});

/** @param {string[]} words @returns {string} what make would do */
const dryRun = (...words) => execFileSync('make', ['--dry-run', ...words], { cwd: ROOT, encoding: 'utf8', env: { PATH: process.env.PATH, HOME: process.env.HOME } });

test('the list and a plan need Node, with the packages of the harness, and nothing else of this machine', () => {
  const others = /check-first|apt-install|sysstat|ethtool|gnuplot|needs\.sh|main\.js install|runtimes\/(?!node-24\/)/;
  for (const [said, ...words] of [['main.js list', 'list'], ['main.js settings', 'settings'], ['--plan', 'experiment-11', 'PLAN=1']]) {
    const commands = dryRun(...words);
    assert.ok(commands.includes(said), commands);
    assert.doesNotMatch(commands.replaceAll(/check-first\.sh 'npm:npm'$/gm, ''), others);
  }
  assert.match(dryRun('experiment-11'), others);
});
