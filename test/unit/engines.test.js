import assert from 'node:assert/strict';
import { accessSync, constants, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { UserError } from '../../harness/common/failure.js';
import { RUNTIMES, SERVERS } from '../../harness/common/places.js';
import { isOfVersion, readVersion } from '../../harness/run/environment.js';
import { installParts, installPresent } from '../../harness/run/install.js';
import { describeUnpinned } from '../../report/condition.js';
import { listEngines, listRuntimes, readEngine, readPart, readRuntime, readTestedEngines } from '../../harness/spec/engines.js';

/** @param {string[]} path of an empty file @returns {string} a folder that holds it, removed after the tests */
function makeFolder(...path) {
  const folder = mkdtempSync(join(tmpdir(), 'wscale-engine-'));
  after(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, ...path.slice(0, -1)), { recursive: true });
  writeFileSync(join(folder, ...path), '');
  return folder;
}

/** @param {string} folder @param {string} runtime @param {string} name @returns {string} */
const versionOf = (folder, runtime, name) => readVersion(/** @type {any} */ ({ folder, runtime, package: name }));

test('the version of what Maven brought is that of its own jar, not of one with a longer name', () => {
  const folder = makeFolder('target', 'lib', 'jetty-server-9.1.0.v20131115.jar');
  writeFileSync(join(folder, 'target', 'lib', 'jetty-server-deploy-1.0.jar'), '');
  assert.equal(versionOf(folder, 'java', 'jetty-server'), '9.1.0.v20131115');
  assert.throws(() => versionOf(folder, 'java', 'jetty'), /package: "jetty" is not among what is installed; /);
});

test('the version of a crate is that of the lock file beside its folder', () => {
  const folder = makeFolder('Cargo.lock');
  const crates = ['tokio-util', 'tokio'].map((name, at) => `[[package]]\nname = "${name}"\nversion = "1.2.${at}"\n`);
  writeFileSync(join(folder, 'Cargo.lock'), crates.join('\n'));
  assert.equal(versionOf(join(folder, 'server'), 'rust', 'tokio'), '1.2.1');
  assert.throws(() => versionOf(join(folder, 'server'), 'rust', 'serde'), /package: "serde" is not among what is installed; /);
});

test('where the lock has several versions of a crate, it is that which the package of the folder depends on', () => {
  const folder = makeFolder('server', 'Cargo.toml');
  writeFileSync(join(folder, 'server', 'Cargo.toml'), '[package]\nname = "wscale-server"\n\n[dependencies]\nname = "0.1"\n');
  /** @param {string} name @param {string} version @param {string[]} [dependencies] */
  const entry = (name, version, dependencies = []) =>
    `[[package]]\nname = "${name}"\nversion = "${version}"\ndependencies = [\n${dependencies.map((each) => ` "${each}",\n`).join('')}]\n`;
  const other = entry('wscale-other', '0.1.0', ['tungstenite 0.29.0']);
  const several = [entry('tungstenite', '0.29.0'), entry('tungstenite', '0.30.0', ['bytes']), entry('tungstenite', '0.31.0')];
  writeFileSync(join(folder, 'Cargo.lock'), [...several, other, entry('wscale-server', '0.1.0', ['bytes', 'tungstenite 0.30.0'])].join('\n'));
  assert.equal(versionOf(join(folder, 'server'), 'rust', 'tungstenite'), '0.30.0');
});

test('an engine in C++ of a crate\'s sources has the version that its own lock names', () => {
  const folder = makeFolder('Cargo.lock');
  writeFileSync(join(folder, 'Cargo.lock'), '[[package]]\nname = "sources-sys"\nversion = "0.0.10"\n');
  assert.equal(versionOf(folder, 'cpp', 'sources-sys'), '0.0.10');
});

test('the version of a module of Go is that of the go.mod in its folder, by its whole path', () => {
  const folder = makeFolder('go.mod');
  const required = '\tgithub.com/gorilla/websocket v1.5.3\n\tgolang.org/x/net v0.33.0 // indirect\n';
  writeFileSync(join(folder, 'go.mod'), `module wscale/gorilla\n\nrequire (\n${required})\n\nrequire wscale/contract v0.0.0\n`);
  assert.equal(versionOf(folder, 'go', 'github.com/gorilla/websocket'), 'v1.5.3');
  assert.equal(versionOf(folder, 'go', 'wscale/contract'), 'v0.0.0');
  assert.throws(() => versionOf(folder, 'go', 'gorilla/websocket'), /package: "gorilla\/websocket" is not among what is installed; /);
});

