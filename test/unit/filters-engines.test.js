/** Computations of experiments that compare engines: shares of saturation, memory, ranks, knees and medians. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { digitsOf } from '../../analysis/digits.js';
import { rankEngines } from '../../analysis/points/ranks.js';
import { computeShares } from '../../analysis/points/shares.js';
import { computeMemory } from '../../analysis/trials/memory.js';
import { findKnees } from '../../experiments/15-ramp-to-saturation/knees.js';
import { MEDIAN_COLUMNS, computeMedians } from '../../experiments/15-ramp-to-saturation/seconds.js';
import { parseTsv } from '../../harness/common/files.js';
import { rowsTest, table } from '../awks.js';

rowsTest('shares: steps of one share are taken together, and one that was not answered is left out', computeShares, [table(`
  trial  block  era    engine  workload  setting  metric                        value
  b1     1      today  a       sweep     -        worker_cpu_ms_per_connection  0.25
  b1     1      today  a       sweep     -        client_cpu_ms_per_connection  9
`), table(`
  trial  block  era    engine  workload  setting  total_rate_hz  side    role    cpu_cores  received_hz  backlog_s  latency_p50_ms  latency_p99_ms  share
  b1     1      today  a       sweep     -        500      server  worker  0.5        500          0          1               -               0.5
  b1     1      today  a       sweep     -        500      server  server  0.5        500          0          1               -               0.5
  b1     1      today  a       sweep     -        500      server  server  0.3        300          0          2               -               0.5
  b1     1      today  a       sweep     -        800      server  server  0.9        700          0.2        9               -               0.8
  b2     1      today  a       idle      -        0        server  server  0.1        0            0          -               -               -
`)], `
  trial  block  era  engine  workload  setting  metric  value
  b1  1  today  a  sweep  -  server_cpu_ms_per_connection  0.25
  b1  1  today  a  sweep  -  messages_per_cpu_s_at_50      1000
  b1  1  today  a  sweep  -  server_cpu_us_at_50           1000
  b1  1  today  a  sweep  -  server_cpu_cores_at_50        0.4
  b1  1  today  a  sweep  -  latency_p50_ms_at_50          1.5
`);

rowsTest('shares: where 0.8 of a core is busy is read off the curve of steps that were answered, and a server that never was so busy has no such number', computeShares, ['trial\tmetric\tvalue\n', table(`
  trial  block  era    engine  workload  setting  total_rate_hz  side    role    cpu_cores  received_hz  backlog_s  latency_p50_ms  latency_p99_ms  share
  b1     1      today  a       sweep     -        600      server  worker  0.6        600          0          -               -               0.5
  b2     1      today  b       sweep     -        600      server  worker  0.2        600          0          -               -               0.5
  b1     1      today  a       sweep     -        600      server  server  0.6        600          0          -               -               0.5
  b1     1      today  a       sweep     -        1200     server  server  1          1200         0          -               -               0.8
  b1     1      today  a       sweep     -        1300     server  server  0.8        700          1          -               -               0.9
  b2     1      today  b       sweep     -        600      server  server  0.2        600          0          -               -               0.5
  b2     1      today  b       sweep     -        1200     server  server  0.4        1200         0          -               -               0.8
`)], `
  trial  block  era  engine  workload  setting  metric  value
  b1  1  today  a  sweep  -  messages_per_cpu_s_at_50       1000
  b1  1  today  a  sweep  -  server_cpu_us_at_50            1000
  b1  1  today  a  sweep  -  server_cpu_cores_at_50         0.6
  b1  1  today  a  sweep  -  messages_per_cpu_s_at_80       1200
  b1  1  today  a  sweep  -  server_cpu_us_at_80            833.333
  b1  1  today  a  sweep  -  server_cpu_cores_at_80         1
  b1  1  today  a  sweep  -  messages_per_cpu_s_at_load_80  1125
  b2  1  today  b  sweep  -  messages_per_cpu_s_at_50       3000
  b2  1  today  b  sweep  -  server_cpu_us_at_50            333.333
  b2  1  today  b  sweep  -  server_cpu_cores_at_50         0.2
  b2  1  today  b  sweep  -  messages_per_cpu_s_at_80       3000
  b2  1  today  b  sweep  -  server_cpu_us_at_80            333.333
  b2  1  today  b  sweep  -  server_cpu_cores_at_80         0.4
`);

rowsTest('shares: a step above the whole brings the curve to 0.8 of a core, and has no number of its own', computeShares, ['trial\tmetric\tvalue\n', table(`
  trial  block  era    engine  workload  setting  total_rate_hz  side    role    cpu_cores  received_hz  backlog_s  latency_p50_ms  latency_p99_ms  share
  b1     1      today  a       sweep     -        1000     server  worker  0.7        1000         0          -               -               1
  b1     1      today  a       sweep     -        1000     server  server  0.7        1000         0          -               -               1
  b1     1      today  a       sweep     -        1200     server  server  0.9        1200         0.01       5               9               1.2
  b2     2      today  a       sweep     -        1000     server  worker  0.7        1000         0          -               -               1
  b2     2      today  a       sweep     -        1000     server  server  0.7        1000         0          -               -               1
  b2     2      today  a       sweep     -        1200     server  server  0.9        1000         0.2        5               9               1.2
`)], `
  trial  block  era  engine  workload  setting  metric  value
  b1  1  today  a  sweep  -  messages_per_cpu_s_at_100      1428.57
  b1  1  today  a  sweep  -  server_cpu_us_at_100           700
  b1  1  today  a  sweep  -  server_cpu_cores_at_100        0.7
  b1  1  today  a  sweep  -  messages_per_cpu_s_at_load_80  1375
  b2  2  today  a  sweep  -  messages_per_cpu_s_at_100      1428.57
  b2  2  today  a  sweep  -  server_cpu_us_at_100           700
  b2  2  today  a  sweep  -  server_cpu_cores_at_100        0.7
`);

const ACCOUNTS = table(`
  mark        pid  side    rss_kb
  start       1    server  1000
  start       2    client  5000
  window_end  1    server  3000
  window_end  2    client  9000
`);
const INTERVALS = (/** @type {number} */ due) => `t_s\tconnected\tdue\n0\t1000\t0\n1\t1000\t${due}\n`;
const HOST = 'mark\tkernel_kb\nstart\t800000\nwindow_end\t808000\n';

