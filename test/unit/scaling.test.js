/** Computations of experiments 5 and 6, and the fits, checked on constructed tables with known answers. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fitAll } from '../../analysis/points/fits.js';
import { tQuantile } from '../../analysis/statistics/distributions.js';
import { describeRates } from '../../experiments/05-core-scaling/rates.js';
import { listScaling } from '../../experiments/05-core-scaling/scaling.js';
import { listElasticities } from '../../experiments/06-parameter-influence/elasticities.js';
import { spellSettings } from '../../harness/common/setting.js';
import { rowsTest, table } from '../awks.js';

const ROLES = new Map([
  ['socketcluster-2014', ['balancer', 'worker', 'store'].map((role) => ({ role, count: 1 }))], ['engine.io-2014', [{ role: 'worker', count: 1 }]],
]);
const scalingOf = (/** @type {Record<string, string>[]} */ trials) => listScaling(trials, ROLES);

rowsTest('scaling: cores are processes, units are pairs; trials with other cores are left out, other options have their own line',
  scalingOf, [table(`
    trial  block  era   engine              workload   setting                        metric         value
    t1     1      2014  socketcluster-2014  saturated  processes=1+1+1                saturation_hz  400
    t2     1      2014  socketcluster-2014  saturated  processes=2+2+1                saturation_hz  700
    t3     1      2014  socketcluster-2014  saturated  processes=2+1+1                saturation_hz  410
    t4     1      2014  engine.io-2014      saturated  -                              saturation_hz  500
    t5     1      2014  engine.io-2014      saturated  cores=own-real                 saturation_hz  5000
    t6     1      2014  socketcluster-2014  saturated  processes=2+2+1,scheduling=rr  saturation_hz  800
    t7     1      2014  socketcluster-2014  listed     processes=1+1+1                received_hz    10
  `)], `
    era   engine              workload   setting                        line           trial  block  n_cores  units  throughput_hz  base            relative  own_relative
    2014  socketcluster-2014  saturated  processes=1+1+1                -              t1     1      3        1      400            engine.io-2014  0.8       1
    2014  socketcluster-2014  saturated  processes=2+2+1                -              t2     1      5        2      700            engine.io-2014  1.4       1.75
    2014  socketcluster-2014  saturated  processes=2+1+1                -              t3     1      4        -      410            engine.io-2014  0.82      1.025
    2014  engine.io-2014      saturated  -                              -              t4     1      1        1      500            engine.io-2014  1         1
    2014  socketcluster-2014  saturated  processes=2+2+1,scheduling=rr  scheduling=rr  t6     1      5        2      800            engine.io-2014  1.6       -
  `);

rowsTest('scaling: where the first base of an era was not measured it is the next, of the same era',
  scalingOf, [table(`
    trial  block  era   engine          workload   setting  metric         value
    t1     1      2014  engine.io-2014  saturated  -        saturation_hz  400
  `)], `
    era   engine          workload   setting  line  trial  block  n_cores  units  throughput_hz  base            relative  own_relative
    2014  engine.io-2014  saturated  -        -     t1     1      1        1      400            engine.io-2014  1         1
  `);

/** @param {import('../../analysis/points/fits.js').Datum[]} data @returns {Record<string, Record<string, any>>} by law and parameter */
const fit = (data) => Object.fromEntries(fitAll(data).map((row) => [`${row.law} ${row.parameter}`, row]));

/** Errors that cancel: estimates stay close, and intervals are not empty. */
const WOBBLE = [0.99, 1.01];

/**
 * @param {string} name @param {number[]} xs @param {(x: number) => number} hz @param {number[]} [wobble]
 * @returns {import('../../analysis/points/fits.js').Datum[]}
 */
const law = (name, xs, hz, wobble = WOBBLE) => xs.flatMap((x) => wobble.map((factor) => (
  { law: name, era: '2014', engine: 'e', workload: 'saturated', setting: '-', x: [x], value: hz(x) * factor })));

/** @param {Record<string, string>} row @param {number} truth @param {number} error */
function assertFinds(row, truth, error) {
  assert.ok(Math.abs(Number(row.value) - truth) <= error, `${row.parameter}: ${row.value}, not ${truth}`);
  assert.ok(Number(row.low) <= truth && truth <= Number(row.high), `${row.parameter}: ${truth} is not in ${row.low} to ${row.high}`);
}

const AMDAHL = (/** @type {number} */ n) => 1000 / (0.1 + 0.9 / n);
const USL = (/** @type {number} */ n) => (1000 * n) / (1 + 0.05 * (n - 1) + 0.02 * n * (n - 1));


