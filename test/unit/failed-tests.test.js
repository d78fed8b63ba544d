/** The end of the log of continuous integration: failed tests by name, and counts of passed and failed tests. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ROOT } from '../../harness/common/places.js';

const folder = mkdtempSync(join(tmpdir(), 'wscale-failed-'));
after(() => rmSync(folder, { recursive: true }));

/** @param {string} tests their code @returns {string} the log of running them */
function logOf(tests) {
  const file = join(folder, 'some.test.mjs');
  writeFileSync(file, `import assert from 'node:assert/strict';\nimport { describe, it, test } from 'node:test';\n${tests}\n`);
  const env = { ...process.env, NODE_TEST_CONTEXT: undefined };
  return spawnSync(process.execPath, ['--test', '--test-reporter=tap', file], { env, encoding: 'utf8' }).stdout;
}

/** @param {string} log @returns {string[]} lines */
const summarise = (log) =>
  execFileSync('awk', ['-f', join(ROOT, '.ci/failed-tests.awk')], { input: log, encoding: 'utf8' }).trimEnd().split('\n');

test('each failed test is named with its place and reason, before the counts; its suite is not', () => {
  const log = logOf("describe('a group', () => { it('is not so', () => assert.equal(1, 2)); it('is so', () => {}); });\n"
    + "test('this throws', () => { throw new Error('of one line'); });\ntest('later', { todo: true }, () => assert.fail());");
  const lines = summarise(`eslint\n${log}make: *** [Makefile:1: test] Error 1\n${logOf("test('works', () => {});")}`);
  assert.equal(lines.length, 3, lines.join('\n'));
  assert.match(lines[0], /^not ok: is not so \(.*some\.test\.mjs:3:\d+\): Expected values to be strictly equal:$/);
  assert.match(lines[1], /^not ok: this throws \(.*some\.test\.mjs:4:\d+\): of one line$/);
  assert.equal(lines[2], '2 passed, 2 failed');
});

test('if nothing failed there are only the counts', () => {
  assert.deepEqual(summarise(logOf("test('works', () => {});")), ['1 passed, 0 failed']);
  assert.deepEqual(summarise(''), ['0 passed, 0 failed']);
});
