/** Computations on sweeps, checked on constructed curves with known answers. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { computeCurves } from '../../analysis/points/curves.js';
import { computeMixes } from '../../analysis/points/mixes.js';
import { computeParts } from '../../analysis/points/parts.js';
import { judgeSlopes, listBalance } from '../../experiments/05-core-scaling/judged.js';
import { computeCapacities, formatCapacity, predictRates } from '../../experiments/05-core-scaling/capacities.js';
import { computeSlopes } from '../../experiments/05-core-scaling/scaling.js';
import { asText, parseTsv } from '../../harness/common/files.js';
import { computeSteps, computeUnanswered, listDisturbed, stepColumns } from '../../analysis/trials/steps.js';
import { table } from '../awks.js';

/** @param {Record<string, unknown>[]} rows @param {string[]} columns @returns {string} a table */
const show = (rows, columns) => [columns, ...rows.map((row) => columns.map((name) => String(row[name])))].map((cells) => cells.join('\t')).join('\n');
/** @param {string} series @param {number | 'mean'} percentile @param {number} value_us @param {number} [samples] */
const known = (series, percentile, value_us, samples = 100) => ({ series, percentile, value_us, samples });

test('steps: what each role used between the marks of a step, and the backlog when the step ended', () => {
  const steps = parseTsv(table(`
    step  total_rate_hz  batch  from_s  to_s
    1     0        1         3       4
    2     100      1         5       6
  `));
  const accounts = parseTsv(table(`
    mark         t_us     pid  side    role    index  cpu_ns     wait_ns   ticks  voluntary  involuntary
    step_1_from  3000000  1    server  worker  1      0          0         0      0          0
    step_1_to    4000000  1    server  worker  1      10000000   0         1      5          0
    step_2_from  5000000  1    server  worker  1      20000000   0         2      10         0
    window_end   6000000  1    server  worker  1      220000000  50000000  22     110        20
    step_2_from  5000000  2    client  client  1      0          0         0      0          0
    window_end   6000000  2    client  client  1      30000000   0         3      50         0
    step_2_from  5000000  3    capture  top    1      0          0         0      0          0
    window_end   6000000  3    capture  top    1      90000000   0         9      50         0
  `));
  const seconds = parseTsv(table(`
    t_s  connected  due  received
    3    10         0    0
    4    10         100  90
    5    10         100  98
  `));
  const percentiles = [known('step_2', 50, 1500), known('step_2', 'mean', 1804.5)];
  assert.equal(show(computeSteps(steps, accounts, seconds, percentiles), stepColumns(steps)), table(`
    step  total_rate_hz  batch  seconds   side    role    processes  cpu_cores  busiest_cpu_cores  wait_cores  wakeups_hz  preempted_hz  connected  due_hz  received_hz  backlog_s  latency_p50_ms  latency_p99_ms  latency_mean_ms
    1     0        1         1.000000  server  worker  1          0.010000   0.010000           0.000000    5           0             10         0       0            0          -               -               -
    1     0        1         1.000000  server  server  1          0.010000   0.010000           0.000000    5           0             10         0       0            0          -               -               -
    2     100      1         1.000000  server  worker  1          0.200000   0.200000           0.050000    100         20            10         100     98           0.12       1.5             -               1.8045
    2     100      1         1.000000  server  server  1          0.200000   0.200000           0.050000    100         20            10         100     98           0.12       1.5             -               1.8045
    2     100      1         1.000000  client  client  1          0.030000   0.030000           0.000000    50          0             10         100     98           0.12       1.5             -               1.8045
  `).trimEnd());
  const without = computeSteps(steps, accounts, seconds, percentiles, new Set([2])); // step 2 was disturbed
  assert.deepEqual(without.map(({ step, role }) => [step, role]), [['1', 'worker'], ['1', 'server']]);
});