test('fit: throughput made by a law gives its parameters back', () => {
  const fits = fit([
    ...law('amdahl', [1, 2, 4, 8], AMDAHL), ...law('gustafson', [1, 2, 4, 8], (n) => 1000 * (n - 0.2 * (n - 1))), ...law('usl', [1, 2, 3, 4, 6, 8, 12], USL),
    ...law('linear', [0, 3, 5, 7], (n) => (n === 0 ? 800 : 0.5 * 800 * n)),
  ]);
  assertFinds(fits['amdahl p'], 0.9, 0.002);
  assertFinds(fits['gustafson a'], 0.2, 0.005);
  assertFinds(fits['usl kappa'], 0.02, 0.001);
  assertFinds(fits['usl peak'], Math.sqrt(0.95 / 0.02), 0.3);
  assertFinds(fits['linear slope'], 0.5, 0.002);
  assert.equal(fits['linear slope'].n, 8);
  assert.ok(Math.abs(Number(fits['linear residual_rms_rel'].value) - 0.01) < 1e-4);
});

test('fit: exact data give exact parameters', () => {
  const fits = fit([...law('amdahl', [1, 2, 4, 8], AMDAHL, [1]), ...law('linear', [0, 1, 2, 4], (n) => (n ? 350 * n : 700), [1])]);
  assert.equal(Number(fits['amdahl p'].value).toFixed(5), '0.90000');
  assert.equal(Number(fits['linear slope'].value).toFixed(5), '0.50000');
});

test('fit: if kappa may be zero there is no peak, and a note says why', () => {
  const fits = fit(law('usl', [1, 2, 4, 8], AMDAHL));
  assertFinds(fits['usl kappa'], 0, 0.005);
  assert.deepEqual([fits['usl peak'].value, fits['usl peak'].note], ['-', 'the interval of kappa does not lie above 0']);
});

test('fit: what cannot be found is reported, not hidden', () => {
  const fits = fit([...law('usl', [1, 2], AMDAHL), ...law('linear', [0, 1, 2], (n) => (n ? 350 * n : 700))]);
  assert.deepEqual([fits['usl kappa'].value, fits['usl kappa'].low, fits['usl kappa'].note], ['-', '-', 'fewer different points than parameters']);
  assertFinds(fits['linear slope'], 0.5, 0.01);
});

test('fit: as many parameters as data leave no interval', () => {
  const fits = fit(law('usl', [1, 2, 4], USL, [1]));
  assert.deepEqual([fits['usl kappa'].se, fits['usl kappa'].low, fits['usl kappa'].note], ['-', '-', 'as many parameters as data']);
});

/**
 * @param {(size: number) => number} costOf a file
 * @returns {Record<string, string>[]} trials of crossed periods, connections and sizes; each block costs twice the last
 */
function makeTrials(costOf) {
  const sizes = [500, 1e3, 2.5e5, 5e5];
  const loads = [3000, 4000].flatMap((period_ms) => [24, 48].map((connections) => [period_ms, connections]));
  const points = loads.flatMap((load) => sizes.map((size) => [...load, size]));
  const ofBlock = (/** @type {number} */ block) => WOBBLE.map((factor) => [factor * 2 ** block, block]);
  const measured = points.flatMap((point) => [1, 2].flatMap((block) => ofBlock(block).map((own) => [...point, ...own])));
  const rows = measured.flatMap(([period_ms, connections, size, factor, block], index) => [
    ['connections', connections], ['due_hz', connections * (1000 / period_ms)],
    ['server_cpu_cores', factor * (1000 / period_ms) ** 0.9 * connections ** 1.1 * costOf(size)],
  ].map(([metric, value]) => ({
    trial: `t${index}`, block: String(block), era: '2014', engine: 'e', workload: 'described', setting: `client_processes=${connections / 24},payload_b=${size},period_ms=${period_ms}`,
    metric: String(metric), value: String(value),
  })));
  return spellSettings(rows);
}

test('fit: around a size its elasticity is the local one, over all of them a mean', () => {
  const trials = makeTrials((size) => size < 1e5 ? 1 : size);
  const data = listElasticities(trials, ['500-2000', '250000-700000']);
  for (const [range, size] of /** @type {[string, number][]} */ ([['500-2000', 0], ['250000-700000', 1]])) {
    const fits = fit(data.filter(({ setting }) => setting === `payload_b=${range}`));
    assertFinds(fits['elasticity size'], size, 0.001);
    assertFinds(fits['elasticity connections_minus_size'], 1.1 - size, 0.001);
  }
});

