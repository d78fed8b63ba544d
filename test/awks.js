/** The awks under which a filter must give the same output, and helpers that run a filter under each. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { parseTsv } from '../harness/common/files.js';
import { ROOT } from '../harness/common/places.js';
import { isOfSetting } from '../harness/common/setting.js';

export const AWKS = ['mawk', 'gawk'];

/** @param {string} awk @param {string} folder @returns {string} the folder, now with this awk as `awk`, for PATH */
export function makeAwkFolder(awk, folder) {
  symlinkSync(execFileSync('sh', ['-c', `command -v ${awk}`], { encoding: 'utf8' }).trim(), join(folder, 'awk'));
  return folder;
}

/**
 * Tests write tables with two or more blanks between columns, which read better than tabs.
 * @param {string} text @returns {string} with tabs
 */
export const table = (text) => `${text.trim().split('\n').map((line) => line.trim().replace(/ {2,}/g, '\t')).join('\n')}\n`;

/**
 * @param {string} awk
 * @param {string[]} programs names in analysis/captures/, or absolute paths
 * @param {string[]} inputs the text of each file, in order
 * @param {string[]} [options] @param {Record<string, string>} [env] added to ours
 * @returns {{output: string, status: number | null}}
 */
export function runFilter(awk, programs, inputs, options = [], env = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'filter-test-'));
  try {
    const files = inputs.map((text, index) => {
      writeFileSync(join(folder, `${index}`), text);
      return join(folder, `${index}`);
    });
    const loaded = programs.flatMap((program) => ['-f', resolve(ROOT, 'analysis', 'captures', program)]);
    const { stdout, stderr, status } = spawnSync(awk, [...options, ...loaded, ...files], { encoding: 'utf8', env: { ...process.env, ...env } });
    if (stderr) throw new Error(`${awk} ${programs}: ${stderr}`);
    return { output: stdout, status };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * @param {string} name a sentence
 * @param {string[]} programs @param {string[]} inputs as for runFilter
 * @param {string} expected as `table` takes it
 * @param {{options?: string[], env?: Record<string, string>, status?: number}} [more]
 */
export function filterTest(name, programs, inputs, expected, { options = [], env = {}, status = 0 } = {}) {
  for (const awk of AWKS) {
    test(`${name} (${awk})`, () => {
      const found = runFilter(awk, programs, inputs, options, env);
      assert.equal(found.output, expected.trim() ? table(expected) : '');
      assert.equal(found.status, status);
    });
  }
}

/**
 * @typedef {Record<string, unknown>} Row
 * @param {string} name a sentence
 * @param {(...tables: Record<string, string>[][]) => Row[]} compute
 * @param {string[]} inputs tables with tabs @param {string} expected as `table` takes it; only its columns are compared
 */
export function rowsTest(name, compute, inputs, expected) {
  test(name, () => {
    const wanted = expected.trim() ? parseTsv(table(expected)) : [];
    const found = compute(...inputs.map(parseTsv));
    const columns = Object.keys(wanted[0] ?? {}).filter((column) => !isOfSetting(column));
    const pick = (/** @type {Row} */ row) => Object.fromEntries(columns.map((column) => [column, String(row[column] ?? '-')]));
    assert.deepEqual(found.map(pick), wanted.map(pick));
  });
}
