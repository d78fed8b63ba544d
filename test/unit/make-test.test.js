/** `make test TESTS=…` runs what it is given, and no more. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { ROOT } from '../../harness/common/places.js';

/** @param {string[]} args @returns {{status: number | null, stdout: string, stderr: string}} */
function dryRun(...args) {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME }; // the tests themselves are run by make
  return spawnSync('make', ['--dry-run', 'test', ...args], { cwd: ROOT, encoding: 'utf8', env });
}

/** @param {string} stdout @returns {string[]} what the test runner is given */
const listGiven = (stdout) => stdout.split('\n').filter((line) => line.includes(' --test ')).flatMap((line) => line.split('$reporter ')[1].replaceAll('\'', '').split(' '));

const NOT_ASKED_FOR = /eslint|tsc|shellcheck|cargo|rust|scipy|chromium|tshark|main\.js install/;

test('a file is run by itself: nothing is linted, compiled or installed for others', () => {
  const { status, stdout } = dryRun('TESTS=test/unit/prose.test.js');
  assert.equal(status, 0);
  assert.deepEqual(listGiven(stdout), ['test/unit/prose.test.js']);
  assert.doesNotMatch(stdout, NOT_ASKED_FOR);
});

test('without TESTS everything is linted, compiled, installed and run', () => {
  const { status, stdout } = dryRun();
  assert.equal(status, 0);
  assert.deepEqual(listGiven(stdout), ['test/!(more)/**/*.test.js']);
  for (const what of ['eslint', 'tsc', 'shellcheck', 'cargo test', 'python3-scipy', 'chromium', 'main.js install']) assert.ok(stdout.includes(what), what);
});

test('several paths and globs are taken, and each file is run once', () => {
  const { stdout } = dryRun('TESTS=test/unit/pro?e.test.js test/unit/report.test.js test/unit/prose.test.js');
  assert.deepEqual(listGiven(stdout), ['test/unit/prose.test.js', 'test/unit/report.test.js']);
});

test('what a test needs beyond the others is installed for it alone', () => {
  assert.match(dryRun('TESTS=test/unit/oracle.test.js').stdout, /python3-scipy/);
  assert.match(dryRun('TESTS=test/unit/wire.test.js').stdout, /tshark/);
  const smoke = dryRun('TESTS=test/smoke/*.test.js').stdout;
  for (const what of [/chromium/, /tshark/, /rust\/install\.sh/]) assert.match(smoke, what);
  assert.doesNotMatch(smoke, /scipy|eslint|cargo test/);
});

test('a glob that names no test is one error with the glob, and nothing is run, though another names one', () => {
  for (const glob of ['test/unit/nope*.test.js', 'test/unit', 'test/awks.js', 'it\'s']) {
    const { stdout, stderr } = dryRun(`TESTS=test/unit/prose.test.js ${glob}`);
    assert.ok(stderr.startsWith(`error: TESTS: no *.test.js is named by "${glob}"; give paths or globs from here`), stderr);
    assert.deepEqual(listGiven(stdout), ['']);
    const { status } = spawnSync(process.execPath, ['test/choose.js', glob], { cwd: ROOT });
    assert.equal(status, 64);
  }
});
