import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { boundByChance, compareBundles } from '../../harness/compare.js';
import { describeDifferences } from '../../harness/differences.js';
import { UserError } from '../../harness/failure.js';
import { writeJson, writeTsv } from '../../harness/files.js';
import { filterTest } from '../awks.js';

const root = mkdtempSync(join(tmpdir(), 'compare-test-'));
after(() => rmSync(root, { recursive: true }));

const COLUMNS = ['trial', 'block', 'era', 'engine', 'workload', 'setting', 'metric', 'value'];
const SPEC = {
  experiment: '01-x', profile: 'default', seed: 1, phases: { repeats: 6 },
  engines: { ws: { era: 'today', version: '8.23.0', runtime: 'v24.21.0', library_version: '8.23.0', processes: { worker: 1 } } },
  environment: { cores: 2, cpu: 'a', suite: { commit: 'abc' } },
};

/** @typedef {Record<string, number[]>} Values of "workload metric", one a trial */

/**
 * @param {string} name @param {Values | undefined} values none: a run that did not end @param {object} [spec]
 * @returns {string} the folder
 */
function makeRun(name, values, spec = {}) {
  const folder = join(root, name);
  mkdirSync(join(folder, 'reduced'), { recursive: true });
  writeJson(join(folder, 'spec.json'), { ...SPEC, ...spec });
  writeTsv(join(folder, 'plan.tsv'), ['order', 'trial'], []);
  const rows = Object.entries(values ?? {}).flatMap(([key, list]) => list.map((value, index) => {
    const [workload, metric] = key.split(' ');
    return { trial: `b${index + 1}-ws-${workload}`, block: index + 1, era: 'today', engine: 'ws', workload, setting: '-', metric, value };
  }));
  if (values) writeTsv(join(folder, 'reduced', 'trials.tsv'), COLUMNS, rows);
  return folder;
}

/**
 * @param {import('node:test').TestContext} context @param {() => number} run
 * @returns {{code: number, out: string, err: string}}
 */
function capture(context, run) {
  const [log, error] = [context.mock.method(console, 'log', () => {}), context.mock.method(console, 'error', () => {})];
  const code = run();
  const text = (/** @type {typeof log} */ { mock }) => mock.calls.map(({ arguments: [line] }) => line).join('\n');
  const told = { code, out: text(log), err: text(error) };
  [log, error].forEach(({ mock }) => mock.restore());
  return told;
}

/** @param {RegExp} pattern @returns {(error: unknown) => boolean} */
const isUserError = (pattern) => (error) => error instanceof UserError && error.problems.length === 1 && pattern.test(error.message);

const SPREAD = [1, 1.01, 1.02, 1.03, 1.04, 1.05];
/** @param {number} factor @returns {number[]} */
const spread = (factor) => SPREAD.map((value) => value * factor);

const trials = (/** @type {[string, number][]} */ rows) => [COLUMNS.join('\t'), ...rows.map(([metric, value], index) =>
  `b${index + 1}\t${index + 1}\ttoday\tws\tlisted\t-\t${metric}\t${value}`)].join('\n');

filterTest('ratios: the median of all pairs on logarithms, between the order statistics of Mann and Whitney', ['median.awk', 'trials-to-ratios.awk'],
  // The sixteen ratios are 2^-5, 2^-3, … 2^7, most often 2^1; four against four take the outermost.
  [trials([['x', 1], ['x', 4], ['x', 16], ['x', 64]]), trials([['x', 2], ['x', 8], ['x', 32], ['x', 128]])], `
    era    engine  workload  setting  metric  n_a  n_b  ratio  low      high
    today  ws      listed    -        x       4    4    2      0.03125  128
  `, { options: ['-v', 'metrics=x y'] });

filterTest('ratios: six against six lie between the sixth ratio of each end', ['median.awk', 'trials-to-ratios.awk'],
  // Of the 36 ratios there are six of each power of ten: the sixth is still the least power, the 31st the first of the greatest.
  [trials([1, 1, 1, 1, 1, 1].map((value) => ['x', value])), trials([1, 10, 100, 1000, 10000, 100000].map((value) => ['x', value]))], `
    era    engine  workload  setting  metric  n_a  n_b  ratio    low  high
    today  ws      listed    -        x       6    6    316.228  1    100000
  `, { options: ['-v', 'metrics=x'] });

filterTest('ratios: three against four have no interval', ['median.awk', 'trials-to-ratios.awk'],
  [trials([['x', 1], ['x', 1], ['x', 1]]), trials([['x', 2], ['x', 2], ['x', 2], ['x', 2]])], `
    era    engine  workload  setting  metric  n_a  n_b  ratio  low  high
    today  ws      listed    -        x       3    4    2      -    -
  `, { options: ['-v', 'metrics=x'] });