test('unanswered: the share over the steps that the server kept up with', () => {
  const steps = parseTsv('step\tfrom_s\tto_s\n1\t3\t4\n2\t4\t5\n');
  const seconds = parseTsv('t_s\tdue\treceived\n3\t1000\t999\n4\t9000\t5000\n');
  const percentiles = [known('step_1', 50, 100, 999), known('step_1', 'mean', 100, 999), known('step_2', 'mean', 100, 5000)];
  const rows = [{ step: 1, side: 'server', backlog_s: '0.001' }, { step: 1, side: 'client', backlog_s: '0.001' }, { step: 2, side: 'server', backlog_s: '0.4' }];
  assert.deepEqual(computeUnanswered(steps, seconds, percentiles, rows), [['unanswered_share', 0.001]]);
  assert.deepEqual(computeUnanswered(steps, seconds, percentiles, rows.slice(2)), []);
  assert.deepEqual(computeUnanswered(steps, seconds, [], rows), [], 'latencies that a rule left out are no lost answers');
});

test('disturbed: one row for each rule and step, and none for a rule that flags the whole trial', () => {
  const validity = parseTsv(table(`
    rule           value  bound  passed  severity
    late-sends     0.75   0.01   no      step 2
    generator-cpu  0.95   0.9    no      latency of step 2
    steps-whole    1      0.5    no      flag
    steal          0.001  0.01   yes     flag
  `));
  const found = listDisturbed('b01-ws', parseTsv('step\ttotal_rate_hz\n1\t250\n2\t960\n'), validity);
  assert.deepEqual(found.map((row) => Object.values(row).join(' ')), ['b01-ws 2 960 all late-sends 0.75 0.01', 'b01-ws 2 960 latency generator-cpu 0.95 0.9']);
});

const STEP_HEADER = ['trial', 'block', 'era', 'engine', 'workload', 'setting', 'step', 'total_rate_hz', 'batch', 'side', 'role', 'processes',
  'cpu_cores', 'busiest_cpu_cores', 'wakeups_hz', 'due_hz', 'received_hz', 'backlog_s', 'latency_p50_ms', 'latency_p99_ms'];

/**
 * @param {string} engine @param {string} role @param {number} block
 * @param {(hz: number) => [cores: number, wakeups_hz: number]} use CPU use and wake-ups of the role at a rate
 * @param {{rates?: number[], answered?: number[], backlog_s?: number[], batch?: number[], setting?: string, side?: string}} [more]
 */
function sweep(engine, role, block, use, { rates = [0, 1000, 2000, 4000], answered = rates, backlog_s = [], batch = [], setting = `cores=alone-${role}`, side = 'server' } = {}) {
  return rates.map((hz, index) => {
    const [cores, wakeups_hz] = use(hz);
    return [`b${block}-${engine}-${setting}`, block, '2014', engine, 'sweep', setting, index + 1, hz, batch[index] ?? 1, side, role, 1, cores, cores, wakeups_hz, hz, answered[index], backlog_s[index] ?? 0, '-', '-'].join('\t');
  });
}

/** @param {string[][]} sweeps */
const stepsTable = (...sweeps) => `${STEP_HEADER.join('\t')}\n${sweeps.flat().join('\n')}\n`;

/** @param {number} us per message @returns {(hz: number) => [number, number]} */
const straight = (us) => (hz) => [(us * hz) / 1e6, hz / 2];

/** @param {(steps: Record<string, string>[]) => Record<string, unknown>[]} compute @param {string} steps a table */
const run = (compute, steps) => asText(compute(parseTsv(steps)));

const ROLES = new Map([['socketcluster-2014', ['balancer', 'worker', 'store']], ['engine.io-2014', ['worker']]]);
/** @type {import('../../experiments/05-core-scaling/scaling.js').Roles} */
const COUNTS = new Map([...ROLES].map(([engine, roles]) => [engine, roles.map((role) => ({ role, count: 1 }))]));
const MIXES = new Map([['socketcluster-2014', ['1+1+1', '1+2+1']], ['engine.io-2014', ['1']]]);
const capacitiesOf = (/** @type {string} */ steps) => run((rows) => computeCapacities(rows, ROLES, MIXES).map(formatCapacity), steps);

