/** Figures of points that differ in a setting, drawn from made-up tables with known numbers. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readJson, readTsv, writeJson, writeTsv } from '../../harness/common/files.js';

process.env.WSCALE_EXPERIMENTS = import.meta.dirname; // read when the module is loaded; the experiment is the folder settings/
const [{ makeFigures }, { PLAN_COLUMNS }, { copySample }] = await Promise.all([
  import('../../report/figures.js'), import('../../harness/plan/plan.js'), import('./bundles.js'),
]);

const BLOCKS = [1, 2, 3, 4, 5, 6];
const SMALL = 'processes=2+2+1';
const LARGE = 'processes=9+21+1,scheduling=rr';
/** @type {[string, string, number][]} engine, setting, number of valid trials */
const POINTS = [['socketcluster-2014', SMALL, 6], ['socketcluster-2014', LARGE, 6], ['socketcluster-2014', 'cores=one', 0], ['socket.io-2014', '-', 2]];

/** @param {string} bundle @param {Record<string, (string | number)[][]>} tables by name: the columns, then the lines */
function writeTables(bundle, tables) {
  for (const [name, [columns, ...lines]] of Object.entries(tables)) {
    const names = columns.map(String);
    writeTsv(join(bundle, 'reduced', name), names, lines.map((line) => Object.fromEntries(line.map((cell, index) => [names[index], cell]))));
  }
}

/** @param {(point: (string | number)[], setting: string, standing: number) => (string | number)[][]} list */
const ofPoints = (list) => POINTS.flatMap(([engine, setting, standing]) => list(['2014', engine, 'listed', setting], setting, standing));

/** @param {string} mix such as "9+21+1" @returns {[string, number][]} role and index of each process */
const listProcesses = (mix) => mix.split('+').flatMap((count, role) => Array.from({ length: Number(count) }, (_, index) =>
  /** @type {[string, number]} */ ([['balancer', 'worker', 'store'][role], index + 1])));

/** @param {string} setting */
const mixOf = (setting) => /processes=([\d+]+)/.exec(setting)?.[1] ?? '1';

/** @returns {Promise<string>} the bundle */
async function makeBundle() {
  const bundle = copySample();
  const spec = readJson(join(bundle, 'spec.json'));
  writeJson(join(bundle, 'spec.json'), { ...spec, experiment: 'settings', axes: { ...spec.axes, workload: ['listed'] } });
  writeTsv(join(bundle, 'plan.tsv'), PLAN_COLUMNS, BLOCKS.flatMap((block) => POINTS.map(([engine, setting], index) => ({
    order: block * POINTS.length + index, trial: `b${block}-${index}`, block, era: '2014', engine, workload: 'listed', setting, seed: 1, from_s: 2, to_s: 4, point: index + 1,
  }))));
  mkdirSync(join(bundle, 'reduced'));
  const key = ['era', 'engine', 'workload', 'setting'];
  writeTables(bundle, {
    'dropped.tsv': [['trial', 'reason', 'value', 'bound']],
    'trials.tsv': [['trial', 'block', ...key, 'metric', 'value'], ...ofPoints((point, _, standing) => BLOCKS.slice(0, standing).map((block) =>
      [`b${block}`, block, ...point, 'server_cpu_s_per_1k', block / 10]))],
    'points.tsv': [[...key, 'metric', 'n', 'mean', 'low', 'high'], ...ofPoints((point, setting, standing) => (standing === 0 ? [] : [
      [...point, 'server_cpu_s_per_1k', standing, 0.35, ...(standing < 3 ? ['-', '-'] : [0.1, 0.6])],
      ...(setting === LARGE ? [[...point, 'balancer_cpu_max_to_min', standing, 9, 8.5, 9.5]] : []),
    ]))],
    'processes.tsv': [['trial', 'block', ...key, 'side', 'role', 'index', 'cpu_cores', 'descriptors', 'rss_kb'], ...ofPoints((point, setting, standing) =>
      BLOCKS.slice(0, standing).flatMap((block) => listProcesses(mixOf(setting)).map(([role, index]) => [`b${block}`, block, ...point, 'server', role, index, index / 100, 10, 50000])))],
    'load.tsv': [[...key, 'side', 'process', 'quantity', 't_s', 'n', 'median', 'least', 'most'], ...ofPoints((point, setting, standing) =>
      [1, 2, 3, 4].flatMap((t_s) => (standing === 0 ? [] : listProcesses(mixOf(setting)).map(([role, index]) => [...point, 'server', `${role} ${index}`, 'cpu_pct', t_s, 6, 10, 9, 11]))))],
  });
  await makeFigures(bundle);
  return bundle;
}

