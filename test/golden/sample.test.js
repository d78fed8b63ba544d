/**
 * Reduces, judges and draws small real bundles. Tables and figures must equal the committed ones byte for byte.
 * `make golden` writes them anew: review the diff.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { pack } from '../../harness/common/archive.js';
import { readFlags } from '../../harness/common/bundle.js';
import { makeFigures } from '../../report/figures.js';
import { readJson, readTsv, writeTsv } from '../../harness/common/files.js';
import { judgeTrial } from '../../analysis/trials/validity.js';
import { judgeBundle } from '../../analysis/claims/verdict.js';
import { listExperiments } from '../../harness/spec/spec.js';
import { expectedOf, sampleOf } from './places.js';
import { AWKS } from '../awks.js';
import { copySample, listSampled, readDrawn, reduce } from './bundles.js';

const update = process.env.UPDATE_GOLDEN === '1';

/**
 * Only the digest of these is committed: of tables too long to review, and of means over trials, which in a sample of one block repeat
 * the table of trials.
 */
const DIGESTED = /(?<=\/(series|load|threads|system|processes|connect|points|flagged-points))\.tsv$/;
const DIGEST = '.sha256';

/** @param {string} bundle @param {string} expected @param {string} name below both */
function compare(bundle, expected, name) {
  const text = readFileSync(join(bundle, name), 'utf8');
  const found = DIGESTED.test(name) ? `${createHash('sha256').update(text).digest('hex')}\n` : text;
  const path = join(expected, name.replace(DIGESTED, DIGEST));
  if (update) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, found);
  } else {
    assert.equal(found, readFileSync(path, 'utf8'), `${name} is not what ${path} holds; see \`make golden\``);
  }
}

/** @param {string} bundle @returns {string[]} paths of its tables and its verdict */
const listTables = (bundle) => ['verdict.json', ...readdirSync(join(bundle, 'reduced')).map((name) => name.replace(DIGEST, '.tsv')).filter((name) => name.endsWith('.tsv'))
  .map((name) => `reduced/${name}`)].sort();

test('every experiment has a sample', () => assert.deepEqual(listSampled(), listExperiments()));

for (const experiment of listSampled()) {
  const expected = expectedOf(experiment);
  const bundles = Object.fromEntries(AWKS.map((awk) => [awk, copySample(experiment)]));

  for (const [awk, bundle] of Object.entries(bundles)) {
    test(`the sample of ${experiment} reduces to the tables that are committed, and they are judged alike (${awk})`, () => {
      if (update && awk === AWKS[0]) rmSync(expected, { recursive: true, force: true });
      reduce(bundle, awk);
      judgeBundle(bundle);
      for (const name of listTables(bundle)) compare(bundle, expected, name);
      assert.deepEqual(listTables(bundle), listTables(expected));
    });
  }

  test(`every awk makes the same bytes of ${experiment}`, () => {
    const [first, ...others] = Object.values(bundles);
    for (const name of listTables(first)) for (const other of others) assert.equal(readFileSync(join(other, name), 'utf8'), readFileSync(join(first, name), 'utf8'), name);
  });

  test(`the rules find in the sample of ${experiment} what they found when it was taken`, () => {
    const bundle = copySample(experiment);
    const spec = readJson(join(bundle, 'spec.json'));
    for (const { trial } of readTsv(join(bundle, 'plan.tsv'))) {
      const path = join(bundle, 'trials', trial, 'validity.tsv');
      const before = readFileSync(path, 'utf8');
      judgeTrial(join(bundle, 'trials', trial), spec);
      if (!update) assert.equal(readFileSync(path, 'utf8'), before, trial);
    }
    if (update) pack(sampleOf(experiment), bundle);
  });

  test(`the figures of ${experiment}, as text, are those that are committed`, async () => {
    const { mawk: bundle } = bundles;
    await makeFigures(bundle);
    const figures = readdirSync(join(bundle, 'figures')).filter((name) => name.endsWith('.txt')).sort();
    assert.equal(figures.length > 0, readTsv(join(bundle, 'reduced/points.tsv')).length > 0, 'figures where a trial stands');
    for (const name of figures) compare(bundle, expected, join('figures', name));
    if (!update) assert.deepEqual(existsSync(join(expected, 'figures')) ? readdirSync(join(expected, 'figures')).sort() : [], figures);
  });
}

