/** No file imports itself by way of others: files in such a circle can only be understood together. */
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../../harness/common/places.js';

/** @typedef {Map<string, string[]>} Graph imports of each file */

/** @param {Graph} graph @returns {string[]} the first circle found, with its first name again at the end; [] if none */
function findCircle(graph) {
  const done = new Set();
  /** @param {string} name @param {string[]} path that led to it @returns {string[]} */
  const follow = (name, path) => {
    if (path.includes(name)) return [...path.slice(path.indexOf(name)), name];
    if (done.has(name)) return [];
    for (const next of graph.get(name) ?? []) {
      const circle = follow(next, [...path, name]);
      if (circle.length) return circle;
    }
    done.add(name);
    return [];
  };
  for (const name of graph.keys()) {
    const circle = follow(name, []);
    if (circle.length) return circle;
  }
  return [];
}

/**
 * Leaves out imports of types, which are in comments and run nothing.
 * @param {string} text @returns {string[]} relative paths
 */
function listImports(text) {
  const code = text.replaceAll(/\/\*[^]*?\*\//g, '');
  return [...code.matchAll(/(?:\bfrom |\bimport |\bimport\(|\brequire\()'(\.[^']+)'/g)].map(([, path]) => path);
}

/** @param {string} root @param {string[]} patterns @returns {Graph} */
function readGraph(root, patterns) {
  const files = globSync(patterns, { cwd: root, exclude: ['**/node_modules', '**/target', '**/venv'] });
  return new Map(files.map((path) => {
    const imported = listImports(readFileSync(join(root, path), 'utf8')).map((each) => join(dirname(path), each));
    return [path, imported.filter((each) => existsSync(join(root, each)))];
  }));
}

/** @param {string} text of Rust @returns {string[]} the modules of its own crate that it uses */
const listUsed = (text) => [...text.matchAll(/\bcrate::(\w+)/g)].map(([, name]) => name);

/** @param {string} folder of a program in Rust @returns {Graph} of its modules: a file or a folder each */
function readModules(folder) {
  const files = globSync('**/*.rs', { cwd: folder });
  const byModule = Map.groupBy(files, (path) => path.replace(/\.rs$/, '').split('/')[0]);
  return new Map([...byModule].map(([name, paths]) => {
    const used = paths.flatMap((path) => listUsed(readFileSync(join(folder, path), 'utf8')));
    return [name, [...new Set(used)].filter((each) => each !== name && byModule.has(each))];
  }));
}

test('no file of the suite imports itself by way of others', () => {
  const graph = readGraph(ROOT, ['harness/**/*.{js,cjs}', 'analysis/**/*.js', 'report/**/*.js', 'clients/**/*.{js,cjs,mjs}', 'infra/**/*.js', 'servers/*.cjs', 'servers/page-delivery/**/*.js']);
  assert.ok(graph.size > 200, `${graph.size} files`);
  assert.ok([...graph.values()].flat().length > 800);
  assert.deepEqual(findCircle(graph), []);
});

for (const folder of ['clients/swarm/src', 'infra/link/src']) {
  test(`no module of ${folder} uses itself by way of others`, () => {
    assert.deepEqual(findCircle(readModules(join(ROOT, folder))), []);
  });
}

test('a circle of two or three files is found, and two files that import the same third are none', () => {
  assert.deepEqual(findCircle(new Map([['a', ['b']], ['b', ['a']]])), ['a', 'b', 'a']);
  assert.deepEqual(findCircle(new Map([['x', ['a']], ['a', ['b', 'd']], ['b', ['c']], ['c', ['a']], ['d', []]])), ['a', 'b', 'c', 'a']);
  assert.deepEqual(findCircle(new Map([['a', ['b', 'c']], ['b', ['d']], ['c', ['d']], ['d', []]])), []);
});

test('an import is found however it is written, a type is none', () => {
  const text = "/** @typedef {import('./type.js').T} T */\nimport a from './a.js';\nimport './b.js';\nconst c = await import('./c.js');\nconst d = require('./d.cjs');\nexport { e } from '../e.js';\nimport fs from 'node:fs';\n";
  assert.deepEqual(listImports(text), ['./a.js', './b.js', './c.js', './d.cjs', '../e.js']);
  assert.deepEqual(listUsed('use crate::clock::{self, NS};\nlet x = crate::load::Load::new();\nuse super::y;'), ['clock', 'load']);
});
