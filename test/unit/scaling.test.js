/** The filters of experiments 5 and 6, and the fits, on tables whose answers are known by construction. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ROOT } from '../../harness/common/places.js';
import { AWKS, ROLES, filterTest, makeAwkFolder, runFilter, table } from '../awks.js';

const folder = mkdtempSync(join(tmpdir(), 'scaling-test-'));
after(() => rmSync(folder, { recursive: true }));

const SHARED = ['student.awk', 'interval.awk', 'roles.awk'];

filterTest('scaling: cores are processes, units are pairs; other cores or generators are another matter',
  [...SHARED, 'trials-to-scaling.awk'], [ROLES, table(`
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
  `, { options: ['-v', 'options=scheduling balancing', '-v', 'bases=2014:engine.io-2014 2014:socket.io-2014'] });

filterTest('scaling: where the first base of an era was not measured it is the next, of the same era',
  [...SHARED, 'trials-to-scaling.awk'], [ROLES, table(`
    trial  block  era   engine          workload   setting  metric         value
    t1     1      2014  engine.io-2014  saturated  -        saturation_hz  400
  `)], `
    era   engine          workload   setting  line  trial  block  n_cores  units  throughput_hz  base            relative  own_relative
    2014  engine.io-2014  saturated  -        -     t1     1      1        1      400            engine.io-2014  1         1
  `, { options: ['-v', 'bases=today:ws 2014:ws-2014 2014:engine.io-2014 2014:socket.io-2014'] });

/** @param {string} path @returns {Record<string, string>[]} */
function readRows(path) {
  const [header, ...lines] = readFileSync(path, 'utf8').trimEnd().split('\n').map((line) => line.split('\t'));
  return lines.map((cells) => Object.fromEntries(cells.map((cell, index) => [header[index], cell])));
}

/**
 * @param {string} name
 * @param {string} data of fit.sh
 * @param {string} [awk]
 * @returns {{fits: Record<string, Record<string, string>>, residuals: Record<string, string>[], left: string[]}} fits by law and parameter
 */
function fit(name, data, awk = 'mawk') {
  const out = join(folder, `${name}-${awk}`);
  mkdirSync(join(out, 'bin'), { recursive: true });
  writeFileSync(join(out, 'data'), data);
  mkdirSync(join(out, 'found'));
  const PATH = `${makeAwkFolder(awk, join(out, 'bin'))}:${process.env.PATH}`;
  execFileSync(join(ROOT, 'analysis/fit.sh'), [join(out, 'data'), join(out, 'found')], { env: { ...process.env, PATH }, cwd: out });
  const fits = readRows(join(out, 'found/fits.tsv')).map((row) => /** @type {const} */ ([`${row.law} ${row.parameter}`, row]));
  return { fits: Object.fromEntries(fits), residuals: readRows(join(out, 'found/residuals.tsv')), left: [...readdirSync(join(out, 'found')), ...readdirSync(out)] };
}

const LAW_COLUMNS = 'law\tera\tengine\tworkload\tsetting\tx\ty\tu\ttrial\tat\tvalue\n';
/** Errors that cancel out, so that an estimate is off by little and its interval is not empty. */
const WOBBLE = [0.99, 1.01];

/** @param {string} name @param {number[]} xs @param {(x: number) => number} hz @param {number[]} [wobble] @returns {string} rows of data */
const law = (name, xs, hz, wobble = WOBBLE) => xs.flatMap((x) => wobble.map((factor, index) =>
  [name, '2014', 'e', 'saturated', '-', x, 0, 0, `t${x}-${index}`, x, hz(x) * factor].join('\t') + '\n')).join('');

/** @param {Record<string, string>} row @param {number} truth @param {number} error */
function assertFinds(row, truth, error) {
  assert.ok(Math.abs(Number(row.value) - truth) <= error, `${row.parameter}: ${row.value}, not ${truth}`);
  assert.ok(Number(row.low) <= truth && truth <= Number(row.high), `${row.parameter}: ${truth} is not in ${row.low} to ${row.high}`);
}

const AMDAHL = (/** @type {number} */ n) => 1000 / (0.1 + 0.9 / n);
const USL = (/** @type {number} */ n) => (1000 * n) / (1 + 0.05 * (n - 1) + 0.02 * n * (n - 1));

