/**
 * Checks imports, of code and of types. A file of the suite imports only from its own layer (room) and those before
 * it. A client imports only from its own folder and clients/common.
 */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { KNOWS } from '../../eslint.config.js';
import { ROOT } from '../../harness/common/places.js';
import { listGenerators, readGenerator } from '../../harness/spec/generators.js';

const IMPORTED = /(?:\bfrom |\bimport\(|\brequire\()'(\.[^']+)'/g;

/** @param {string} path @param {string} [text] @returns {string[]} paths of its imports below ROOT, including types */
const listImported = (path, text = readFileSync(join(ROOT, path), 'utf8')) =>
  [...text.matchAll(IMPORTED)].map(([, imported]) => join(dirname(path), imported));

/**
 * What each layer may import from besides itself: layers before it. Folders end with `/`. harness/check checks all
 * others, so it may import from any.
 * @type {Record<string, string[]>}
 */
const ROOMS = {
  'harness/common/': [],
  'analysis/digits.js': [],
  'harness/spec/': ['harness/common/'],
  'harness/plan/': ['harness/common/', 'harness/spec/'],
  'harness/agent/': ['harness/common/'],
  'harness/watch/': ['harness/common/'],
  'analysis/statistics/': ['analysis/digits.js'],
  'analysis/captures/': ['harness/common/'],
  'analysis/trials/': ['harness/common/', 'harness/spec/', 'analysis/digits.js', 'analysis/statistics/', 'analysis/captures/'],
  'analysis/points/': ['harness/common/', 'harness/spec/', 'analysis/digits.js', 'analysis/statistics/', 'analysis/trials/'],
  'analysis/claims/': ['harness/common/', 'harness/spec/', 'analysis/statistics/', 'analysis/points/'],
  'analysis/compare/': ['harness/common/', 'analysis/statistics/', 'analysis/points/'],
  'analysis/analyse.js': ['harness/common/', 'analysis/trials/', 'analysis/points/'],
  'harness/records/': ['harness/common/', 'harness/spec/', 'analysis/trials/', 'analysis/points/', 'analysis/claims/'],
  'report/': ['harness/common/', 'harness/spec/', 'harness/plan/', 'harness/records/', 'analysis/'],
  'harness/run/': ['harness/common/', 'harness/spec/', 'harness/plan/', 'harness/watch/', 'harness/records/', 'analysis/', 'report/'],
  'harness/check/': ['harness/', 'analysis/', 'report/'],
  'harness/cli/': ['harness/', 'analysis/', 'report/', 'infra/'],
  'harness/main.js': ['harness/'],
};

/** @param {string} path of a file of a room @param {string} imported @returns {boolean} */
function isBefore(path, imported) {
  const room = Object.keys(ROOMS).find((name) => path.startsWith(name));
  assert.ok(room, `${path} lies in no room`);
  if (imported.startsWith('harness/agent/') && room !== 'harness/agent/') return path in KNOWS;
  return [room, ...ROOMS[room]].some((name) => imported.startsWith(name));
}

/** Run by hand, not part of a load: it records the headers that the browser of clients/browser sends. */
const TOOLS = ['clients/updates/record-headers.js'];

/** @param {string} client @returns {string[]} clients of the parts that its manifest uses */
const listUsed = (client) => (listGenerators().includes(client) ? Object.values(readGenerator(client).uses ?? {}) : []).map((part) => part.split('/')[1]);

/** @param {string} path of a file of a client @param {string} imported @returns {boolean} whether it may import it */
function isShared(path, imported) {
  const [, client] = path.split('/');
  const [folder, its] = imported.split('/');
  const isReduction = folder === 'analysis' || imported === 'harness/common/files.js'; // of its own records
  return (folder === 'clients' && ['common', client, ...listUsed(client)].includes(its)) || isReduction || TOOLS.includes(path);
}

/**
 * @param {string[]} patterns @param {(path: string, imported: string) => boolean} isRight
 * @returns {string[]} forbidden imports, such as "a.js: b.js"
 */
function findWrong(patterns, isRight) {
  const files = globSync(patterns, { cwd: ROOT });
  assert.ok(files.length > 20, `${files.length} files`);
  return files.flatMap((path) => listImported(path).filter((imported) => !isRight(path, imported)).map((imported) => `${path}: ${imported}`));
}

test('a room imports from those before it alone, types too', () => {
  assert.deepEqual(findWrong(['{harness,analysis,report}/**/*.{js,cjs}'], isBefore), []);
});

test('a client imports from its own folder, clients/common and what its manifest uses alone, but for what reduces its records', () => {
  assert.deepEqual(findWrong(['clients/*/*.{js,cjs}', 'clients/forked/*/*.cjs'], isShared), []);
});

test('an import from a later room, or out of a client, is found', () => {
  const [type, code] = listImported('harness/plan/some.js', "/** @typedef {import('../../analysis/claims/verdict.js').Row} Row */\nimport { a } from '../spec/spec.js';\n");
  assert.deepEqual([type, code], ['analysis/claims/verdict.js', 'harness/spec/spec.js']);
  assert.deepEqual([isBefore('harness/plan/some.js', type), isBefore('harness/plan/some.js', code)], [false, true]);
  assert.deepEqual(['harness/common/files.js', 'clients/common/tally.js', 'harness/agent/host.js'].map((path) => isBefore('harness/run/duet/some.js', path)), [true, false, false]);
  assert.deepEqual(['clients/forked/config.js', 'clients/common/config.js'].map((path) => isShared('clients/updates/config.js', path)), [false, true]);
});