test('curves: the cost of a message at each rate, over the trials that answered it', () => {
  const steps = stepsTable(...[90, 100, 110].map((us, index) => sweep('engine.io-2014', 'worker', index + 1, straight(us), { backlog_s: [0, 0, 0, index === 1 ? 0.3 : 0] })));
  const rows = run(computeCurves, steps);
  assert.deepEqual(rows.map(({ total_rate_hz, n }) => [total_rate_hz, n]), [['0', '3'], ['1000', '3'], ['2000', '3']]); // one trial fell behind at 4,000
  assert.ok(Math.abs(Number(rows[1].us_per_message) - Math.cbrt(90 * 100 * 110)) < 0.01);
  assert.ok(Number(rows[1].us_low) < 90 && Number(rows[1].us_high) > 110); // Student's t with two degrees of freedom
});

test('curves: a rate that a trial goes through twice is one point, the mean of both', () => {
  const up = [0.1, 0.2, 0.4];
  const use = [...up, 0.3, 0.1]; // 1,000, 2,000, 4,000, and down again
  let at = 0;
  const steps = stepsTable(...[1, 2, 3].map((block) => {
    at = 0;
    return sweep('engine.io-2014', 'worker', block, () => [use[at++], 100], { rates: [1000, 2000, 4000, 2000, 1000] });
  }));
  const rows = run(computeCurves, steps);
  assert.deepEqual(rows.map(({ total_rate_hz, n, cores }) => [total_rate_hz, n, Number(cores).toFixed(3)]), [['1000', '3', '0.100'], ['2000', '3', '0.250'], ['4000', '3', '0.400']]);
  assert.equal(Number(rows[1].us_per_message).toFixed(2), '125.00');
});

test('parts: idling, wake-ups and messages are separated if rates and batches are crossed', () => {
  const wakeups = [0, 900, 100, 1500, 2000];
  const use = wakeups.map((hz, index) => [0.01 + 100e-6 * hz + 50e-6 * [0, 1000, 1000, 2000, 4000][index], hz]);
  const rates = [0, 1000, 1000, 2000, 4000];
  let at = 0;
  const steps = stepsTable(sweep('engine.io-2014', 'worker', 1, () => /** @type {[number, number]} */ (use[at++]), { rates, batch: [1, 1, 10, 1, 1] }));
  const [row] = run(computeParts, steps);
  assert.deepEqual([row.idle_cores, row.wakeup_us, row.message_us].map(Number), [0.01, 100, 50]);
  assert.ok(Number(row.residual_max) < 1e-6);
});

test('parts: a part that would be below 0 is left out', () => {
  const steps = stepsTable(sweep('engine.io-2014', 'worker', 1, (hz) => [0.02 + 50e-6 * hz - 10e-6 * (hz / 3), hz / 3], { rates: [0, 900, 1800, 3600, 7200] }));
  const [row] = run(computeParts, steps);
  assert.ok([row.idle_cores, row.wakeup_us, row.message_us].every((part) => Number(part) >= 0));
});

/** CPU per message: 100 µs on a balancer, 200 µs on a worker, 100 µs on engine.io. */
const MEASURED = [1, 2, 3].flatMap((block) => [
  sweep('socketcluster-2014', 'balancer', block, straight(100)), sweep('socketcluster-2014', 'worker', block, straight(200)),
  sweep('engine.io-2014', 'worker', block, straight(100), { rates: [0, 1000, 2000, 4000, 9000] }),
]);

test('capacities: of a role at a load, of all roles on one core, and of a mix up to its first saturated role', () => {
  const rows = capacitiesOf(stepsTable(...MEASURED));
  const find = (/** @type {string} */ engine, /** @type {string} */ kind, /** @type {string} */ what, load = '1') =>
    rows.filter((row) => row.engine === engine && row.kind === kind && row.what === what && row.load === load && row.block === '1').map(({ total_rate_hz }) => Math.round(Number(total_rate_hz)));
  assert.deepEqual(find('socketcluster-2014', 'role', 'balancer', '0.4'), [4000]);
  assert.deepEqual(find('socketcluster-2014', 'one', '-'), [3333]); // 100 + 200 µs
  assert.deepEqual(find('socketcluster-2014', 'mix', '1+1+1'), [5000]); // the worker saturates first
  assert.deepEqual(find('socketcluster-2014', 'mix', '1+2+1'), [10000]); // two workers carry as much as the balancer
  assert.deepEqual(find('socketcluster-2014', 'one-by-rate', '-'), [3333]); // the same: a constant cost per message
  assert.deepEqual(find('engine.io-2014', 'one', '-'), [10000]);
});