test('no program in Go asks for a later Go than runtimes/go provides', () => {
  const installer = readFileSync(join(RUNTIMES, 'go/install.sh'), 'utf8');
  const minorOf = (/** @type {RegExp} */ form, /** @type {string} */ text) => Number(form.exec(text)?.[1]);
  const least = minorOf(/^least=1\.(\d+)/m, installer);
  const pinned = minorOf(/^pinned=1\.(\d+)/m, installer);
  const manifests = globSync('{servers,clients}/**/go.mod', { cwd: join(RUNTIMES, '..') });
  const asked = manifests.map((path) => minorOf(/^go 1\.(\d+)/m, readFileSync(join(RUNTIMES, '..', path), 'utf8')));
  assert.equal(Math.max(...asked), least);
  assert.ok(least <= pinned, `${pinned}`);
});

test('the version of a package of Python is that which pip installed, not of one with a longer name', () => {
  const installed = ['venv', 'lib', 'python3.11', 'site-packages'];
  const folder = makeFolder(...installed, 'websockets-16.1.1.dist-info', 'METADATA');
  mkdirSync(join(folder, ...installed, 'websockets-proxy-0.1.3.dist-info'));
  assert.equal(versionOf(folder, 'python', 'websockets'), '16.1.1');
  assert.throws(() => versionOf(folder, 'python', 'websocket'), /package: "websocket" is not among what is installed; /);
});

test('the version of what npm brought is that of its package.json, and a package that it did not bring is one clear error', () => {
  const folder = makeFolder('node_modules', 'ws', 'package.json');
  writeFileSync(join(folder, 'node_modules', 'ws', 'package.json'), '{ "version": "8.1.0" }');
  assert.equal(versionOf(folder, 'node-24', 'ws'), '8.1.0');
  assert.throws(() => versionOf(folder, 'bun', 'absent'), /package: "absent" is not among what is installed; /);
});

test('engines that state their limits state the same: of a message, and of what waits where answers are queued', () => {
  const stated = listEngines().map(readEngine).filter(({ limits }) => limits);
  assert.ok(stated.length > 0);
  for (const { name, limits } of stated) {
    assert.equal(limits?.message_b, 100 * 2 ** 20, name);
    assert.ok([0, 16 * 2 ** 20].includes(Number(limits?.unsent_b)), `${name}: ${limits?.unsent_b}`);
  }
});