test('fit: a chord is of its two ends, so that a bend in between adds no error', () => {
  const bent = makeTrials((size) => size ** 0.2 * (size === 2.5e5 ? 3 : 1));
  const [whole, ends] = [listElasticities(bent, ['1000-500000']), listElasticities(bent, [], ['1000-500000'])].map(fit);
  assertFinds(ends['elasticity size'], 0.2, 0.001);
  assert.ok(Number(whole['elasticity period'].se) > 5 * Number(ends['elasticity period'].se));
});

test('fit: elasticities are found by powers, and their differences with intervals', () => {
  const fits = fit(listElasticities(makeTrials((size) => size ** 0.2), ['1000-500000']));
  assertFinds(fits['elasticity period'], 0.9, 0.001);
  assertFinds(fits['elasticity connections'], 1.1, 0.001);
  assertFinds(fits['elasticity size'], 0.2, 0.001);
  assertFinds(fits['elasticity period_minus_size'], 0.7, 0.001);
  assertFinds(fits['elasticity connections_minus_size'], 0.9, 0.001);
});

rowsTest('elasticity: rate and connections are those of the trial; nothing is fitted to what does not vary, or to sizes out of range',
  (rows) => listElasticities(rows, ['81-4000', '100000-200000']).map(({ x: [x, y, u], ...rest }) => (
    { ...rest, x: x.toFixed(9), y: y.toFixed(9), u: u.toFixed(9) })), [table(`
    trial  block  era   engine  workload   setting                                          metric            value
    t1     1      2014  e       described  client_processes=2,payload_b=81,period_ms=1000   server_cpu_cores  0.5
    t1     1      2014  e       described  client_processes=2,payload_b=81,period_ms=1000   connections       1
    t1     1      2014  e       described  client_processes=2,payload_b=81,period_ms=1000   due_hz            1
    t2     1      2014  e       described  client_processes=3,payload_b=1000,period_ms=500  due_hz            40
    t2     1      2014  e       described  client_processes=3,payload_b=1000,period_ms=500  connections       10
    t2     1      2014  e       described  client_processes=3,payload_b=1000,period_ms=500  server_cpu_cores  0.7
    t3     1      2014  e       listed     client_processes=2,payload_b=81,period_ms=1000   server_cpu_cores  0.5
    t3     1      2014  e       listed     client_processes=2,payload_b=81,period_ms=1000   connections       1
    t3     1      2014  e       listed     client_processes=2,payload_b=81,period_ms=1000   due_hz            1
    t4     1      2014  e       described  client_processes=2,payload_b=4001,period_ms=250  server_cpu_cores  0.5
    t4     1      2014  e       described  client_processes=2,payload_b=4001,period_ms=250  connections       1
    t4     1      2014  e       described  client_processes=2,payload_b=4001,period_ms=250  due_hz            4
  `)], `
    law         era   engine  workload   setting            x            y            u            value  block
    elasticity  2014  e       described  payload_b=81-4000  0.000000000  0.000000000  4.394449155  0.5    1
    elasticity  2014  e       described  payload_b=81-4000  1.386294361  2.302585093  6.907755279  0.7    1
  `);

test('rates: the listing sends five times what its mean interval suggests, half of it on a hundredth of the connections', () => {
  const of = (/** @type {string} */ trial, /** @type {string} */ block, /** @type {number} */ due) => ({ trial, block, due, window_s: 10 });
  const rows = describeRates(5000, [of('t1', '1', 90), of('t1', '1', 10), of('t2', '1', 999), of('t3', '2', 20), of('t3', '2', 0)]);
  const [computed, measured] = ['computed', 'measured'].map((source) => rows.filter((row) => row.source === source));
  // (1.5 + the sum of 1/k from 2 to 4999 + 1/10000) / 5, by Euler's constant: 1.9 where 0.4 is suggested
  const mean_hz = (0.5 + Math.log(5000) + 0.5772157) / 5;
  assert.ok(Math.abs(Number(computed[0].messages_share) - 1000 * (1.5 / 5000) / mean_hz) < 1e-4);
  assert.ok(mean_hz / (2 / 5) > 4.7);
  const hundredth = computed.findLast(({ fastest_share }) => Number(fastest_share) <= 0.01);
  assert.ok(Math.abs(Number(hundredth?.messages_share) - 0.52) < 0.015);
  // Of each block, the first trial: rates of 9, 1, 2 and 0 a second
  assert.deepEqual(measured.map(({ source: _, ...row }) => Object.values(row).join(' ')), ['0.25 9 0.75', '0.5 2 0.916667', '0.75 1 1', '1 0 1']);
});

test('Student\'s t: the quantiles of the tables', () => {
  assert.deepEqual([tQuantile(1, 0.95), tQuantile(2, 0.95), tQuantile(9, 0.95), tQuantile(30, 0.99)].map((t) => t.toFixed(3)), ['12.706', '4.303', '2.262', '2.750']);
});
