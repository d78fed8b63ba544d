/**
 * servers/engine-toml.cjs reads TOML on Node 0.10, where the library cannot run, with the same result as the library.
 */
import assert from 'node:assert/strict';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
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

/** @param {string} path @returns {any} */
const readByLibrary = (path) => parse(readFileSync(join(ROOT, path), 'utf8'));

test('servers on Node 0.10 read every engine.toml of theirs as the library does', () => {
  const old = manifests.filter((path) => path.endsWith('engine.toml') && /^node-/.test(readByLibrary(path).runtime));
  assert.ok(old.length > 10, `${old.length} engines`);
  for (const path of old) {
    const own = JSON.parse(JSON.stringify(parseOld(readFileSync(join(ROOT, path), 'utf8'))));
    assert.deepEqual(own, JSON.parse(JSON.stringify(readByLibrary(path))), path);
  }
});
