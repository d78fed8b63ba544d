import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { compareBundles } from '../../analysis/compare/compare.js';
import { describeDifferences } from '../../analysis/compare/differences.js';
import { UserError } from '../../harness/common/failure.js';
import { writeJson, writeTsv } from '../../harness/common/files.js';
import { computeRatios } from '../../analysis/points/ratios.js';
import { writeYardsticks } from '../../harness/common/yardstick.js';
import { rowsTest } from '../awks.js';

const root = mkdtempSync(join(tmpdir(), 'compare-test-'));
after(() => rmSync(root, { recursive: true }));

const COLUMNS = ['trial', 'block', 'era', 'engine', 'workload', 'setting', 'metric', 'value'];
const SPEC = {
  experiment: '01-x', profile: 'default', seed: 1, phases: { repeats: 6 },
  engines: { ws: { era: 'today', version: '8.23.0', runtime: 'v24.21.0', library_version: '8.23.0', processes: { worker: 1 } } },
  environment: { cores: 2, cpu: 'a', suite: { commit: 'abc' } },
};

/** @typedef {Record<string, number[]>} Values by "workload metric", one per trial */

/**
 * @param {string} name @param {Values | undefined} values undefined: the run did not end @param {object} [spec]
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
  const reported = { code, out: text(log), err: text(error) };
  [log, error].forEach(({ mock }) => mock.restore());
  return reported;
}

/** @param {RegExp} pattern @returns {(error: unknown) => boolean} */
const isUserError = (pattern) => (error) => error instanceof UserError && error.problems.length === 1 && pattern.test(error.message);

const SPREAD = [1, 1.01, 1.02, 1.03, 1.04, 1.05];
/** @param {number} factor @returns {number[]} */
const spread = (factor) => SPREAD.map((value) => value * factor);

const trials = (/** @type {[string, number][]} */ rows) => [COLUMNS.join('\t'), ...rows.map(([metric, value], index) =>
  `b${index + 1}\t${index + 1}\ttoday\tws\tlisted\t-\t${metric}\t${value}`)].join('\n');

const ratiosOf = (/** @type {string[]} */ ...metrics) => (/** @type {Record<string, string>[][]} */ ...[a, b]) =>
  computeRatios(a, b, metrics);

rowsTest('ratios: the geometric mean of the ratios within pairs, with Student\'s t on their logarithms', ratiosOf('x', 'y'),
  // The ratios are 2, 4 and 8, with logarithms of 1, 2 and 3 times log 2. t at two degrees of freedom is 4.30265
  [trials([['x', 1], ['x', 10], ['x', 3]]), trials([['x', 2], ['x', 40], ['x', 24]])], `
    era    engine  workload  setting  metric  n  ratio  low       high
    today  ws      listed    -        x       3  4      0.714924  22.38
  `);

rowsTest('ratios: two pairs have no interval, and a trial without a partner counts for nothing', ratiosOf('x'),
  [trials([['x', 1], ['x', 1]]), trials([['x', 2], ['x', 2], ['x', 9]])], `
    era    engine  workload  setting  metric  n  ratio  low  high
    today  ws      listed    -        x       2  2      -    -
  `);

rowsTest('ratios: 0 against 0 is the same, anything against 0 is without bound, and 0 against anything is nothing', ratiosOf('x', 'y', 'z'),
  [`${COLUMNS.join('\t')}\na\t1\te\tw\tl\t-\tx\t0\na\t1\te\tw\tl\t-\ty\t0\na\t1\te\tw\tl\t-\tz\t2\n`,
    `${COLUMNS.join('\t')}\na\t1\te\tw\tl\t-\tx\t0\na\t1\te\tw\tl\t-\ty\t3\na\t1\te\tw\tl\t-\tz\t0\n`], `
    era  engine  workload  setting  metric  n  ratio     low  high
    e    w       l         -        x       1  1         -    -
    e    w       l         -        y       1  Infinity  -    -
    e    w       l         -        z       1  0         -    -
  `);

rowsTest('ratios: a metric that a trial of either run lacks is left out', ratiosOf('x', 'y'),
  // `trials` makes each row a trial: the first of A has only x, the second only y
  [trials([['x', 1], ['y', 4]]), trials([['x', 1]])], `
    era  engine  workload  setting  metric  n  ratio  low  high
  `);

