import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { isPacked, packTables, tablesOf, unpackTables } from '../../harness/common/tables.js';

const folder = mkdtempSync(join(tmpdir(), 'tables-test-'));
after(() => rmSync(folder, { recursive: true }));

/** @param {string} name @returns {string} a bundle with a small table and a large one */
function makeBundle(name) {
  const bundle = join(folder, name);
  mkdirSync(join(bundle, 'reduced'), { recursive: true });
  writeFileSync(join(bundle, 'reduced', 'points.tsv'), `of ${name}\n`);
  writeFileSync(join(bundle, 'reduced', 'trials.tsv'), `large, of ${name}\n${'row\n'.repeat(20_000)}`);
  return bundle;
}

/** @param {string} bundle @param {string} [table] @returns {string} its first line */
const readLine = (bundle, table = 'trials') => readFileSync(join(tablesOf(bundle), `${table}.tsv`), 'utf8').split('\n')[0];

test('the tables of a run are read where they are', () => {
  const bundle = makeBundle('run');
  assert.equal(tablesOf(bundle), join(bundle, 'reduced'));
  assert.equal(isPacked(bundle), false);
});

test('large tables are packed, small ones stay to be read, and all are found', () => {
  const bundle = makeBundle('packed');
  packTables(bundle);
  assert.deepEqual(readdirSync(join(bundle, 'reduced')), ['points.tsv']);
  assert.deepEqual([readLine(bundle), readLine(bundle, 'points')], ['large, of packed', 'of packed']);
  assert.equal(tablesOf(bundle), tablesOf(`${bundle}/.`));
});

test('after packing again, the new tables are read', () => {
  const bundle = makeBundle('changed');
  packTables(bundle);
  const before = readFileSync(join(bundle, 'large-tables.tar.xz'));
  packTables(bundle);
  assert.ok(readFileSync(join(bundle, 'large-tables.tar.xz')).equals(before));
  unpackTables(bundle);
  assert.equal(isPacked(bundle), false);
  writeFileSync(join(bundle, 'reduced', 'trials.tsv'), `another\n${'row\n'.repeat(20_000)}`);
  packTables(bundle);
  assert.equal(readLine(bundle), 'another');
});

test('a bundle without tables has none to pack, and its folder of tables is missing', () => {
  const bundle = join(folder, 'none');
  mkdirSync(bundle);
  packTables(bundle);
  assert.equal(isPacked(bundle), false);
  assert.equal(existsSync(tablesOf(bundle)), false);
});
