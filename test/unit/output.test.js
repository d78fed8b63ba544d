/** How commands end if their output has no reader or space, if a path is unusual, or if a file is a folder. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { after, test } from 'node:test';
import { ROOT } from '../../harness/common/places.js';

const folder = mkdtempSync(join(tmpdir(), 'output-test-'));
after(() => rmSync(folder, { recursive: true }));

const MAIN = join(ROOT, 'harness/main.js');

/**
 * @param {string[]} argv @param {import('node:child_process').SpawnSyncOptions} [how]
 * @returns {{status: number | null, said: string}}
 */
function run(argv, how = {}) {
  const { status, stderr, stdout } = spawnSync(argv[0], argv.slice(1), { cwd: ROOT, encoding: 'utf8', ...how });
  return { status, said: `${stdout ?? ''}${stderr}` };
}

/** A run that prints until it is stopped, and then cleans up. */
const RUN = `import { writeFileSync } from 'node:fs';
import { finish } from ${JSON.stringify(join(ROOT, 'harness/common/output.js'))};
import { listenForSignals } from ${JSON.stringify(join(ROOT, 'harness/run/signals.js'))};
async function main() {
  const { signal, release } = listenForSignals();
  try {
    for (;;) {
      console.log('x'.repeat(65536));
      await new Promise((resolve) => setImmediate(resolve));
      signal.throwIfAborted();
    }
  } finally {
    release();
    writeFileSync(process.argv[1], 'cleaned');
  }
}
await finish(main(), (error) => { console.error(error.message); return 130; });`;

const LISTING = `import { finish } from ${JSON.stringify(join(ROOT, 'harness/common/output.js'))};
async function main() {
  for (let i = 0; i < 100; i++) { console.log('x'.repeat(65536)); process.stdout.write('y'); }
  return 0;
}
await finish(main(), (error) => { throw error; });`;

/**
 * @param {string} program @param {string} [operand]
 * @returns {Promise<{code: number | null, stderr: string}>} its end, if its reader closes the pipe at once
 */
async function runWithoutReader(program, operand = '-') {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program, operand], { stdio: ['ignore', 'pipe', 'pipe'] });
  let stderr = '';
  child.stderr.on('data', (data) => { stderr += data; });
  child.stdout.once('data', () => child.stdout.destroy());
  const code = await new Promise((resolve) => child.once('close', resolve));
  return { code, stderr };
}

test('a listing whose reader goes ends quietly', async () => {
  assert.deepEqual(await runWithoutReader(LISTING), { code: 0, stderr: '' });
});

test('a run whose reader goes is stopped, cleans up and says so', async () => {
  const path = join(folder, 'piped');
  const { code, stderr } = await runWithoutReader(RUN, path);
  assert.equal(code, 130);
  assert.equal(stderr, 'interrupted by the reader of its output, who has gone\n');
  assert.equal(readFileSync(path, 'utf8'), 'cleaned');
});

test('a device without room is one clear error, of a listing and of a run, which cleans up', () => {
  const full = () => ({ stdio: /** @type {any} */ (['ignore', openSync('/dev/full', 'w'), 'pipe']) });
  const error = 'error: standard output: ENOSPC: no space left on device, write; make room, or print elsewhere\n';
  assert.deepEqual(run([process.execPath, MAIN, 'settings'], full()), { status: 2, said: error });
  assert.deepEqual(run([process.execPath, MAIN, '--help'], full()), { status: 2, said: error });
  assert.deepEqual(run([process.execPath, '--input-type=module', '--eval', LISTING], full()), { status: 2, said: error });
  const path = join(folder, 'full');
  const ended = run([process.execPath, '--input-type=module', '--eval', RUN, path], full());
  assert.deepEqual(ended, { status: 130, said: 'interrupted by its output (ENOSPC: no space left on device, write)\n' });
  assert.equal(readFileSync(path, 'utf8'), 'cleaned');
});

test('a folder where a file should be, and a circle of links, are errors with the path and no fault of the suite', () => {
  const bundle = join(folder, 'bundle');
  for (const name of ['spec.json', 'plan.tsv']) mkdirSync(join(bundle, name), { recursive: true });
  const circle = join(folder, 'circle');
  symlinkSync('circle', circle);
  for (const [argv, where] of [[['figures', bundle], join(bundle, 'spec.json')], [['doctor', '--hosts', folder], relative(ROOT, folder)], [['figures', circle], circle]]) {
    const { status, said } = run([process.execPath, MAIN, .../** @type {string[]} */ (argv)]);
    assert.equal(status, 2, said);
    assert.ok(said.startsWith(`error: ${where}: `), said);
    assert.doesNotMatch(said, /report it|RESUME|\n.*\n/);
  }
  const code = `import { listCode } from ${JSON.stringify(join(ROOT, 'harness/common/code.js'))}; listCode({ x: ${JSON.stringify(folder)} });`;
  assert.match(run([process.execPath, '--input-type=module', '--eval', code]).said, /ELOOP/); // main.js adds the path
});

