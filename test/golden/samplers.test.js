/**
 * The output of top, sar and pidstat in a smoke run of experiment 4 still gives the tables and figures that were
 * reviewed and committed. `make golden` writes them again.
 */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { readTsv } from '../../harness/common/files.js';
import { makeFigures } from '../../report/figures.js';
import { AWKS } from '../awks.js';
import { copySample, reduce } from './bundles.js';

const FOLDER = join(import.meta.dirname, 'samplers');
const TABLES = ['reduced/threads.tsv', 'reduced/system.tsv'];
const FIGURES = ['load-2014', 'load-today', 'forced-switches', 'cores'].map((name) => `figures/${name}.txt`);

/** @param {string} bundle @param {string[]} names */
function compare(bundle, names) {
  for (const name of names) {
    const [found, path] = [readFileSync(join(bundle, name), 'utf8'), join(FOLDER, 'expected', name)];
    if (process.env.UPDATE_GOLDEN === '1') {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, found);
    } else assert.equal(found, readFileSync(path, 'utf8'), name);
  }
}

const bundles = Object.fromEntries(AWKS.map((awk) => [awk, copySample('', join(FOLDER, 'sample.tar.xz'))]));

for (const [awk, bundle] of Object.entries(bundles)) {
  test(`what was sampled is reduced to the tables that are committed (${awk})`, () => {
    reduce(bundle, awk);
    compare(bundle, TABLES);
  });
}

test('the threads of a process come to the process', () => {
  const reduced = join(bundles.mawk, 'reduced');
  const sumOf = (/** @type {string} */ table) => {
    const rows = readTsv(join(reduced, table)).filter(({ side, quantity, t_s }) => side === 'server' && quantity === 'cpu_pct' && Number(t_s) <= 4);
    return rows.reduce((sum, { median }) => sum + Number(median), 0);
  };
  assert.ok(sumOf('load.tsv') > 50);
  assert.ok(Math.abs(sumOf('threads.tsv') / sumOf('load.tsv') - 1) < 0.02, `${sumOf('threads.tsv')} and ${sumOf('load.tsv')}`);
});

test('figures are drawn of them, and of processes alone where a bundle has no such captures', async () => {
  const bundle = bundles.gawk;
  await makeFigures(bundle, ['svg', 'txt']);
  compare(bundle, FIGURES);
  for (const name of TABLES) rmSync(join(bundle, name));
  rmSync(join(bundle, 'figures'), { recursive: true });
  const drawn = await makeFigures(bundle, ['txt']);
  assert.deepEqual(drawn.filter((path) => /forced-switches|cores/.test(path)), []);
  assert.match(readFileSync(join(bundle, 'figures/load-2014.txt'), 'utf8'), /worker 1 {2}store 1 {2}master 1/);
});