filterTest('ratios: 0 against 0 is the same, anything against 0 is without bound, and 0 against anything is nothing', ['median.awk', 'trials-to-ratios.awk'],
  [`${COLUMNS.join('\t')}\na\t1\te\tw\tl\t-\tx\t0\na\t1\te\tw\tl\t-\ty\t0\na\t1\te\tw\tl\t-\tz\t2\n`,
    `${COLUMNS.join('\t')}\na\t1\te\tw\tl\t-\tx\t0\na\t1\te\tw\tl\t-\ty\t3\na\t1\te\tw\tl\t-\tz\t0\n`], `
    era  engine  workload  setting  metric  n_a  n_b  ratio     low  high
    e    w       l         -        x       1    1    1         -    -
    e    w       l         -        y       1    1    Infinity  -    -
    e    w       l         -        z       1    1    0         -    -
  `, { options: ['-v', 'metrics=x y z'] });

filterTest('ratios: a metric that a trial of either run lacks is left out', ['median.awk', 'trials-to-ratios.awk'],
  // `trials` numbers the trials by row: of two, one has x and one has y.
  [trials([['x', 1], ['y', 4]]), trials([['x', 1]])], `
    era  engine  workload  setting  metric  n_a  n_b  ratio  low  high
  `, { options: ['-v', 'metrics=x y'] });