for (const awk of AWKS) {
  test(`fit: throughput made by a law gives its parameters back (${awk})`, () => {
    const { fits, residuals, left } = fit('laws', LAW_COLUMNS + law('amdahl', [1, 2, 4, 8], AMDAHL)
      + law('gustafson', [1, 2, 4, 8], (n) => 1000 * (n - 0.2 * (n - 1))) + law('usl', [1, 2, 3, 4, 6, 8, 12], USL)
      + law('linear', [0, 3, 5, 7], (n) => (n === 0 ? 800 : 0.5 * 800 * n)), awk);
    assertFinds(fits['amdahl p'], 0.9, 0.002);
    assertFinds(fits['gustafson a'], 0.2, 0.005);
    assertFinds(fits['usl kappa'], 0.02, 0.001);
    assertFinds(fits['usl peak'], Math.sqrt(0.95 / 0.02), 0.3);
    assertFinds(fits['linear slope'], 0.5, 0.002);
    assert.equal(fits['linear slope'].n, '8');
    assert.ok(Math.abs(Number(fits['linear residual_rms_rel'].value) - 0.01) < 1e-4);
    assert.equal(residuals.length, 8 + 8 + 14 + 8);
    assert.deepEqual(left.sort(), ['bin', 'data', 'fits.tsv', 'found', 'residuals.tsv']);
  });
}

test('fit: exact data give exact parameters', () => {
  const { fits } = fit('exact', LAW_COLUMNS + law('amdahl', [1, 2, 4, 8], AMDAHL, [1]) + law('linear', [0, 1, 2, 4], (n) => (n ? 350 * n : 700), [1]));
  assert.equal(Number(fits['amdahl p'].value).toFixed(5), '0.90000');
  assert.equal(Number(fits['linear slope'].value).toFixed(5), '0.50000');
});

test('fit: no peak is given where kappa may be zero, and why is said', () => {
  const { fits } = fit('no-peak', LAW_COLUMNS + law('usl', [1, 2, 4, 8], AMDAHL));
  assertFinds(fits['usl kappa'], 0, 0.005);
  assert.deepEqual([fits['usl peak'].value, fits['usl peak'].note], ['-', 'the interval of kappa does not lie above 0']);
});

test('fit: what cannot be found is reported, not hidden', () => {
  const { fits } = fit('singular', LAW_COLUMNS + law('usl', [1, 2], AMDAHL) + law('linear', [0, 1, 2], (n) => (n ? 350 * n : 700)));
  assert.deepEqual([fits['usl kappa'].value, fits['usl kappa'].low, fits['usl kappa'].note], ['-', '-', 'fewer different points than parameters']);
  assertFinds(fits['linear slope'], 0.5, 0.01);
});

test('fit: as many parameters as data leave no interval', () => {
  const { fits } = fit('no-degree', LAW_COLUMNS + law('usl', [1, 2, 4], USL, [1]));
  assert.deepEqual([fits['usl kappa'].se, fits['usl kappa'].low, fits['usl kappa'].note], ['-', '-', 'as many parameters as data']);
});

/**
 * @param {(size: number) => number} costOf a file
 * @returns {string} trials.tsv of periods, connections and sizes crossed, each block at twice the cost of the last
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
  ].map((cells) => ['t' + index, block, '2014', 'e', 'described', `connections=${connections},payload_b=${size},period_ms=${period_ms}`, ...cells].join('\t')));
  return `trial\tblock\tera\tengine\tworkload\tsetting\tmetric\tvalue\n${rows.join('\n')}\n`;
}

test('fit: around a size its elasticity is the local one, over all of them a mean', () => {
  const trials = makeTrials((size) => size < 1e5 ? 1 : size);
  const { output } = runFilter('mawk', ['trials-to-elasticity.awk'], [trials], ['-v', 'ranges=500-2000 250000-700000']);
  for (const [range, size] of /** @type {[string, number][]} */ ([['500-2000', 0], ['250000-700000', 1]])) {
    const own = output.split('\n').filter((line, index) => index === 0 || line.includes(`payload_b=${range}\t`)).join('\n');
    const { fits } = fit(`near-${range}`, `${own}\n`);
    assertFinds(fits['elasticity size'], size, 0.001);
    assertFinds(fits['elasticity connections_minus_size'], 1.1 - size, 0.001);
  }
});

test('fit: elasticities are found by powers, and their differences with intervals', () => {
  const { output } = runFilter('mawk', ['trials-to-elasticity.awk'], [makeTrials((size) => size ** 0.2)], ['-v', 'ranges=1000-500000']);
  const { fits } = fit('elasticity', output);
  assertFinds(fits['elasticity period'], 0.9, 0.001);
  assertFinds(fits['elasticity connections'], 1.1, 0.001);
  assertFinds(fits['elasticity size'], 0.2, 0.001);
  assertFinds(fits['elasticity period_minus_size'], 0.7, 0.001);
  assertFinds(fits['elasticity connections_minus_size'], 0.9, 0.001);
});