test('the name of a property of every object is an unknown word like any other', () => {
  for (const word of ['constructor', '__proto__']) {
    const unknown = [[word], ['export', 'record', '--format', word], ['check-trust', '--trust', word], ['check-trust', '--part', word],
      ['run', '3', '--plan', '--profile', word], ['run', '3', '--plan', '--generator', word], ['run', '3', '--plan', '--engines', word]];
    for (const argv of unknown) {
      const { status, said } = run([process.execPath, MAIN, ...argv]);
      assert.equal(status, 2, argv.join(' '));
      assert.match(said, new RegExp(`^error: .*["']${word}["']`), argv.join(' '));
      assert.doesNotMatch(said, /report it/);
    }
  }
});

test('what a person gives reaches a terminal without control characters', () => {
  for (const argv of [['check-server', 'a\x1b[31mb'], ['figures', '\x1b]0;x\x07'], ['run', '3', '--profile', '\x9b31m'], ['\x1b[31m']]) {
    const { status, said } = run([process.execPath, MAIN, ...argv]);
    assert.equal(status, 2);
    assert.match(said, /^error: /);
    assert.doesNotMatch(said, /[\x00-\x08\x0b-\x1f\x7f-\x9f]/); // eslint-disable-line no-control-regex
  }
});

/** @param {string} name @returns {string} a checkout of that name, with what a command needs */
function makeCheckout(name) {
  const copy = join(folder, name);
  for (const part of ['Makefile', 'wscale', 'harness', 'analysis', 'report']) cpSync(join(ROOT, part), join(copy, part), { recursive: true });
  for (const part of ['package.json', 'package-lock.json', 'node_modules', 'runtimes', 'experiments', 'servers', 'clients', 'test', 'infra', 'docs']) symlinkSync(join(ROOT, part), join(copy, part));
  return copy;
}
const ENV = { PATH: process.env.PATH, HOME: process.env.HOME };

test('a colon in the path of the suite, which PATH would split, is refused by make and by the command itself', () => {
  const copy = makeCheckout('with:colon');
  for (const argv of [['make', 'list'], [process.execPath, join(copy, 'harness/main.js'), 'list']]) {
    const { status, said } = run(argv, { cwd: copy, env: ENV });
    assert.equal(status, 2, said);
    assert.match(said, /with:colon: a path with ":" can't be in PATH; move the suite to one without/);
  }
});

test('a path with spaces, quotes and what a shell runs is a path', () => {
  const copy = makeCheckout('a b\'c"d`touch x`$(touch y)');
  const { status, said } = run(['make', 'list'], { cwd: copy, env: ENV });
  assert.equal(status, 0, said);
  assert.match(said, /03-engineio-vs-socketcluster/);
  for (const name of ['x', 'y']) assert.ok(!existsSync(join(copy, name)));
});

test('make clean is refused while a run holds its lock, and not by a lock that was left', () => {
  const copy = join(folder, 'clean');
  mkdirSync(join(copy, 'results'), { recursive: true });
  for (const part of ['Makefile', 'wscale', 'harness']) cpSync(join(ROOT, part), join(copy, part), { recursive: true });
  mkdirSync(join(copy, 'node_modules'));
  const lock = join(copy, 'results', '.running');
  const began = readFileSync(`/proc/${process.pid}/stat`, 'latin1').split(') ')[1].split(' ')[19];
  writeFileSync(lock, `${process.pid} ${began}`);
  const refused = run(['make', 'clean'], { cwd: copy, env: ENV });
  assert.match(refused.said, new RegExp(`^error: clean: process ${process.pid} is measuring with what would be removed; wait until it ends, or stop it`));
  assert.notEqual(refused.status, 0);
  assert.ok(existsSync(join(copy, 'node_modules')));
  for (const left of [`${process.pid} ${Number(began) - 1}`, 'nonsense', '']) {
    writeFileSync(lock, left);
    const { status, said } = run(['make', 'clean'], { cwd: copy, env: ENV });
    assert.equal(status, 0, said);
  }
  assert.ok(!existsSync(join(copy, 'node_modules')));
});
