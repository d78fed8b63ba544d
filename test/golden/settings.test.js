/** Figures of points that a setting sets apart, drawn from made-up tables of which the numbers are known. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readJson, readTsv, writeJson, writeTsv } from '../../harness/common/files.js';

process.env.WSCALE_EXPERIMENTS = import.meta.dirname; // read when the module is loaded; the experiment is the folder settings/
const [{ makeFigures }, { PLAN_COLUMNS }, { filterTest, table }, { copySample }] = await Promise.all([
  import('../../harness/show/figures.js'), import('../../harness/plan/plan.js'), import('../awks.js'), import('./bundles.js'),
]);

const BLOCKS = [1, 2, 3, 4, 5, 6];
const SMALL = 'processes=2+2+1';
const LARGE = 'processes=9+21+1,scheduling=rr';
/** @type {[string, string, number][]} engine, setting, trials that stand */
const POINTS = [['socketcluster-2014', SMALL, 6], ['socketcluster-2014', LARGE, 6], ['socketcluster-2014', 'cores=one', 0], ['socket.io-2014', '-', 2]];

/** @param {string} bundle @param {Record<string, (string | number)[][]>} tables lines below their columns, by name */
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

test('each script of the folder is drawn in every format', () => {
  assert.deepEqual(readdirSync(folder).sort(), ['balance', 'glance', 'load'].flatMap((name) => ['pdf', 'png', 'svg', 'txt'].map((format) => `${name}.${format}`)));
});

test('at a glance a point is called by its engine and by its setting in words, with its mean and interval', () => {
  const text = read('glance.txt');
  lineOf(text, 'SocketCluster (2014)');
  assert.match(lineOf(text, '2 balancers, 2 workers, 1 store'), /\[.*o.*\].* 0\.350 \[0\.100, 0\.600\]$/);
  assert.match(lineOf(text, '9 balancers, 21 workers, 1 store, scheduling rr'), / 0\.350 \[0\.100, 0\.600\]$/);
});

test('under three trials no interval is drawn, and the line says so', () => {
  assert.match(lineOf(read('glance.txt'), 'Socket.IO 1.0 (2014)'), /: +: +o +0\.350 \(n 2\)$/);
});

test('a point of which no trial stands is absent, and a metric that no point has is not measured', () => {
  const text = read('glance.txt');
  assert.match(lineOf(text, 'all on one core'), /absent: no trial has it/);
  assert.match(text, /share\n(.*\n)*.*not measured here/);
});

test('the words of a criterion stand in the legend', () => assert.match(read('glance.txt'), /^ \| criterion: 0\.9 of all$/m));

test('balance shows the points that have several processes of the role, with their mean and what the table says of their spread', () => {
  const text = read('balance.txt');
  assert.match(lineOf(text, '9 balancers, 21 workers, 1 store, scheduling rr'), / 5\.00 +9\.00 \[8\.50, 9\.50\]$/);
  assert.match(lineOf(text, '2 balancers, 2 workers, 1 store'), / 1\.50$/);
  assert.doesNotMatch(text, /Socket\.IO 1\.0 \(2014\)\s/);
});

test('thirty processes are lines of their role\'s colour, under one name each role', () => {
  assert.match(lineOf(read('load.txt'), 'b balancer'), /^ b balancer {4}w worker {4}s store/);
  assert.match(read('load.txt'), /SocketCluster \(2014\), 9 balancers, 21 workers, 1 store, scheduling rr; listed/);
  assert.match(read('load.svg'), />9 balancers, 21 workers, 1 store, scheduling rr</);
});

test('a metric that some trials of a point lack has no mean, and the line says which blocks have it', async () => {
  const bundle = join(folder, '..');
  const path = join(bundle, 'reduced', 'points.tsv');
  const rows = readTsv(path);
  writeTsv(path, Object.keys(rows[0]), rows.filter(({ engine }) => engine !== 'socket.io-2014'));
  await makeFigures(bundle);
  assert.match(lineOf(read('glance.txt'), 'Socket.IO 1.0 (2014)'), / \|in blocks 1, 2 alone/);
  assert.match(lineOf(read('glance.txt'), 'all on one core'), /absent: no trial has it/);
});

test('a bundle of which no trial stands is drawn', async () => {
  const bundle = join(folder, '..');
  for (const name of ['trials.tsv', 'points.tsv', 'processes.tsv', 'load.tsv']) {
    const [columns] = readFileSync(join(bundle, 'reduced', name), 'utf8').split('\n');
    writeTsv(join(bundle, 'reduced', name), columns.split('\t'), []);
  }
  rmSync(folder, { recursive: true });
  await makeFigures(bundle);
});

filterTest('ranks: the busiest process of each trial is ranked first, whichever it is, and 0 is the mean of them',
  ['median.awk', 'processes-to-ranks.awk'],
  [table(`
    trial  era   engine  workload  setting  side    role      index  cpu_cores
    b01    2014  x       listed    -        server  balancer  1      0.1
    b01    2014  x       listed    -        server  balancer  2      0.5
    b02    2014  x       listed    -        server  balancer  1      0.7
    b02    2014  x       listed    -        server  balancer  2      0.3
    b02    2014  x       listed    -        server  worker    1      -
  `)],
  `
    era   engine  workload  setting  side    role      rank  n  median
    2014  x       listed    -        server  balancer  0     2  0.4
    2014  x       listed    -        server  balancer  1     2  0.6
    2014  x       listed    -        server  balancer  2     2  0.2
  `, { options: ['-v', 'quantity=cpu_cores'] });

const LOAD = table(`
  era   engine  workload  setting  side    process    quantity  t_s  n  median  least  most
  2014  x       listed    a=1      server  worker 1   cpu_pct   1    6  38      36     41
  2014  x       listed    a=1      server  worker 10  cpu_pct   1    6  35      30     40
  2014  x       listed    a=1      server  store 1    cpu_pct   1    6  1       0      2
  2014  x       listed    a=1      client  worker 1   cpu_pct   1    6  7       7      7
  2014  x       listed    -        server  worker 1   cpu_pct   1    6  8       8      8
`);
const PANEL = { engine: 'x', workload: 'listed', setting: 'a=1', side: 'server' };

filterTest('lines: each process of a role is a line of its own', ['load-to-lines.awk'], [LOAD],
  't_s  median  least  most\n1  38  36  41\n\n1  35  30  40', { env: { ...PANEL, process: 'worker' } });

filterTest('lines: a process is found by its whole name', ['load-to-lines.awk'], [LOAD],
  't_s  median  least  most\n1  38  36  41', { env: { ...PANEL, process: 'worker 1' } });

filterTest('lines: a backslash in a name is itself', ['load-to-lines.awk'], [LOAD.replaceAll('worker 10', 'wor\\tker 1')],
  't_s  median  least  most\n1  35  30  40', { env: { ...PANEL, process: 'wor\\tker 1' } });