filterTest('elasticity: rate and connections are those of the trial; nothing is fitted to what does not vary, or to sizes out of range',
  ['trials-to-elasticity.awk'], [table(`
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
    law         era   engine  workload   setting            x            y            u            trial  at                                               value  block
    elasticity  2014  e       described  payload_b=81-4000  0.000000000  0.000000000  4.394449155  t1     client_processes=2,payload_b=81,period_ms=1000   0.5    1
    elasticity  2014  e       described  payload_b=81-4000  1.386294361  2.302585093  6.907755279  t2     client_processes=3,payload_b=1000,period_ms=500  0.7    1
  `, { options: ['-v', 'ranges=81-4000 100000-200000'] });

const JUDGED_FROM = [table(`
    claim  law     parameter  criterion            engines         setting
    T11    linear  slope      0.4..0.6             ^socketcluster  .
    T19    usl     kappa      holds 0 within 0.1   .               .
  `), table(`
    law     era   engine            workload   setting  parameter  n  value  se    low  high  degrees  note
    linear  2014  socketcluster-20  saturated  -        slope      9  0.5    0.01  0.4  0.6   7        -
    linear  2014  ws                saturated  -        slope      9  0.7    0.01  0.6  0.8   7        -
    usl     2014  ws                saturated  -        kappa      9  -      -     -    -     -        did not converge
  `), table(`
    era   engine            workload   line  units  base
    2014  socketcluster-20  saturated  -     1      engine.io
    2014  socketcluster-14  saturated  -     1      engine.io
    2014  socketcluster-14  saturated  -     2      engine.io
    2014  engine.io         saturated  -     1      engine.io
  `)];
const JUDGED = table(`
    claim  era   workload   setting  metric        of                to         to_setting  to_metric  criterion           n  mean  low  high  scale   degrees
    T11    2014  saturated  -        linear_slope  socketcluster-20  engine.io  -           -          0.4..0.6            9  0.5   0.4  0.6   linear  7
    T11    2014  saturated  -        linear_slope  socketcluster-14  engine.io  -           -          0.4..0.6            0  -     -    -     -       -
    T19    2014  saturated  -        usl_kappa     socketcluster-20  -          -           -          holds 0 within 0.1  0  -     -    -     -       -
    T19    2014  saturated  -        usl_kappa     ws                -          -           -          holds 0 within 0.1  9  -     -    -     -       -
    T19    2014  saturated  -        usl_kappa     socketcluster-14  -          -           -          holds 0 within 0.1  0  -     -    -     -       -
  `);

filterTest('judged: the parameters that rules name; an engine that could not be fitted is reported with no data',
  ['fits-to-judged.awk'], JUDGED_FROM, JUDGED);


for (const awk of AWKS) {
  test(`rates: the listing sends five times what its mean interval suggests, half of it on a hundredth of the connections (${awk})`, () => {
    const totals = join(folder, `totals-${awk}`);
    runFilter(awk, ['median.awk', 'connections-to-rates.awk'], [table(`
      trial  block  window_s  connection  due  sent  received
      t1     1      10        0           90   90    90
      t1     1      10        1           10   10    10
      t2     1      10        0           999  999   999
      t3     2      10        0           20   20    20
      t3     2      10        1           0    0     0
    `)], ['-v', 'max_ms=5000', '-v', `totals=${totals}`]);
    const [suggested, computed, measured] = readRows(totals);
    assert.equal(suggested.mean_hz, '0.4');
    // (1.5 + the sum of 1/k from 2 to 4999 + 1/10000) / 5, by Euler's constant
    assert.ok(Math.abs(Number(computed.mean_hz) - (0.5 + Math.log(5000) + 0.5772157) / 5) < 1e-4);
    assert.ok(Math.abs(Number(computed.fastest_hundredth_share) - 0.52) < 0.005);
    assert.deepEqual({ ...measured }, { source: 'measured', connections: '4', mean_hz: '3', least_hz: '1', most_hz: '5', fastest_hundredth_share: '0.03' });
  });

  test(`Student's t: the quantiles of the tables (${awk})`, () => {
    const program = join(folder, `quantiles-${awk}`);
    writeFileSync(program, 'BEGIN { printf "%.3f %.3f %.3f %.3f", t_quantile(1, 0.95), t_quantile(2, 0.95), t_quantile(9, 0.95), t_quantile(30, 0.99) }');
    assert.equal(runFilter(awk, ['student.awk', program], []).output, '12.706 4.303 2.262 2.750');
  });
}
