import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { makeFolder, readJson, readTsv, writeAtomically, writeTsv } from '../../harness/common/files.js';

const folder = mkdtempSync(join(tmpdir(), 'files-test-'));
after(() => rmSync(folder, { recursive: true }));

test('a write replaces the file and leaves nothing else behind', () => {
  const path = join(folder, 'whole');
  writeAtomically(path, 'old');
  writeAtomically(path, 'new, äöü');
  assert.equal(readFileSync(path, 'utf8'), 'new, äöü');
  assert.deepEqual(readdirSync(folder), ['whole']);
});

test('a write that fails on a full disk leaves the old file as it was, and nothing else', () => {
  const path = join(folder, 'whole');
  writeFileSync(path, 'old');
  symlinkSync('/dev/full', `${path}.partial-${process.pid}`); // the temporary file
  assert.throws(() => writeAtomically(path, 'new'), { code: 'ENOSPC' });
  assert.equal(readFileSync(path, 'utf8'), 'old');
  assert.deepEqual(readdirSync(folder), ['whole']);
});

test('a table is read as it was written, with a dash for what is absent', () => {
  const path = join(folder, 'table.tsv');
  writeTsv(path, ['a', 'b'], [{ a: 1, b: 'x y' }, { a: 2, c: 'not a column' }, { a: 0, b: '' }]);
  assert.equal(readFileSync(path, 'utf8'), 'a\tb\n1\tx y\n2\t-\n0\t\n');
  assert.deepEqual(readTsv(path), [{ a: '1', b: 'x y' }, { a: '2', b: '-' }, { a: '0', b: '' }]);
});

test('a table that is not there has no rows', () => {
  assert.deepEqual(readTsv(join(folder, 'absent.tsv')), []);
});

test('a column of an older bundle is read by the name that it has now', () => {
  const path = join(folder, 'steps.tsv');
  writeFileSync(path, 'step\ttogether\twakings_hz\n1\t10\t50\n');
  assert.deepEqual(readTsv(path), [{ step: '1', batch: '10', wakeups_hz: '50' }]);
});

test('a step of a sweep of an older bundle is read by the names that it has now', () => {
  const path = join(folder, 'spec.json');
  writeFileSync(path, '{"arrivals":{"kind":"staircase","lead_s":1,"steps":[{"rate_hz":0},{"rate_hz":1000,"together":10},{"share":0.5}]}}');
  assert.deepEqual(readJson(path).arrivals.steps, [{ total_rate_hz: 0 }, { total_rate_hz: 1000, batch: 10 }, { share: 0.5 }]);
});

test('a table whose end is missing, or a cell of which, is refused: a number may lack its last digits', () => {
  const path = join(folder, 'points.tsv');
  const read = (/** @type {string} */ text) => {
    writeFileSync(path, text);
    return readTsv(path);
  };
  assert.deepEqual(read('a\tb\n1\t2\n'), [{ a: '1', b: '2' }]);
  assert.deepEqual(read('a\tb\n'), []);
  assert.deepEqual(readTsv(join(folder, 'absent.tsv')), []);
  assert.throws(() => read(''), /points\.tsv: is empty: it is no whole table; get it anew/);
  assert.throws(() => read('a\tb\n1\t2'), /ends or breaks off in line 2/);
  assert.throws(() => read('a\tb\n1\n2\t3\n'), /ends or breaks off in line 2/);
});

test('a folder that cannot be made is told with what to do', () => {
  const path = join(folder, 'in-its-place');
  writeFileSync(path, '');
  assert.throws(() => makeFolder(join(path, 'below')), /in-its-place\/below: no folder can be made there \(E\w+\); remove what is in its place/);
  makeFolder(join(folder, 'one/two'));
});
