/** No file reaches into a stage behind its own, for code (eslint) or for a type, nor out of its folder: clients share clients/common. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { KNOWS, STAGES } from '../../eslint.config.js';
import { ROOT } from '../../harness/common/places.js';

const IMPORTED = /(?:\bfrom |\bimport\(|\brequire\()'(\.[^']+)'/g;

/** @param {string} path @param {string} [text] @returns {string[]} from the suite's root on: what it imports, types too */
const listImported = (path, text = readFileSync(join(ROOT, path), 'utf8')) =>
  [...text.matchAll(IMPORTED)].map(([, imported]) => join(dirname(path), imported));

/** @param {string} path of a file of a stage @param {string} imported @returns {boolean} */
function isBefore(path, imported) {
  const [, stage] = path.split('/');
  const [folder, its] = imported.split('/');
  if (folder === 'analysis' && stage === 'spec') return imported === 'analysis/metrics.js';
  if (folder === 'analysis') return stage === 'check' || /** @type {Record<string, string[]>} */ (STAGES)[stage].includes(folder);
  if (folder !== 'harness') return false;
  if (stage === 'check') return its !== 'agent' || path in KNOWS;
  return ['common', stage, ...STAGES[/** @type {keyof typeof STAGES} */ (stage)]].includes(its);
}

/** No part of a load: it asks the browser of another client what it sends, by hand. */
const TOOLS = ['clients/updates/record-headers.js'];

/** @param {string} path of a file of a client @param {string} imported @returns {boolean} is it its own, of its libraries, or for all? */
function isShared(path, imported) {
  const [, client] = path.split('/');
  const [folder, its] = imported.split('/');
  const isReduction = folder === 'analysis' || imported === 'harness/common/files.js'; // of what it recorded
  return (folder === 'clients' && ['common', client].includes(its)) || isReduction || TOOLS.includes(path);
}

/** @param {string[]} patterns @param {(path: string, imported: string) => boolean} isRight @returns {string[]} what is wrong */
function findWrong(patterns, isRight) {
  const files = globSync(patterns, { cwd: ROOT });
  assert.ok(files.length > 20, `${files.length} files`);
  return files.flatMap((path) => listImported(path).filter((imported) => !isRight(path, imported)).map((imported) => `${path}: ${imported}`));
}

test('a stage of the harness imports from those before it alone, types too, and from outside the harness nothing but numbers of analysis', () => {
  assert.deepEqual(findWrong(['harness/*/**/*.{js,cjs}'], isBefore), []);
});

test('a client imports from its own folder and from clients/common alone, but for what reduces its records', () => {
  assert.deepEqual(findWrong(['clients/*/*.{js,cjs}', 'clients/forked/*/*.cjs'], isShared), []);
});

test('what reaches back, or out, is found', () => {
  const [type, code] = listImported('harness/plan/some.js', "/** @typedef {import('../judge/verdict.js').Row} Row */\nimport { a } from '../spec/spec.js';\n");
  assert.deepEqual([type, code], ['harness/judge/verdict.js', 'harness/spec/spec.js']);
  assert.deepEqual([isBefore('harness/plan/some.js', type), isBefore('harness/plan/some.js', code)], [false, true]);
  assert.deepEqual(['harness/common/files.js', 'clients/common/tally.js'].map((path) => isBefore('harness/run/duet/some.js', path)), [true, false]);
  assert.deepEqual(['clients/forked/config.js', 'clients/common/config.js'].map((path) => isShared('clients/updates/config.js', path)), [false, true]);
});
