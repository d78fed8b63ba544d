import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pack, unpack } from '../../harness/common/archive.js';

const folder = mkdtempSync(join(tmpdir(), 'archive-test-'));
after(() => rmSync(folder, { recursive: true }));

/**
 * @param {string} name @param {string[]} files in the order in which they are written
 * @param {number} at time of change in s; if odd, only the owner may read them @returns {string} the folder
 */
function write(name, files, at) {
  for (const file of files) {
    const path = join(folder, name, file);
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, `content of ${file}\n`);
    chmodSync(path, at % 2 ? 0o600 : 0o644);
    utimesSync(path, at, at);
  }
  return join(folder, name);
}

/** @param {string} name @param {string} from @returns {Buffer} */
function packed(name, from) {
  const path = join(folder, name);
  pack(path, from);
  return readFileSync(path);
}

test('the same files are the same bytes, whenever and in whatever order they were written, and whoever may read them', () => {
  const [first, second] = [write('a', ['one', 'two/three'], 1), write('b', ['two/three', 'one'], 1000)];
  assert.ok(packed('a.tar.xz', first).equals(packed('b.tar.xz', second)));
  writeFileSync(join(second, 'one'), 'another content\n');
  assert.ok(!packed('a.tar.xz', first).equals(packed('b.tar.xz', second)));
});

test('what is unpacked is what was packed, and packs to the same bytes again', () => {
  const bytes = packed('c.tar.xz', write('c', ['one', 'two/three'], 1));
  unpack(join(folder, 'c.tar.xz'), join(folder, 'c-again'));
  assert.equal(readFileSync(join(folder, 'c-again', 'two/three'), 'utf8'), 'content of two/three\n');
  assert.ok(packed('c-again.tar.xz', join(folder, 'c-again')).equals(bytes));
});

test('an archive that is damaged is refused by its path, and none is left by halves', () => {
  const path = join(folder, 'damaged.tar.xz');
  writeFileSync(path, 'no archive');
  assert.throws(() => unpack(path, join(folder, 'damaged')), /damaged\.tar\.xz: tar failed: .+; restore the file/);
  assert.throws(() => pack(join(folder, 'none.tar.xz'), folder, ['absent']), /none\.tar\.xz: tar failed: .*absent/);
  assert.deepEqual(readdirSync(folder).filter((name) => name.startsWith('none')), []);
});