/** @type {(...tables: Record<string, string>[][]) => {metric: string, value: string}[]} */
const memoryOf = (...tables) => computeMemory(tables[0], tables[1], tables[2])
  .map(([metric, value]) => ({ metric, value: digitsOf(value) }));

rowsTest('memory: what was added over the connections, and half of what the kernel added', memoryOf, [ACCOUNTS, HOST, INTERVALS(0)], `
  metric                        value
  server_b_per_idle_connection  2048
  kernel_b_per_idle_connection  4096
  memory_b_per_idle_connection  6144
`);

rowsTest('memory: where clients are on another host all that the kernel added is the server\'s', memoryOf,
  [ACCOUNTS.replaceAll('\t2\t', '\th2:2\t'), HOST, INTERVALS(0)], `
  metric                        value
  server_b_per_idle_connection  2048
  kernel_b_per_idle_connection  8192
  memory_b_per_idle_connection  10240
`);

rowsTest('memory: where a message fell due no connection was idle', memoryOf, [ACCOUNTS, HOST, INTERVALS(1)], `
  metric  value
`);
rowsTest('memory: a capture without the kernel\'s tells nothing', memoryOf, [ACCOUNTS, 'mark\tt_us\nstart\t1\nwindow_end\t2\n', INTERVALS(0)], `
  metric  value
`);

/** @param {Record<string, number[]>} us CPU time of a message, by engine and block @returns {string} two steps each */
function stepsOf(us) {
  const rows = Object.entries(us).flatMap(([engine, costs]) => costs.flatMap((cost, index) => [1000, 4000].map((hz) =>
    [`b${index + 1}-${engine}`, index + 1, 'today', engine, 'sweep', '-', hz, 1, 'server', 'server', (cost * hz) / 1e6, hz, 0].join('\t'))));
  return `trial\tblock\tera\tengine\tworkload\tsetting\trate_hz\ttogether\tside\trole\tcpu_cores\treceived_hz\tbacklog_s\n${rows.join('\n')}\n`;
}

const TRIALS = table(`
  trial    block  era    engine  workload  setting  metric         value
  b1-slow  1      today  slow    sweep     -        saturation_hz  1500
`);
/** TRIALS with `saturation_at_least`. @param {string} value 1 if the load generator was full first */
const bounded = (value) => `${TRIALS}${['b1-slow', 1, 'today', 'slow', 'sweep', '-', 'saturation_at_least', value].join('\t')}\n`;