test('capacities: a step that was not answered is no point of a curve', () => {
  const behind = sweep('engine.io-2014', 'worker', 1, straight(100), { backlog_s: [0, 0, 0.2, 0.2] });
  const rows = capacitiesOf(stepsTable(behind));
  assert.ok(rows.every(({ reached }) => reached === '0.1'));
});

test('capacities: steps count in the order of their rates, whichever came first, and twice the same rate is one point', () => {
  const down = sweep('engine.io-2014', 'worker', 1, straight(100), { rates: [4000, 2000, 1000, 0, 1000, 2000] });
  const rows = capacitiesOf(stepsTable(down));
  const rate = (/** @type {string} */ load) => rows.filter((row) => row.kind === 'role' && row.load === load).map(({ total_rate_hz, reached }) => [Math.round(Number(total_rate_hz)), reached]);
  assert.deepEqual([rate('0.1'), rate('0.3')], [[[1000, '0.4']], [[3000, '0.4']]]);
});

test('capacities: the limit of a full core lies between the fastest step that it kept up with and the next; if it kept up with all, it is "at least"', () => {
  const rates = [0, 5000, 9600, 14000, 40000];
  const use = (/** @type {number} */ hz) => /** @type {[number, number]} */ ([Math.min(1, hz * 104e-6), 0]);
  for (const [answered, backlog_s, carried, atLeast] of /** @type {[number[], number[], number, string][]} */ ([
    [[0, 5000, 9600, 13300, 11000], [0, 0, 0.05, 0.15, 2], 11593, 'no'], // sqrt(9,600 * 14,000)
    [[0, 5000, 9600, 14500, 37000], [0, 0, 0.05, 0.05, 0.05], 37000, 'yes'], // it kept up at 40,000 too
    [[0, 5000, 9600, 13300, 39000], [0, 0, 0.05, 0.15, 0.05], 39000, 'yes'], // at 14,000 it only paused
  ])) {
    const steps = stepsTable(sweep('engine.io-2014', 'worker', 1, use, { rates, answered, backlog_s }));
    const rows = capacitiesOf(steps);
    const [full] = rows.filter(({ kind, load }) => kind === 'role' && load === '1');
    assert.deepEqual([Math.round(Number(full.total_rate_hz)), full.at_least], [carried, atLeast]);
    assert.ok(rows.every(({ load, at_least }) => load === '1' || at_least === 'no'));
  }
});

test('capacities: a limit that was found stands, though the curve below it would reach further', () => {
  // extrapolated from 5,000 and 8,000, a core would carry 12,500
  const use = (/** @type {number} */ hz) => /** @type {[number, number]} */ ([hz === 9000 ? 0.95 : hz * 80e-6, 0]);
  for (const [backlogS, carried] of [[2, 8485], [0.05, 9474]]) { // sqrt(8,000 * 9,000); 9,000 / 0.95, as nothing fell behind
    const backlog_s = [0, 0, 0.05, backlogS];
    const steps = stepsTable(sweep('engine.io-2014', 'worker', 1, use, { rates: [0, 5000, 8000, 9000], backlog_s }));
    const rows = capacitiesOf(steps);
    assert.deepEqual(rows.filter(({ kind, load }) => kind === 'role' && load === '1').map(({ total_rate_hz }) => Math.round(Number(total_rate_hz))), [carried]);
  }
});