test('figures that are drawn again, elsewhere, are the same bytes in every format', async () => {
  const [first, second] = [copySample(), copySample()];
  for (const bundle of [first, second]) {
    reduce(bundle, 'mawk');
    await makeFigures(bundle);
  }
  const names = readdirSync(join(first, 'figures')).sort();
  assert.deepEqual(names, readdirSync(join(second, 'figures')).sort());
  for (const format of ['svg', 'png', 'pdf', 'txt']) assert.ok(names.some((name) => name.endsWith(`.${format}`)), format);
  for (const name of names) {
    assert.ok(readDrawn(join(first, 'figures', name)) === readDrawn(join(second, 'figures', name)), `${name} differs`);
  }
});

test('a process with less CPU time at the end of the window than at its start has lost a thread, and is flagged', () => {
  const bundle = copySample();
  const trial = join(bundle, 'trials/b01-socket.io-2014-listed');
  const path = join(trial, 'raw/accounts.tsv');
  const rows = readTsv(path);
  const [before, after] = ['window_start', 'window_end'].map((mark) => rows.find((row) => row.mark === mark && row.role === 'client'));
  assert.ok(before && after);
  after.cpu_ns = String(Number(before.cpu_ns) - 1e6);
  after.ticks = before.ticks;
  writeTsv(path, Object.keys(after), rows);
  judgeTrial(trial, readJson(join(bundle, 'spec.json')));
  assert.ok(readFlags(trial).includes('accounts-complete'));
});

/**
 * @param {string} bundle @param {string} name of a reduced table @param {string} column
 * @returns {string[]} its distinct values
 */
const pick = (bundle, name, column) => [...new Set(readTsv(join(bundle, 'reduced', name)).map((row) => row[column]))];

test('a trial that failed, was flagged or never ran leaves the tables and is listed with the reason', () => {
  const bundle = copySample();
  const trials = join(bundle, 'trials');
  writeFileSync(join(trials, 'b01-socketcluster-2014-listed/status'), 'failed: the server ended\n');
  rmSync(join(trials, 'b02-socketcluster-2014-listed'), { recursive: true });
  const validity = join(trials, 'b02-socket.io-2014-listed/validity.tsv');
  const flagged = readFileSync(validity, 'utf8').replace(/^(late-sends|steal)\t[^\t]+\t([^\t]+)\tyes/gm, '$1\t0.5\t$2\tno');
  writeFileSync(validity, flagged);
  reduce(bundle, 'mawk');
  const { late_share_max, steal_share_max } = readJson(join(bundle, 'spec.json')).validity;
  assert.deepEqual(readTsv(join(bundle, 'reduced/dropped.tsv')).map((row) => Object.values(row).join(' ')).sort(), [
    'b01-socketcluster-2014-listed failed: the server ended - -',
    `b02-socket.io-2014-listed late-sends 0.5 ${late_share_max}`,
    `b02-socket.io-2014-listed steal 0.5 ${steal_share_max}`,
    'b02-socketcluster-2014-listed planned - -',
  ]);
  assert.deepEqual(pick(bundle, 'trials.tsv', 'trial'), ['b01-socket.io-2014-listed']);
  assert.deepEqual(pick(bundle, 'series.tsv', 'trial'), ['b01-socket.io-2014-listed']);
  assert.deepEqual(pick(bundle, 'points.tsv', 'n'), ['1']);
  assert.deepEqual(pick(bundle, 'flagged.tsv', 'trial'), ['b02-socket.io-2014-listed']);
  assert.ok(pick(bundle, 'flagged.tsv', 'metric').includes('server_cpu_s_per_1k'));
  assert.deepEqual(pick(bundle, 'flagged-points.tsv', 'n'), ['1']);
  assert.deepEqual(pick(bundle, 'compared.tsv', 'n'), ['0']);
  assert.deepEqual(judgeBundle(bundle).map(({ verdict }) => verdict), ['not run', 'not run', 'not run']);
});

test('a bundle of which no trial stands is reduced to tables without rows, judged and drawn', async () => {
  const bundle = copySample();
  rmSync(join(bundle, 'trials'), { recursive: true });
  mkdirSync(join(bundle, 'trials'));
  reduce(bundle, 'mawk');
  for (const name of ['trials.tsv', 'points.tsv', 'series.tsv', 'load.tsv']) assert.deepEqual(readTsv(join(bundle, 'reduced', name)), [], name);
  assert.ok(judgeBundle(bundle).every(({ verdict }) => verdict === 'not run'));
  await makeFigures(bundle);
});
