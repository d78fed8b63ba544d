/** Lint rules that keep the rest of the harness from doing what only the agent may do. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ESLint } from 'eslint';
import { KNOWS, LOOKS, STARTS } from '../../eslint.config.js';
import { ROOT } from '../../harness/common/places.js';

const eslint = new ESLint({ cwd: ROOT });

/** @param {string} file of the harness @param {string} text @returns {Promise<string[]>} broken rules */
async function lint(file, text) {
  const [{ messages }] = await eslint.lintText(text, { filePath: join(ROOT, 'harness', file) });
  return messages.map(({ ruleId }) => String(ruleId)).filter((rule) => rule.startsWith('no-restricted'));
}

/** @type {[string, string, string][]} */
const ALONE = [
  ['starts a process', "import { spawn } from 'node:child_process';\nspawn('true');\n", 'no-restricted-imports'],
  ['reads /proc', "export const path = '/proc/stat';\n", 'no-restricted-syntax'],
  ['lists /proc', "export const folder = '/proc';\n", 'no-restricted-syntax'],
  ['reads /sys', 'export const path = `/sys/${process.pid}`;\n', 'no-restricted-syntax'],
  ['signals a process', 'process.kill(1);\n', 'no-restricted-syntax'],
  ['reads its clock', 'export const now = process.hrtime.bigint();\n', 'no-restricted-syntax'],
];

for (const [what, text, rule] of ALONE) {
  test(`the agent alone ${what}`, async () => {
    assert.deepEqual(await lint('agent/some.js', text), []);
    for (const file of ['run/some.js', 'plan/some.js', 'check/some.js']) assert.deepEqual(await lint(file, text), [rule], file);
  });
}

test('the coordinator asks the agent, and imports nothing of it', async () => {
  const text = "import { LocalHost } from '../agent/host.js';\nnew LocalHost();\n";
  for (const file of ['run/some.js', 'check/some.js']) assert.deepEqual(await lint(file, text), ['no-restricted-imports'], file);
  assert.deepEqual(await lint('run/some.js', text.replace('agent/host.js', 'common/files.js')), []);
});

test('a file that may start processes, look at the host or know the agent does so, and says why no agent does it', async () => {
  /** @type {[Record<string, string>, RegExp][]} */
  const lists = [[STARTS, / from 'node:child_process'/], [LOOKS, /['`]\/(proc|sys)\//], [KNOWS, / from '\S+\/agent\//]];
  for (const [allowed, done] of lists) {
    for (const [file, why] of Object.entries(allowed)) {
      const text = readFileSync(join(ROOT, file), 'utf8');
      assert.match(text, done, `${file} needs no leave any more`);
      assert.ok(why.length > 20, file);
      assert.deepEqual(await lint(file.replace('harness/', ''), text), [], file);
    }
  }
});
