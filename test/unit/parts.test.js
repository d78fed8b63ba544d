/** The suite follows what generators and companions declare in their manifests. */
import assert from 'node:assert/strict';
import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { after, test } from 'node:test';
import { listModules } from '../../analysis/trials/own.js';
import { readJson } from '../../harness/common/files.js';
import { ROOT, recordOf } from '../../harness/common/places.js';
import { chooseParts, listNeeds } from '../../harness/run/install.js';
import { usualGenerator } from '../../harness/spec/engines.js';
import { generatorFor, listAble, listCompanions, listGenerators, readCompanion, readGenerator } from '../../harness/spec/generators.js';
import { makeSpec } from '../../harness/spec/spec.js';

const PARTS = [...listGenerators().map(readGenerator), ...listCompanions().map(readCompanion)];

const folder = mkdtempSync(join(tmpdir(), 'parts-test-'));
after(() => rmSync(folder, { recursive: true }));

/**
 * @param {string} experiment @param {Record<string, unknown>} load changes to its load @param {'reduce' | 'derive'} key
 * @returns {string[]} paths of the modules
 */
function listOwn(experiment, load, key) {
  const spec = readJson(join(recordOf(experiment), 'spec.json'));
  return listModules({ ...spec, load: { ...spec.load, ...load } }, key).map((path) => relative(ROOT, path));
}

test('a folder is a part however its path is written, and what is no part is refused', () => {
  const named = (/** @type {string[]} */ ...folders) => chooseParts(folders, PARTS).map(({ folder: own }) => relative(ROOT, own));
  assert.deepEqual(named('./clients/swarm', 'clients//browser'), ['clients/swarm', 'clients/browser']);
  assert.equal(named().length, PARTS.length);
  assert.throws(() => named('clients/swrm'), /PARTS: "clients\/swrm" is not a part; did you mean clients\/swarm\?/);
});

test('one generator is the usual one, and makes what others make too', () => {
  assert.deepEqual(listAble(({ usual }) => usual), [usualGenerator()]);
  assert.deepEqual(['pingpong', 'pages', 'updates'].map(generatorFor), ['forked', 'forked', 'updates']);
});

test('a run needs the parts whose programs its generator starts', () => {
  const parts = ['clients/exchange', 'clients/serial/jetty-9.1', 'clients/browser'];
  const [quick, usual] = [listNeeds(makeSpec('10-wire-bytes', 'quick', 1)), listNeeds(makeSpec('10-wire-bytes', 'default', 1))];
  assert.deepEqual([quick, usual].map((needs) => parts.filter((part) => needs.includes(part))), [parts.slice(0, 2), parts]);
});

test('the modules that a part names are in its folder', () => {
  for (const part of PARTS) {
    const { reduce, derive } = /** @type {{reduce?: string, derive?: string}} */ (part);
    if (reduce) accessSync(join(part.folder, reduce), constants.R_OK);
    if (derive) accessSync(join(part.folder, derive), constants.R_OK);
  }
});

test('a run is reduced by what its own companion and generators bring', () => {
  assert.deepEqual(listOwn('02-browser', {}, 'reduce'), ['clients/browser/reduce.js']);
  assert.deepEqual(listOwn('02-browser', { companion: undefined }, 'reduce'), []);
  assert.deepEqual(listOwn('12-transports', {}, 'derive'), ['clients/updates/derive.js']);
});

test('a bundle whose generator or companion is no longer there is reduced without them', () => {
  assert.deepEqual(listOwn('02-browser', { companion: 'telegraph', generator: 'pigeons' }, 'reduce'), []);
});

test('what an experiment needs of the machine beyond the others is read from its manifest', () => {
  const needs = (/** @type {string} */ experiment) => listNeeds(makeSpec(experiment, 'quick', 0));
  const isFolder = (/** @type {string} */ word) => word.includes('/');
  assert.deepEqual(needs('01-client-throughput').filter((word) => !isFolder(word)), []);
  assert.deepEqual(needs('10-wire-bytes').filter((word) => !isFolder(word)), ['network', 'capture', 'permit:capture']);
  assert.deepEqual(needs('11-websocket-vs-tcp').filter((word) => !isFolder(word)), ['network', 'permit:link']);
  const ofPages = /** @type {const} */ (['default', 'paper']).map((profile) => listNeeds(makeSpec('17-page-delivery', profile, 0)));
  assert.deepEqual(ofPages.map((words) => words.includes('firefox')), [false, true]);
  for (const part of ['clients/browser', 'servers/socket.io', 'runtimes/node-24']) assert.ok(needs('02-browser').includes(part), part);
  assert.ok(!needs('02-browser').includes('servers/gorilla'));
});
