/** `./wscale test TESTS` runs the files that it is given, and no others. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { chooseTests, needsOfMore, needsOfTests } from '../../harness/cli/tests.js';
import { ROOT } from '../../harness/common/places.js';

test('a file is run by itself: nothing is linted, compiled or installed for others', () => {
  assert.deepEqual(chooseTests(['test/unit/prose.test.js']), ['test/unit/prose.test.js']);
  assert.deepEqual(needsOfTests(['test/unit/prose.test.js']), ['run', 'records', 'figures', 'awks']);
});

test('several paths and globs are taken, in one word as make gives them or in several, and each file is run once', () => {
  const files = ['test/unit/prose.test.js', 'test/unit/report.test.js'];
  assert.deepEqual(chooseTests(['test/unit/pro?e.test.js test/unit/report.test.js', 'test/unit/prose.test.js']), files);
});

test('what a test needs beyond the others is installed for it alone', () => {
  assert.ok(needsOfTests(['test/unit/oracle.test.js']).includes('oracle'));
  assert.ok(needsOfTests(['test/unit/wire.test.js']).includes('capture'));
  const smoke = needsOfTests(['test/smoke/*.test.js']);
  for (const need of ['companions', 'capture', 'rust']) assert.ok(smoke.includes(need), need);
  for (const need of ['oracle', 'linters']) assert.ok(!smoke.includes(need), need);
});

test('without TESTS what a change needs is linted, and test-more installs the engines that are tested', () => {
  for (const need of ['linters', 'shellcheck', 'rust', 'go', 'oracle', 'network']) assert.ok(needsOfTests([]).includes(need), need);
  assert.ok(!needsOfTests([]).includes('tested') && needsOfMore().includes('tested'));
});

test('a glob that names no test is one error with the glob, though another names one', () => {
  for (const glob of ['test/unit/nope*.test.js', 'test/unit', 'test/awks.js', 'it\'s']) {
    const isTold = (/** @type {Error} */ error) => error.message.startsWith(`TESTS: no *.test.js is named by "${glob}"; give paths or globs from here`);
    assert.throws(() => chooseTests([`test/unit/prose.test.js ${glob}`]), isTold);
    const { status } = spawnSync(process.execPath, ['harness/main.js', 'test', glob], { cwd: ROOT });
    assert.equal(status, 2);
  }
});