/** @param {string} trials @param {Record<string, number[]>} us @param {number} total_rate_hz */
function rankAt(trials, us, total_rate_hz) {
  const engines = Object.fromEntries(Object.keys(us).map((engine) => [engine, { processes: { worker: 1 }, options: {} }]));
  const arrivals = { kind: 'staircase', step_s: 1, lead_s: 0, steps: [] };
  const spec = {
    engines, load: { behaviour: 'echo', client_processes: 1, payload: { type: 'text', bytes: 128 } }, workloads: { sweep: { arrivals } },
    phases: { connections: 1000, connect_rate_hz: 1000, settle_s: 0, hold_s: 1, warmup_s: 0 },
  };
  return rankEngines({ trials: parseTsv(trials), steps: parseTsv(stepsOf(us)), disturbed: [] }, spec, { total_rate_hz });
}

/** @param {Record<string, number[]>} us @param {number} total_rate_hz */
const rank = (us, total_rate_hz) => rankAt(TRIALS, us, total_rate_hz)
  .map(({ engine, rank: place, is_shared }) => [engine, String(place), is_shared]);

test('ranks: one that costs a tenth more ranks below, two within their spread are equal, and drift of blocks is no spread', () => {
  const drift = [1, 1.2, 0.9]; // of the machine's speed, from block to block
  const times = (/** @type {number[]} */ own, /** @type {number} */ factor) =>
    own.map((share, index) => 20 * factor * share * drift[index]);
  const [first, second] = [times([1.01, 0.99, 1], 1), times([0.99, 1.01, 1.01], 1.005)];
  const us = { copy: times([1, 1.01, 0.99], 1.1), first, second, far: times([1, 1, 1.01], 3) };
  const expected = [['first', '1', 'yes'], ['second', '1', 'yes'], ['copy', '3', 'no'], ['far', '4', 'no']];

  assert.deepEqual(rank(us, 2000), expected);
});

test('ranks: engines whose trials differ more are not told from their neighbours, and the others are', () => {
  const [quiet, noisy] = [[1, 1.002, 0.998], [0.92, 1.09, 1]];
  /**
   * Each costs 5 % more than the one before. The trials of every fourth differ by up to 9 % from their mean.
   * @param {number} index
   */
  const trialsOf = (index) => quiet.map((_, block) => 20 * 1.05 ** index * (index % 4 === 3 ? noisy : quiet)[(block + index) % 3]);
  const us = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`${index % 4 === 3 ? 'noisy' : 'quiet'}-${index}`, trialsOf(index)]));

  const ranks = rank(us, 2000).map(([, place]) => Number(place));
  const ofQuiet = ranks.filter((_, index) => index % 4 !== 3);
  assert.equal(new Set(ofQuiet).size, ofQuiet.length, `of those whose trials are alike some share a rank: ${ofQuiet}`);
  for (let index = 3; index < 20; index += 4) assert.ok(ranks[index] <= ranks[index - 1], `the noisy one in place ${index + 1} is told from the one before: ${ranks}`);
});

test('ranks: an engine whose interval is wider than a factor of 2 has a cost and its place by it, but no rank, and changes no other rank', () => {
  const us = { wide: [1, 3, 9], first: [9, 9.1, 9], second: [12, 12.1, 12] };
  assert.deepEqual(rank(us, 2000), [['wide', '-', 'no'], ['first', '1', 'no'], ['second', '2', 'no']]);
  const [wide] = rankAt(TRIALS, us, 2000).filter(({ engine }) => engine === 'wide');
  assert.equal(wide.unranked, 'interval within blocks wider than a factor of 2');
  assert.ok(Number(wide.us_per_message) > 0);
});

test('ranks: an engine that does not sustain the rate comes last, without a rank; with one trial each no engine has a rank', () => {

  assert.deepEqual(rank({ slow: [1, 1, 1], a: [9, 9.1, 9], b: [10, 10, 10.1] }, 2000).at(-1), ['slow', '-', 'no']);
  assert.deepEqual(rank({ a: [9], b: [10] }, 2000).map(([, place]) => place), ['-', '-']);
});