const folder = join(await makeBundle(), 'figures');
/** @param {string} name @returns {string} */
const read = (name) => readFileSync(join(folder, name), 'utf8');

/** @param {string} text @param {string} label @returns {string} the first line that begins with the label */
function lineOf(text, label) {
  const found = text.split('\n').find((line) => line.trimStart().startsWith(label));
  assert.ok(found, `no line begins with "${label}" in:\n${text}`);
  return found;
}

test('each figure of the folder is drawn in every format', () => {
  assert.deepEqual(readdirSync(folder).sort(), ['balance', 'load', 'points'].flatMap((name) => ['pdf', 'png', 'svg', 'txt'].map((format) => `${name}.${format}`)));
});

test('a point is called by its engine and by its setting in words, with its mean and interval', () => {
  const text = read('points.txt');
  lineOf(text, 'SocketCluster (2014');
  assert.match(lineOf(text, '2 balancers, 2 workers, 1 store'), / 0\.350 \[0\.100, 0\.600\]$/);
  assert.match(lineOf(text, '9 balancers, 21 workers, 1 store, scheduling rr'), / 0\.350 \[0\.100, 0\.600\]$/);
  for (const words of ['2 balancers, 2 workers, 1 store', '0.350']) assert.ok(read('points.svg').includes(`>${words}<`), words);
});

test('under three trials no interval is drawn, and the caption says so', () => {
  assert.match(lineOf(read('points.txt'), 'Socket.IO 1.0 (2014)'), / 0\.350$/);
  assert.match(read('points.txt'), /Geometric means of 2 to 6 trials; whiskers: 95 % intervals \(none below 3 trials\)\./);
});

test('a point without valid trials has no row, and a metric that no point has gets no panel', () => {
  assert.doesNotMatch(read('points.txt'), /all on one core|connections alive/);
  assert.doesNotMatch(read('points.svg'), />connections alive/);
});

test('the words of a criterion stand in the key', () => assert.match(read('points.svg'), />criterion: 0\.9</));

test('balance shows the points that have several processes of the role: the most, the mean and the least', () => {
  const text = read('balance.txt');
  assert.match(lineOf(text, '9 balancers, 21 workers, 1 store, scheduling rr'), / 9\.00 +5\.00 +1\.00$/);
  assert.match(lineOf(text, '2 balancers, 2 workers, 1 store'), / 2\.00 +1\.50 +1\.00$/);
  assert.doesNotMatch(text, /Socket\.IO 1\.0 \(2014\)\s/);
});

test('thirty processes are lines of their role\'s colour, under one name each role', () => {
  for (const name of ['each balancer', 'each worker', 'store 1']) assert.match(read('load.svg'), new RegExp(`>${name}<`));
  assert.match(read('load.txt'), /SocketCluster \(2014[^)]*\), 9 balancers, 21 workers, 1 store, scheduling rr, server: CPU/);
});

test('if some trials of a point lack a metric, the others are drawn and counted, without a mean', async () => {
  const bundle = join(folder, '..');
  const path = join(bundle, 'reduced', 'points.tsv');
  const rows = readTsv(path);
  writeTsv(path, Object.keys(rows[0]), rows.filter(({ setting }) => setting !== SMALL));
  writeTsv(path, Object.keys(rows[0]), [...readTsv(path), { ...rows[0], metric: 'connected_share' }]);
  await makeFigures(bundle);
  assert.match(lineOf(read('points.txt'), '2 balancers, 2 workers, 1 store'), / \d of \d$/);
  assert.match(read('points.txt'), /a mean of them would be a selection/);
});

test('a bundle without valid trials has no figures', async () => {
  const bundle = join(folder, '..');
  for (const name of ['trials.tsv', 'points.tsv', 'processes.tsv', 'load.tsv']) {
    const [columns] = readFileSync(join(bundle, 'reduced', name), 'utf8').split('\n');
    writeTsv(join(bundle, 'reduced', name), columns.split('\t'), []);
  }
  rmSync(folder, { recursive: true });
  await makeFigures(bundle);
  assert.deepEqual(readdirSync(folder), []);
});