test('what lies beyond its interval is named and counted', (context) => {
  const a = makeRun('a1', { 'listed server_cpu_s_per_1k': spread(1), 'listed latency_p50_ms': spread(2), 'listed unheard_of': spread(1) });
  const b = makeRun('b1', { 'listed server_cpu_s_per_1k': spread(1.5), 'listed latency_p50_ms': spread(2.001) });
  const { code, out, err } = capture(context, () => compareBundles(a, b));
  assert.equal(code, 0);
  assert.equal(err, '');
  assert.match(out, /^listed +ws +server_cpu_s_per_1k +6, 6 +1\.5 \[1\.46, 1\.5[0-9]\] +differs$/m);
  assert.match(out, /^listed +ws +latency_p50_ms +6, 6 +1 \[0\.[0-9]+, 1\.[0-9]+\]$/m);
  assert.match(out, /^differs: 01-x ws listed server_cpu_s_per_1k: 1\.5 \[/m);
  assert.match(out, /^2 compared, 1 differ beyond their 95 % intervals: 50 % \(5 % are expected/m);
  assert.doesNotMatch(out, /unheard_of/);
});

test('a ratio of too few trials says how many there were, and judges nothing', (context) => {
  const a = makeRun('a2', { 'listed server_cpu_s_per_1k': [1] });
  const b = makeRun('b2', { 'listed server_cpu_s_per_1k': [3] });
  const { code, out } = capture(context, () => compareBundles(a, b));
  assert.equal(code, 0);
  assert.match(out, /server_cpu_s_per_1k +1, 1 +3 \[no interval\] +too few trials$/m);
  assert.match(out, /^1 of 1 ratios have no interval: it takes four trials a point/m);
  const judge = () => capture(context, () => compareBundles(a, b, { same: true }));
  assert.throws(judge, isUserError(/^compare: SAME: .+ interval; run both with .+/));
});

test('the same thing twice passes as the same, and a slowdown everywhere does not', (context) => {
  const workloads = ['w1', 'w2', 'w3', 'w4'];
  const all = (/** @type {number} */ factor) => Object.fromEntries(workloads.map((name) => [`${name} server_cpu_s_per_1k`, spread(factor)]));
  const [a, b] = [makeRun('a3', all(1)), makeRun('b3', all(1.2))];
  const same = capture(context, () => compareBundles(a, a, { same: true }));
  assert.equal(same.code, 0);
  assert.match(same.out, /^SAME: of 4 ratios of .+, 0 have intervals wholly beyond 5 % of 1, .+ more than 2 would /m);
  const slowed = capture(context, () => compareBundles(a, b, { same: true }));
  assert.equal(slowed.code, 1);
  assert.match(slowed.err, /^error: SAME: 4 of 4 ratios differ by more than 5 %, the bound is 2; the ratios are 1\.2 to 1\.2: .+/m);
});

test('sameness is judged by the cost of the server alone', (context) => {
  const a = makeRun('a4', { 'listed server_cpu_s_per_1k': spread(1), 'listed latency_p50_ms': spread(1), 'listed client_cpu_s_per_1k': spread(1) });
  const b = makeRun('b4', { 'listed server_cpu_s_per_1k': spread(1), 'listed latency_p50_ms': spread(9), 'listed client_cpu_s_per_1k': spread(9) });
  assert.equal(capture(context, () => compareBundles(a, b, { same: true })).code, 0);
});

test('chance is bounded by the quantile of the binomial distribution', () => {
  // P(X <= 2 of 4) = 0.99952, P(X <= 1) = 0.98598; P(X <= 4 of 18) = 0.99845, P(X <= 3) = 0.98913.
  assert.deepEqual([1, 4, 18, 100].map((n) => boundByChance(n, 0.05, 0.99)), [1, 2, 4, 11]);
});

test('runs that differ in profile, versions, machine or manifest are compared with a warning of each', (context) => {
  const values = { 'listed server_cpu_s_per_1k': spread(1) };
  const engines = { ws: { ...SPEC.engines.ws, version: '8.24.0' } };
  const b = { profile: 'paper', seed: 2, phases: { repeats: 7 }, engines, environment: { ...SPEC.environment, cores: 8 } };
  const { code, err } = capture(context, () => compareBundles(makeRun('a5', values), makeRun('b5', values, b)));
  assert.equal(code, 0);
  assert.deepEqual(err.split('\n'), [
    'warning: 01-x: A and B differ in versions: ws.version (A 8.23.0, B 8.24.0)',
    'warning: 01-x: A and B differ in machine: cores (A 2, B 8)',
    'warning: 01-x: A and B differ in manifest: profile (A default, B paper), phases.repeats (A 6, B 7)',
  ]);
});

test('what only one of the specs has is a difference, lists are named without their values, and names are few', () => {
  const many = Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((name) => [name, 1]));
  assert.deepEqual(describeDifferences({ ...SPEC, axes: { engine: ['ws'] } }, { ...SPEC, axes: { engine: ['go'] }, cores: { share: 0.5 } }),
    ['manifest: axes.engine, cores.share (A without, B 0.5)']);
  assert.match(describeDifferences({ ...SPEC, validity: many }, SPEC)[0], /f \(A 1, B without\), and 2 more$/);
  assert.deepEqual(describeDifferences(SPEC, { ...SPEC, seed: 5, began: 'later' }), []);
});

test('reproduce runs are compared experiment by experiment, and one of them with a bundle', (context) => {
  const values = { 'listed server_cpu_s_per_1k': spread(1) };
  makeRun('all-a/01-x', values);
  makeRun('all-a/02-y', values, { experiment: '02-y' });
  makeRun('all-b/01-x', values);
  makeRun('all-b/02-y', values, { experiment: '02-y' });
  const whole = capture(context, () => compareBundles(join(root, 'all-a'), join(root, 'all-b')));
  assert.match(whole.out, /^01-x: B \/ A$(.|\n)+^02-y: B \/ A$(.|\n)+^2 compared, 0 differ/m);
  const part = capture(context, () => compareBundles(join(root, 'all-a'), join(root, 'all-b', '02-y')));
  assert.match(part.err, /^warning: only .+all-a holds 01-x: not compared$/m);
  assert.match(part.out, /^1 compared, 0 differ/m);
});

test('what cannot be compared is told in one error, with the next step', (context) => {
  const values = { 'listed server_cpu_s_per_1k': spread(1) };
  const a = makeRun('stamps/a6', values);
  for (const [path, pattern] of /** @type {[string, RegExp][]} */ ([
    [join(root, 'nowhere'), /nowhere: holds no spec\.json, so it is not a bundle; give .+/],
    [dirname(a), /stamps: holds no spec\.json, so it is not a bundle; give .+/],
    [makeRun('b6', values, { experiment: '02-y' }), /is of 01-x, .+ of 02-y; give two runs of the same experiment/],
    [makeRun('c6', { 'described server_cpu_s_per_1k': spread(1) }), /have no point with a metric in common; give two runs of the same points/],
    [makeRun('d6', undefined), /d6: holds no reduced\/trials\.tsv: the run did not end; go on with it by RESUME=1/],
  ])) {
    assert.throws(() => capture(context, () => compareBundles(a, path)), isUserError(pattern));
    context.mock.restoreAll();
  }
});

test('a path with an equals sign is read as a file', (context) => {
  const run = makeRun('x=y', { 'listed server_cpu_s_per_1k': spread(1) });
  const before = process.cwd();
  process.chdir(root);
  try {
    assert.match(capture(context, () => compareBundles('x=y', run)).out, /^1 compared/m);
  } finally {
    process.chdir(before);
  }
});