test('capacities: where the core of the load was full, a step that was not answered is no limit of the server', () => {
  const rates = [0, 5000, 9600, 14000];
  const server = sweep('engine.io-2014', 'worker', 1, (hz) => [Math.min(1, hz * 104e-6), 0], { rates, answered: [0, 5000, 9600, 11000], backlog_s: [0, 0, 0.05, 2] });
  for (const [loadCores, atLeast] of [[0.99, 'yes'], [0.6, 'no']]) {
    const load = sweep('engine.io-2014', 'client', 1, (hz) => [hz === 14000 ? Number(loadCores) : 0.3, 0], { rates, setting: 'cores=alone-worker', side: 'client' });
    const rows = capacitiesOf(stepsTable(server, load));
    assert.deepEqual(rows.filter(({ kind, load: of }) => kind === 'role' && of === '1').map(({ at_least }) => at_least), [atLeast]);
  }
});

test('predictions: each stands beside the measurement of the whole server, with its error', () => {
  const capacities = capacitiesOf(stepsTable(...MEASURED));
  const trials = table(`
    trial  block  era   engine              workload   setting    metric         value
    t1     1      2014  socketcluster-2014  saturated  cores=one  saturation_hz  3000
    t2     1      2014  engine.io-2014      saturated  cores=own  saturation_hz  8000
  `);
  const rows = asText(predictRates(capacities, parseTsv(trials), COUNTS, 0.95));
  const [one] = rows.filter(({ engine, kind }) => engine === 'socketcluster-2014' && kind === 'one');
  assert.deepEqual([one.n, one.measured_n, one.measured_hz, one.error_pct, one.extrapolated, one.at_least], ['3', '1', '3000', '11.1', 'yes', 'no']);
  const [role] = rows.filter(({ engine, what, load }) => engine === 'socketcluster-2014' && what === 'worker' && load === '0.8');
  assert.deepEqual([role.us_per_message, role.extrapolated], ['200', 'no']);
  const mix = rows.find(({ engine, kind, what }) => engine === 'engine.io-2014' && kind === 'mix' && what === '1');
  assert.equal(mix?.measured_hz, '8000', 'a server of one process is a mix of one');
});

test('predictions: a sweep of the whole server up to a full core replaces the search as the measurement', () => {
  const whole = { setting: 'connections=1000,cores=one', rates: [1000, 2900, 5000], answered: [1000, 2850, 3000], backlog_s: [0, 0.02, 0.7] };
  const steps = stepsTable(...MEASURED, ...[1, 2, 3].map((block) => sweep('socketcluster-2014', 'server', block, (hz) => [Math.min(1, hz / 2900), 0], whole)));
  const trials = table(`
    trial  block  era   engine              workload   setting    metric         value
    t1     1      2014  socketcluster-2014  saturated  cores=one  saturation_hz  9000
    t2     1      2014  engine.io-2014      saturated  cores=one  saturation_hz  8000
  `);

  const capacities = capacitiesOf(steps);
  const rows = asText(predictRates(capacities, parseTsv(trials), COUNTS, 0.95));
  const measured = (/** @type {string} */ engine) => rows.filter((row) => row.engine === engine && row.kind === 'one').map(({ measured_n, measured_hz }) => [measured_n, measured_hz]);
  assert.deepEqual([measured('socketcluster-2014'), measured('engine.io-2014')], [[['3', '3774.92']], [['1', '8000']]]);
  assert.ok(rows.every(({ kind }) => kind !== 'whole'));
});

test('predictions: a sweep that never filled the core says nothing of what it carries', () => {
  const idle = { setting: 'cores=one', rates: [1000, 2000] };
  const steps = stepsTable(...MEASURED, sweep('socketcluster-2014', 'server', 1, straight(300), idle));
  const rows = capacitiesOf(steps);
  assert.ok(rows.every(({ kind }) => kind !== 'whole'));
});

