import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { countCodeLines } from '../../harness/check/code-lines.js';

/** @param {Record<string, string>} files @param {string} [comment] @returns {number} */
function count(files, comment) {
  const folder = mkdtempSync(join(tmpdir(), 'wscale-lines-'));
  after(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return countCodeLines(folder, comment);
}

test('a line of code counts in any language, and in folders below', () => {
  assert.equal(count({ 'main.go': 'package main\n', 'src/main.rs': 'fn main() {\n}\n', 'server.unknown': 'serve' }), 4);
});

test('blank lines and comments do not count, each language having its own, and a build in shell that of shell', () => {
  assert.equal(count({ 'a.js': '// why\n\n  // why\nserve();\n', 'build.sh': '#!/bin/sh\nmake\n' }), 2);
  assert.equal(count({ 'a.lua': '-- why\nserve()\n// no comment\n', 'build.sh': '# why\nmake\n' }, '--'), 3);
  assert.equal(count({ 'a.rs': '#[derive(Debug)]\n', 'b.cpp': '#include <vector>\n' }), 2);
});

test('manifests, locks and what an installation makes do not count', () => {
  assert.equal(count({ 'engine.toml': 'name = "a"\n', 'go.sum': 'a v1 h1:\n', 'venv/a.py': 'a\n', 'node_modules/a/a.js': 'a\n', '.installed': 'a\n' }), 0);
});
