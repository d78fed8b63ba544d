/**
 * Reduces, judges and draws the sample with a copy of every trial. The copies look like trials of another generator
 * with half of the client's CPU.
 */
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeFigures } from '../../report/figures.js';
import { readJson, readTsv, writeJson, writeTsv } from '../../harness/common/files.js';
import { PLAN_COLUMNS } from '../../harness/plan/plan.js';
import { judgeBundle } from '../../analysis/claims/verdict.js';
import { AWKS } from '../awks.js';
import { EXPECTED, copySample, reduce } from './bundles.js';

/** @param {string} trial its folder */
function halveClient(trial) {
  const path = join(trial, 'raw/accounts.tsv');
  const rows = readTsv(path).map((row) => (row.side === 'client' ? { ...row, cpu_ns: Number(row.cpu_ns) / 2 } : row));
  writeTsv(path, Object.keys(rows[0]), rows);
}

/** Adds tagged histograms, which hold only a part of the time to connect. @param {string} trial its folder */
function addTags(trial) {
  const path = join(trial, 'raw/client/connect.hlog');
  const [latency] = readFileSync(join(trial, 'raw/client/latency.hlog'), 'utf8').split('\n').filter((line) => /^\d.*[1-9]/.test(line)).slice(-1);
  const tagged = (/** @type {string} */ line) => (/^\d/.test(line) ? `${line}\nTag=tcp,${latency}` : line);
  writeFileSync(path, readFileSync(path, 'utf8').split('\n').map(tagged).join('\n'));
}

/** @returns {string} the bundle */
function copyTwice() {
  const bundle = copySample();
  const plan = readTsv(join(bundle, 'plan.tsv')).flatMap((row) => {
    const twin = { ...row, trial: `${row.trial}-generator-swarm`, setting: 'generator=swarm', point: String(2 * Number(row.point)) };
    const folder = join(bundle, 'trials', twin.trial);
    cpSync(join(bundle, 'trials', row.trial), folder, { recursive: true });
    halveClient(folder);
    addTags(folder);
    return [{ ...row, point: String(2 * Number(row.point) - 1) }, twin];
  });
  writeTsv(join(bundle, 'plan.tsv'), PLAN_COLUMNS, plan);
  const spec = readJson(join(bundle, 'spec.json'));
  writeJson(join(bundle, 'spec.json'), { ...spec, axes: { ...spec.axes, generator: ['forked', 'swarm'] }, generators: { swarm: { version: '1.2.3' } } });
  return bundle;
}

const bundles = Object.fromEntries(AWKS.map((awk) => [awk, copyTwice()]));

for (const [awk, bundle] of Object.entries(bundles)) {
  test(`claims are judged on the trials of the default generator alone (${awk})`, () => {
    reduce(bundle, awk);
    judgeBundle(bundle);
    for (const name of ['reduced/compared.tsv', 'verdict.json']) {
      assert.equal(readFileSync(join(bundle, name), 'utf8'), readFileSync(join(EXPECTED, name), 'utf8'), name);
    }
    const own = readTsv(join(bundle, 'reduced/trials.tsv')).filter(({ setting }) => setting === '-');
    assert.deepEqual(own, readTsv(join(EXPECTED, 'reduced/trials.tsv')));
  });

  test(`each engine's ratios of the two generators are taken within blocks (${awk})`, () => {
    const rows = readTsv(join(bundle, 'reduced/generators.tsv'));
    const engines = ['socketcluster-2014', 'socket.io-2014'];
    assert.deepEqual(rows.map(({ of, metric, n, mean }) => [of, metric, n, Number(mean).toPrecision(3)].join(' ')), engines.flatMap((engine) => [
      `${engine} server_cpu_s_per_1k 2 1.00`, `${engine} client_cpu_s_per_1k 2 0.500`, `${engine} latency_p50_ms 2 1.00`,
      `${engine} latency_p99_ms 1 1.00`, // the other block has too few samples for p99
    ]));
    for (const { setting, to_setting } of rows) assert.deepEqual([setting, to_setting], ['generator=swarm', '-']);
  });
}

test('tagged histograms of a log do not count', () => {
  const rows = readTsv(join(bundles.mawk, 'reduced/trials.tsv')).filter(({ metric }) => metric.startsWith('connect_'));
  const values = (/** @type {string} */ wanted) =>
    rows.filter(({ setting }) => setting === wanted).map(({ block, engine, metric, value }) => [block, engine, metric, value]);
  assert.ok(values('-').length > 0);
  assert.deepEqual(values('generator=swarm'), values('-'));
});

test('figures show the default generator, and those that compare the two show both', async () => {
  const { mawk: bundle } = bundles;
  await makeFigures(bundle);
  const drawn = readdirSync(join(bundle, 'figures')).filter((name) => name.endsWith('.txt')).sort();
  const expected = readdirSync(join(EXPECTED, 'figures'));
  assert.deepEqual(drawn, [...expected, 'generators.txt'].sort());
  const panels = (/** @type {string} */ folder, /** @type {string} */ name) => readFileSync(join(folder, 'figures', name), 'utf8').split('\nopen load')[0];
  for (const name of expected) assert.equal(panels(bundle, name), panels(EXPECTED, name), name);
  const [clients, servers] = panels(bundle, 'generators.txt').split('CPU of the server');
  assert.equal(clients.match(/ 0\.500$/gm)?.length, 2);
  assert.equal(servers.match(/ 1\.00$/gm)?.length, 4, 'the server\'s CPU, and the latency');
});

test('a bundle of two generators of which no trial stands is reduced and drawn', async () => {
  const bundle = copyTwice();
  rmSync(join(bundle, 'trials'), { recursive: true });
  mkdirSync(join(bundle, 'trials'));
  reduce(bundle, 'mawk');
  assert.ok(readTsv(join(bundle, 'reduced/generators.tsv')).every(({ n }) => n === '0'));
  await makeFigures(bundle);
});