test('a ratio whose interval excludes 1 is named and counted', (context) => {
  const a = makeRun('a1', { 'listed server_cpu_s_per_1k': spread(1), 'listed latency_p50_ms': spread(2), 'listed unheard_of': spread(1) });
  const b = makeRun('b1', { 'listed server_cpu_s_per_1k': spread(1.5), 'listed latency_p50_ms': spread(2).reverse() });
  const { code, out, err } = capture(context, () => compareBundles(a, b));
  assert.equal(code, 0);
  assert.equal(err, '');
  assert.match(out, /^listed +ws +server_cpu_s_per_1k +6 +1\.5 \[1\.5, 1\.5\] +differs$/m);
  assert.match(out, /^listed +ws +latency_p50_ms +6 +1 \[0\.9[0-9]+, 1\.0[0-9]+\]$/m);
  assert.match(out, /^differs: 01-x ws listed server_cpu_s_per_1k: 1\.5 \[/m);
  assert.match(out, /^2 compared, 1 differ beyond their 95 % intervals: 50 % \(5 % are expected/m);
  assert.doesNotMatch(out, /unheard_of/);
});

test('where the saturation of one run is a lower bound the ratio is a bound, and where both are it says nothing', (context) => {
  const saturations = (/** @type {number} */ factor, /** @type {number} */ at_least) =>
    ({ 'listed saturation_hz': spread(factor), 'listed saturation_at_least': spread(1).map((_, index) => (index === 2 ? at_least : 0)) });
  const told = (/** @type {string} */ name, /** @type {Record<string, number[]>} */ a, /** @type {Record<string, number[]>} */ b) =>
    capture(context, () => compareBundles(makeRun(`${name}-a`, a), makeRun(`${name}-b`, b))).out;
  const found = saturations(1000, 0);
  assert.match(told('found', found, saturations(1500, 0)), /saturation_hz +6 +1\.5 \[1\.5, 1\.5\] +differs$/m);
  const more = told('more', found, saturations(1500, 1));
  assert.match(more, /saturation_hz .+ differs; so much at least: the load was the limit in B$/m);
  assert.match(more, /^differs: 01-x ws listed saturation_hz: .+, so much at least: the load was the limit in B$/m);
  const less = told('less', found, saturations(500, 1));
  assert.match(less, /saturation_hz .+\] +so much at least: the load was the limit in B$/m);
  assert.doesNotMatch(less, /^differs/m);
  assert.match(told('at-most', saturations(1000, 1), saturations(500, 0)), /saturation_hz .+ differs; so much at most: the load was the limit in A$/m);
  const both = told('both', saturations(1000, 1), saturations(1500, 1));
  assert.match(both, /saturation_hz .+\] +two lower bounds: the load was the limit in both, so it tells nothing of the servers$/m);
  assert.match(both, /^1 compared, 0 differ/m);
});

test('a ratio to 0 has no bound, and says so', (context) => {
  const [a, b] = [makeRun('zero-a', { 'listed connected_share': [0, 1, 1] }), makeRun('zero-b', { 'listed connected_share': [1, 1, 1] })];
  const { out } = capture(context, () => compareBundles(a, b));
  assert.match(out, /connected_share +3 +.+ +0 in a trial of A: no bound$/m);
  assert.match(out, /^1 of 1 ratios have no bound: a trial of A has 0 where that of B has more$/m);
});

test('a ratio of too few trials says how many there were, and judges nothing', (context) => {
  const a = makeRun('a2', { 'listed server_cpu_s_per_1k': [1] });
  const b = makeRun('b2', { 'listed server_cpu_s_per_1k': [3] });
  const { code, out } = capture(context, () => compareBundles(a, b));
  assert.equal(code, 0);
  assert.match(out, /server_cpu_s_per_1k +1 +3 \[no interval\] +too few trials$/m);
  assert.match(out, /^1 of 1 ratios have no interval: it takes three pairs of trials a point/m);
  const judge = () => capture(context, () => compareBundles(a, b, { same: true }));
  assert.throws(judge, isUserError(/^compare: SAME: no experiment has .+; run both with .+/));
});