test('slopes: the rate per core over that of the reference process at the same load, with the idle core and without', () => {
  const capacities = capacitiesOf(stepsTable(...MEASURED));
  const rows = asText(computeSlopes(capacities, 0.95));
  assert.deepEqual(rows.map(({ count, load, n }) => [count, load, n]), [['without-store', '0.4', '3'], ['with-store', '0.4', '3']]); // the balancer was measured up to a load of 0.4
  assert.ok(Math.abs(Number(rows[0].slope) - 0.25) < 1e-4); // a pair on two cores carries half of what engine.io does on one
  assert.ok(Math.abs(Number(rows[1].slope) - 0.5 * (34 / 83)) < 1e-4);
  const without = capacitiesOf(stepsTable(...MEASURED.filter(([line]) => !line.includes('alone-balancer'))));
  assert.deepEqual(computeSlopes(without, 0.95), [], 'a role that works was not measured');
});

test('slopes: T11 and R3 are judged by measured rates of processes on their own cores, once four pairs had them', () => {
  const computed = ['without-store', 'with-store'].map((count) => (
    { of: 'socketcluster-2014', to: 'engine.io-2014', count, load: '0.4', n: '3', slope: '0.5', low: '0.45', high: '0.55', error: '0.02' }));
  /** @param {string} engine @param {number[]} cores @param {(n: number) => number} rateOf */
  const line = (engine, cores, rateOf) => cores.flatMap((n, index) =>
    [0.99, 1, 1.01].map((noise, block) => (
      { engine, line: '-', units: String(index + 1), n_cores: String(n), trial: `${engine}-${n}-${block}`, throughput_hz: String(noise * rateOf(n)) })));
  const scaling = (/** @type {number[]} */ cores) =>
    [...line('engine.io-2014', [1], () => 1000), ...line('socketcluster-2014', cores, (n) => 450 * (n - 1))];
  const of = (/** @type {number[]} */ cores) => asText(judgeSlopes(computed, scaling(cores), 0.95))
    .map(({ claim, metric, mean, needs }) => [claim, metric, mean, needs]);

  assert.deepEqual(of([3, 5, 7]).map(([claim, , mean, needs]) => [claim, mean, needs]), ['T11', 'T11', 'R3', 'R3'].map((claim) => [claim, '0.5', '10 cores']));
  const [without, withStore] = of([3, 5, 7, 9]);
  assert.deepEqual([without[1], without[3]], ['slope_without_store', '-']);
  assert.ok(Math.abs(Number(without[2]) - 0.45) < 0.01);
  assert.ok(Number(withStore[2]) < Number(without[2]));
});

test('mixes: the cost of a load that was not run, from opening and holding connections and from messages', () => {
  const mixes = table(`
    mix   connections  connect_rate_hz  hold_s  rate_hz_per_connection
    held  1000         100              10      1
  `);
  const trials = 'trial\tblock\tera\tengine\tworkload\tsetting\tmetric\tvalue\nb1-engine.io-2014--\t1\t2014\tengine.io-2014\tsweep\t-\tworker_cpu_ms_per_connection\t2\n';
  const steps = stepsTable(sweep('engine.io-2014', 'worker', 1, (hz) => [0.1 + hz * 100e-6, hz], { setting: '-', rates: [0, 500, 2000] }));

  const [row, ...more] = computeMixes(parseTsv(mixes), parseTsv(trials), parseTsv(steps));
  // 1,000 connections opened at 2 ms each, 20 s at 0.1 core, 15,000 messages at 100 µs each
  assert.deepEqual([row.metric, Number(row.value).toFixed(4), more.length], ['server_cpu_s_per_1k_at_held', ((2 + 2 + 1.5) / 15).toFixed(4), 0]);
});

test('T22: what a message costs a balancer over what it costs a worker, each on its own core, block by block', () => {
  const steps = parseTsv(stepsTable(
    sweep('socketcluster-2014', 'balancer', 1, (hz) => [hz * 30e-6, 1]), sweep('socketcluster-2014', 'worker', 1, (hz) => [hz * 60e-6, 1]),
    sweep('socketcluster-2014', 'balancer', 2, (hz) => [hz * 30e-6, 1]),
  ));
  assert.deepEqual(listBalance(steps).map(({ block, value }) => [block, value]), [['1', '0.5']]);
});