test('ranks: an engine whose load generator was full first has "at least" a saturation, and a rank only below that', () => {
  const cellsOf = (/** @type {string} */ trials, /** @type {number} */ total_rate_hz) => {
    const found = rankAt(trials, { slow: [1, 1, 1.01], a: [9, 9.1, 9] }, total_rate_hz).find(({ engine }) => engine === 'slow');
    return ['rank', 'saturation_hz', 'at_least'].map((column) => String(found?.[column]));
  };

  assert.deepEqual(cellsOf(bounded('1'), 2000), ['-', '1500', 'yes']);
  assert.deepEqual(cellsOf(bounded('1'), 1200), ['1', '1500', 'yes']);
  assert.deepEqual(cellsOf(bounded('0'), 2000), ['-', '1500', 'no']);
  assert.deepEqual(cellsOf(TRIALS, 2000), ['-', '1500', '-']);
});

/**
 * A ramp of 100 connections a second, which each send 1 message a second. At most 3,000 messages a second are answered.
 * @param {(connections: number) => number} p50_ms
 */
function ramp(p50_ms) {
  const rows = Array.from({ length: 50 }, (_, second) => {
    const connected = 100 * (second + 1);
    return ['b1', 1, 'today', 'a', 'ramp', '-', second, connected, connected, Math.min(3000, connected), p50_ms(connected), '-'].join('\t');
  });
  return `trial\tblock\tera\tengine\tworkload\tsetting\tt_s\tconnected\tdue\treceived\tlatency_p50_ms\tlatency_p99_ms\n${rows.join('\n')}\n`;
}

/** @param {string} seconds @returns {Record<string, number>} by metric */
const findKnee = (seconds) => Object.fromEntries(findKnees(parseTsv(seconds), 50).map(({ metric, value }) => [metric, Number(value)]));

test('knees: latency that stays above twice its level has its knee there, beside a plateau where answers no longer rise', () => {
  const rises = (/** @type {number} */ connections) => (connections <= 3000 ? 2 : 2 * Math.exp((connections - 3000) / 40));

  const found = findKnee(ramp(rises));
  assert.deepEqual([found.level_p50_ms, found.peak_hz, found.knee_and_plateau], [2, 3000, 1]);
  assert.deepEqual([found.knee_connections, found.knee_s, found.plateau_connections, found.plateau_s], [3100, 30, 2900, 28]);
  assert.ok(Math.abs(found.knee_to_plateau - 30 / 28) < 1e-5);
});

test('knees: latency that hardly rises has none, and a ramp that ends soon after has no plateau', () => {
  const { has_knee, knee_s, knee_to_plateau } = findKnee(ramp((connections) => (connections > 1200 ? 3 : 2)));
  assert.deepEqual([has_knee, knee_s, knee_to_plateau], [0, undefined, undefined]);
  const [short] = findKnees(parseTsv(ramp(() => 2)), 41).filter(({ metric }) => metric === 'has_plateau');
  assert.equal(short.value, '0');
});

test('knees: a pause of the server in one second is no knee, nor is a rise that ends before the ramp does', () => {
  const rises = (/** @type {number} */ connections) => (connections === 1500 ? 90 : connections <= 3000 ? 2 : 400);

  assert.equal(findKnee(ramp(rises)).knee_connections, 3100);
  assert.equal(findKnee(ramp((connections) => (connections === 5000 ? 2 : rises(connections)))).has_knee, 0);
});

test('knees: answers that a pause held back and that come in one second are no plateau', () => {
  const burst = ramp(() => 2).replace(/^(.*\t15\t.*\t)1600(\t2\t-)$/m, '$13000$2');
  assert.notEqual(burst, ramp(() => 2));
  assert.equal(findKnee(burst).plateau_s, 28);
});

test('medians: of each second the median over trials and the quartiles, and no latency where no trial has one', () => {
  const [header] = ramp(() => 1).split('\n');
  const row = (/** @type {string} */ trial, /** @type {number} */ t_s, /** @type {(number | string)[]} */ ...cells) =>
    [trial, 1, 'today', 'a', 'ramp', '-', t_s, ...cells, '-'].join('\t');
  const seconds = [header, row('b1', 0, 100, 99, 50, '-'), row('b1', 1, 200, 200, 100, 1), row('b2', 1, 210, 200, 120, 3), row('b3', 1, 190, 200, 200, '-'), ''];
  const found = computeMedians(parseTsv(seconds.join('\n'))).map((each) => MEDIAN_COLUMNS.slice(4).map((column) => each[column]).join(' '));
  assert.deepEqual(found, ['0 1 100 50 50 50 - - -', '1 3 200 120 110 160 2 1.5 2.5']);
});
