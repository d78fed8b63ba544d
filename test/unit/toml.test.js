/** runtimes/toml.sh and servers/engine-toml.cjs read what they need of TOML as the library does, where that can't run. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { parse } from 'smol-toml';
import { ROOT } from '../../harness/common/places.js';

const { parse: parseOld } = createRequire(import.meta.url)('../../servers/engine-toml.cjs');
const manifests = globSync(['servers/*/engine.toml', 'clients/*/{generator,companion}.toml', 'clients/*/*/client.toml'], { cwd: ROOT });
const folder = mkdtempSync(join(tmpdir(), 'toml-test-'));
after(() => rmSync(folder, { recursive: true }));

/** @param {string} key @param {string[]} files @returns {string} */
const readByShell = (key, files) => spawnSync(join(ROOT, 'runtimes/toml.sh'), [key, ...files], { cwd: ROOT, encoding: 'utf8' }).stdout;

/** @param {string} path @returns {any} */
const readByLibrary = (path) => parse(readFileSync(join(ROOT, path), 'utf8'));

for (const key of ['runtime', 'packages', 'build']) {
  test(`the shell reads ${key} of every manifest as the library does`, () => {
    const values = manifests.map((path) => readByLibrary(path)[key]).filter((value) => value !== undefined);
    assert.ok(values.length >= 2, `${values.length} values`);
    assert.equal(readByShell(key, manifests), values.map((value) => `${[value].flat().join(' ')}\n`).join(''));
  });
}

test('the shell reads no key of a table, and no comment', () => {
  const path = join(folder, 'engine.toml');
  writeFileSync(path, 'build = ["a.sh", "b"] # not "c"\n[options.x]\nbuild = ["d"]\nruntime = "e"\n');
  assert.equal(readByShell('build', [path]), 'a.sh b\n');
  assert.equal(readByShell('runtime', [path]), '');
});

test('servers on Node 0.10 read every engine.toml of theirs as the library does', () => {
  const old = manifests.filter((path) => path.endsWith('engine.toml') && /^node-/.test(readByLibrary(path).runtime));
  assert.ok(old.length > 10, `${old.length} engines`);
  for (const path of old) {
    const own = JSON.parse(JSON.stringify(parseOld(readFileSync(join(ROOT, path), 'utf8'))));
    assert.deepEqual(own, JSON.parse(JSON.stringify(readByLibrary(path))), path);
  }
});