test('an engine of today that speaks WebSocket states its limits, but for those that have no option for them, whose folder says so', () => {
  const silent = listEngines().map(readEngine).filter(({ dialect, era, limits }) => dialect === 'websocket' && era === 'today' && !limits);
  assert.ok(silent.length > 0);
  for (const { name } of silent) assert.match(readFileSync(join(SERVERS, name, 'engine.toml'), 'utf8'), /so it states no\n?\s*#?\s*limits below/, name);
});

/** Compiling a Crystal engine takes a minute of CPU time: test/more/languages.test.js does it (`make test-more`). */
const UNTESTED = ['Crystal'];

test('the tests check an engine of each language, and leave out those that say so', () => {
  /** @param {{runtime: string}[]} engines */
  const languagesOf = (engines) => new Set(engines.map(({ runtime }) => readRuntime(runtime).language));
  const [all, tested] = [listEngines().map(readEngine), readTestedEngines()];
  assert.deepEqual(languagesOf(tested), new Set([...languagesOf(all)].filter((language) => !UNTESTED.includes(language))));
  assert.deepEqual(tested.map(({ name }) => name), all.filter(({ ci }) => ci !== false).map(({ name }) => name));
});

test('each runtime says how it is asked, and can be installed', () => {
  for (const name of listRuntimes()) {
    const { package_version: [program], build_path } = readRuntime(name);
    for (const path of ['install.sh', program]) accessSync(join(RUNTIMES, name, path), constants.X_OK);
    assert.deepEqual(build_path.filter((each) => !listRuntimes().includes(each)), []);
  }
});

test('an engine of a runtime that is not known is one clear error', () => {
  const folder = makeFolder('engine', 'engine.toml');
  writeFileSync(join(folder, 'engine', 'engine.toml'), readFileSync(join(SERVERS, 'ws', 'engine.toml'), 'utf8')
    .replace('name = "ws"', 'name = "engine"').replace('runtime = "node-24"', 'runtime = "algol"'));
  assert.throws(() => readPart(folder, 'engine', 'engine', () => ['engine']),
    { message: /engine\.toml: runtime: "algol" has no runtimes\/algol\/runtime\.toml; use one of bun, .+/ });
});

/** @param {string} build a shell command @returns {any} a part that it installs */
const makePart = (build) => ({ folder: makeFolder('package.json'), runtime: 'node-24', build: ['sh', '-c', build], build_inputs: ['package.json'] });

test('a part that is named twice is installed once, and not again', async () => {
  const [part, other] = [makePart('echo once >> installed'), makePart('echo once >> installed')];
  /** @type {string[]} */
  const reported = [];
  for (const parts of [[part, other, part], [part]]) await installParts(parts, (line) => reported.push(line));
  for (const { folder } of [part, other]) assert.equal(readFileSync(join(folder, 'installed'), 'utf8'), 'once\n');
  assert.equal(reported.length, 2);
});

test('of two who install a part at the same time one waits for the other, and finds it installed', async () => {
  const part = makePart('mkdir building && sleep 0.3 && rmdir building && echo once >> installed');
  await Promise.all([installParts([part], () => {}), installParts([part], () => {})]);
  assert.equal(readFileSync(join(part.folder, 'installed'), 'utf8'), 'once\n');
});

test('an installation that fails is reported when no other runs any more', async () => {
  const [broken, slow] = [makePart('exit 1'), makePart('sleep 0.5; touch installed')];
  await assert.rejects(installParts([broken, slow], () => {}), /`sh -c exit 1` failed; read results\/install\.log/);
  assert.ok(existsSync(join(slow.folder, 'installed')));
  assert.ok(!existsSync(join(broken.folder, '.installed')));
});

test('a part that this system has no package for is named with the reason and left out, and the others are installed', async () => {
  const said = 'error: apt-install: this release has no package crystal; install it by other means';
  const [absent, other] = [makePart(`echo "${said}" >&2; exit 72`), makePart('touch installed')];
  /** @type {string[]} */
  const told = [];
  const reasons = await installPresent([absent, other], (line) => told.push(line));
  assert.deepEqual([...reasons.keys()], [absent.folder]);
  assert.match(told.join('\n'), /left out: .*: apt-install: this release has no package crystal; /);
  assert.ok(existsSync(join(other.folder, 'installed')));
  await assert.rejects(installParts([absent], () => {}), /this release has no package crystal/);
  await assert.rejects(installPresent([makePart('exit 1')], () => {}), /failed; read results\/install\.log/);
});

test('an interruption ends what is being installed', async () => {
  const part = makePart('sleep 60');
  const began = performance.now();
  await assert.rejects(installParts([part], () => {}, AbortSignal.timeout(200)), { name: 'TimeoutError' });
  assert.ok(performance.now() - began < 30_000);
  assert.ok(!existsSync(join(part.folder, '.installed')));
});

test('all that is wrong with an engine.toml is told at once', () => {
  const folder = makeFolder('mine', 'engine.toml');
  const sound = readFileSync(join(SERVERS, 'websockets', 'engine.toml'), 'utf8');
  const part = '[options.loop.parts.other]\nfolder = "../x"\nruntime = "cobol"\nbuild = ["true"]\n';
  writeFileSync(join(folder, 'mine', 'engine.toml'), `${sound.replace('runtime = "python"', 'runtime = "../x"').replace('min = 1', 'min = 2')}\n${part}`);
  assert.throws(() => readPart(folder, 'mine', 'engine', () => []), (error) => {
    const problems = error instanceof UserError ? error.problems.map((problem) => problem.replace(/^.*engine\.toml: /, '')) : [];
    assert.deepEqual(problems.map((problem) => problem.split('; ')[0]), [
      'runtime: "../x" is not a name (a to z, 0 to 9, "." and "-", 64 at most)', 'roles.worker.min: 2 must be <= 1', 'roles.worker.default: 1 must be >= 2',
      'name: "websockets" is not the folder\'s name', 'options.loop.parts.other: "other" is no value of the option',
      'options.loop.parts.other.runtime: "cobol" has no runtimes/cobol/runtime.toml',
    ]);
    return true;
  });
});

test('a run by another Go than the results of record says so, and one by that Go does not', () => {
  const told = (/** @type {string} */ version) => `go version go${version} linux/amd64`;
  assert.deepEqual(['1.26.8', '1.26', '1.2', '1.260.1', '1.24.4'].map((version) => isOfVersion(told(version), 'go1.26')), [true, true, false, false, false]);
  const spec = { engines: { gorilla: { runtime: told('1.24.4'), pinned_runtime: 'go1.26' }, ws: { runtime: 'v24.21.0' } }, generators: {} };
  assert.equal(describeUnpinned(spec), `VERSIONS OTHER THAN THE RECORDS', on which costs depend: ${told('1.24.4')} for go1.26`);
  assert.equal(describeUnpinned({ ...spec, engines: { ws: spec.engines.ws } }), '');
});

test('of each runtime that a system brings the version of the records is pinned, and the others are installed by a lock', () => {
  const unpinned = listRuntimes().filter((name) => !readRuntime(name).pinned);
  assert.deepEqual(unpinned.filter((name) => !existsSync(join(RUNTIMES, name, 'package-lock.json'))), []);
});