test('the same thing twice passes as the same, and a slowdown everywhere does not', (context) => {
  const workloads = ['w1', 'w2', 'w3', 'w4'];
  const all = (/** @type {number} */ factor) => Object.fromEntries(workloads.map((name, shift) =>
    [`${name} server_cpu_s_per_1k`, spread(factor).map((value, index) => value * (1 + ((index + shift) % 3) / 50))]));
  const [a, b] = [makeRun('a3', all(1)), makeRun('b3', all(1.2))];
  const same = capture(context, () => compareBundles(a, a, { same: true }));
  assert.equal(same.code, 0);
  assert.match(same.out, /^everything +6 +1 \[1, 1\] +5 +1\.0000$/m);
  assert.match(same.out, /^SAME: 0 shifts of server_cpu_s_per_1k differ; were A and B the same to within 5 % /m);
  const slowed = capture(context, () => compareBundles(a, b, { same: true }));
  assert.equal(slowed.code, 1);
  assert.match(slowed.err, /^error: SAME: 01-x: everything, costs 1\.2 \[1\.2, 1\.2\] times as much in B as in A; .+$/m);
});

test('where the yardsticks differ a shift of everything is no failure, and both yardsticks are shown', (context) => {
  const [a, b] = ['price-a', 'price-b'].map((name, index) => makeRun(name, { 'light server_cpu_s_per_1k': spread(index ? 1.5 : 1) }));
  const alarms = () => capture(context, () => compareBundles(a, b, { same: true })).code;
  assert.equal(alarms(), 1, 'without yardsticks');
  const charge = (/** @type {string} */ bundle, /** @type {number} */ wake_cpu_us) =>
    writeYardsticks(bundle, [{ block: 1, position: 'before', start: '2026-11-26T20:00:00Z', host: 'local', wake_cpu_us }]);
  charge(a, 12);
  charge(b, 14);
  assert.equal(alarms(), 1, 'the same price');
  charge(b, 24);
  const { code, out } = capture(context, () => compareBundles(a, b, { same: true }));
  assert.equal(code, 0);
  assert.match(out, /^yardstick A {2}waking cost 12 us \(1 yardstick\)\nyardstick B {2}waking cost 24 us \(1 yardstick\)$/m);
  assert.match(out, /^ABSOLUTE COSTS CAN'T BE COMPARED: waking cost 2 times as much in B as in A/m);
});

test('what shifts everything by less than a machine drifts from run to run is reported and is no failure', (context) => {
  const a = makeRun('a7', { 'listed server_cpu_s_per_1k': spread(1) });
  const b = makeRun('b7', { 'listed server_cpu_s_per_1k': spread(1.045) });
  const { code, out } = capture(context, () => compareBundles(a, b, { same: true }));
  assert.equal(code, 0);
  assert.match(out, /^everything +6 +1\.04 \[1\.0[34], 1\.0[45]\] +5 +1\.0000 +moved, as a machine may: `\.\/wscale duet` tells$/m);
});

test('sameness is judged by the cost of the server alone', (context) => {
  const a = makeRun('a4', { 'listed server_cpu_s_per_1k': spread(1), 'listed latency_p50_ms': spread(1), 'listed client_cpu_s_per_1k': spread(1) });
  const b = makeRun('b4', { 'listed server_cpu_s_per_1k': spread(1), 'listed latency_p50_ms': spread(9), 'listed client_cpu_s_per_1k': spread(9) });
  assert.equal(capture(context, () => compareBundles(a, b, { same: true })).code, 0);
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

test('two runs by other runtimes or compilers say so, each once with all that it ran or built', () => {
  const by = (/** @type {string} */ go, /** @type {string} */ cargo) => ({
    ...SPEC, engines: { ...SPEC.engines, gorilla: { version: '1', runtime: go, pinned_runtime: 'go1.26' }, gws: { version: '1', runtime: go } },
    generators: { swarm: { version: '0.1.0', runtime: cargo } },
  });
  assert.deepEqual(describeDifferences(by('go1.19', 'cargo 1.95.0'), by('go1.24', 'cargo 1.96.0')),
    ['runtimes: gorilla, gws (A go1.19, B go1.24); swarm (A cargo 1.95.0, B cargo 1.96.0)']);
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

test('what cannot be compared is reported in one error, with the next step', (context) => {
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
