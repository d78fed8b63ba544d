/** What analysis/ computes from small inputs with known outputs. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { digitsOf } from '../../analysis/digits.js';
import { compare } from '../../analysis/points/comparisons.js';
import { computeLoad } from '../../analysis/trials/samples.js';
import { computePoints } from '../../analysis/points/points.js';
import { computeMetrics } from '../../analysis/trials/observations.js';
import { computeUsage } from '../../analysis/captures/accounts.js';
import { parseTsv } from '../../harness/common/files.js';
import { rowsTest, table } from '../awks.js';

rowsTest('accounts: what was used in the window and as a whole; who is not there at both ends is left out',
  computeUsage,
  [table(`
    mark          t_us           pid  side    role    index  cpu_ns      wait_ns   ticks  voluntary  involuntary  rss_kb  descriptors
    start         1000000        11   server  worker  1      500000000   1000000   50     10         1            1000  20
    start         1000000        22   client  client  1      0           0         0      0          0            500  9
    window_start  3000000        11   server  worker  1      800000000   3000000   80     30         2            1500  170
    window_start  3000000        33   server  store   1      0           0         0      0          0            700  5
    window_end    13000000       11   server  worker  1      9300000001  503000000  930   130        12           2048  180
    window_end    13000000       44   server  worker  2      100         0         0      0          0            900  5
    window_end    13000000       22   client  client  1      1000        0         0      1          0            600  9
  `)], `
    phase   side    role    index  pid  seconds    cpu_s     wait_s    voluntary  involuntary  rss_kb  descriptors
    window  server  worker  1      11   10         8.5       0.5       100        10           2048    160
    whole   server  worker  1      11   12         8.8       0.502     120        11           2048    160
    whole   client  client  1      22   12         0.000001  0         1          0            600     0
  `);

const USAGE = table(`
  phase   side     role      index  pid  seconds    cpu_s     wait_s    voluntary  involuntary  rss_kb  descriptors
  window  server   worker    1      11   10.000000  4.000000  0.500000  100        20           2048  30
  window  server   worker    2      12   10.000000  6.000000  0.500000  70         10           1024  10
  window  server   balancer  1      13   10.000000  1.000000  0.500000  0          0            512  40
  window  client   client    1      21   10.000000  3.000000  0.500000  9          9            512  40
  window  client   recorder  1      22   10.000000  2.000000  0.500000  9          9            512  0
  window  capture  top       1      31   10.000000  0.500000  0.500000  9          9            512  0
  whole   server   worker    1      11   20.000000  5.000000  0.500000  100        20           2048  30
  whole   server   worker    2      12   20.000000  7.000000  0.500000  100        20           2048  10
  whole   client   client    1      21   20.000000  4.000000  0.500000  100        20           2048  40
  whole   client   recorder  1      22   20.000000  9.000000  0.500000  100        20           2048  0
  whole   capture  worker    9      32   20.000000  9.000000  0.500000  100        20           2048  0
`);

/** @param {number} received a second @returns {string} */
const intervals = (received) => table(`
  t_s  connected  failed  dropped  due   sent  received     wrong  sent_b  received_b
  0    10         1       0        500   500   ${received}  0      0       0
  1    20         0       2        1000  1000  ${received}  0      0       0
  2    18         0       0        1000  998   ${received}  0      0       0
  3    5          0       13       1000  998   ${received}  0      0       0
`);

const PERCENTILES = table(`
  series   percentile  value_us
  latency  99          4711
  service  50          950
`);

/** @type {(...tables: any[][]) => {metric: string, value: string}[]} */
const metricsOf = (usage, seconds, percentiles) => measure(usage, seconds, percentiles);

/** @type {(usage: any[], seconds: any[], percentiles: any[], form?: number) => {metric: string, value: string}[]} */
const measure = (usage, seconds, percentiles, form) => {
  const numbers = ['seconds', 'cpu_s', 'wait_s', 'voluntary', 'involuntary', 'descriptors'];
  const typed = usage.map((row) => ({ ...row, ...Object.fromEntries(numbers.map((name) => [name, Number(row[name])])) }));
  return computeMetrics(typed, seconds, percentiles, { from_s: 1, to_s: 3 }, form)
    .map(([metric, value]) => ({ metric, value: digitsOf(value) }));
};

rowsTest('usage: costs are per 1,000 messages of their phase, by side and by role; seconds after the window do not count',
  metricsOf, [USAGE, intervals(1000), PERCENTILES], `
    metric  value
    server_cpu_s_per_1k        5.5
    client_cpu_s_per_1k        1.5
    server_cpu_s_per_1k_whole  4
    client_cpu_s_per_1k_whole  1.33333
    server_switches_per_1k     100
    server_involuntary_per_1k  15
    server_voluntary_hz        17
    server_involuntary_hz      3
    worker_cpu_s_per_1k        5
    worker_cpu_cores           0.6
    worker_rss_mb              2
    worker_cpu_ms_per_connection  -166.667
    worker_cpu_cores_mean      0.5
    worker_cpu_spread          0.4
    worker_cpu_max_to_min      1.5
    worker_descriptors_cv      0.5
    worker_rss_kb_per_connection  170.667
    balancer_cpu_s_per_1k      0.5
    balancer_cpu_cores         0.1
    balancer_rss_mb            0.5
    balancer_cpu_cores_mean    0.1
    balancer_rss_kb_per_connection  28.4444
    client_cpu_cores           0.3
    client_rss_mb              0.5
    client_cpu_ms_per_connection  -27.7778
    client_cpu_cores_mean      0.3
    recorder_cpu_s_per_1k      1
    recorder_cpu_cores         0.2
    recorder_rss_mb            0.5
    recorder_cpu_cores_mean    0.2
    busiest_cpu_cores          0.6
    messages_per_cpu_s         181.818
    answered_share             1
    server_cpu_cores           1.1
    capture_cpu_cores          0.05
    received_hz                1000
    due_hz                     1000
    sent_hz                    999
    connected_at_end           18
    failed                     1
    dropped                    2
    latency_p99_ms             4.711
    service_p50_ms             0.95
  `);

rowsTest('usage: where nothing was answered there is no cost of a message',
  metricsOf,
  [USAGE.split('\n').filter((line) => /phase|\tworker\t1\t|capture/.test(line)).join('\n') + '\n', intervals(0), 'series\tpercentile\tvalue_us\n'], `
    metric  value
    server_voluntary_hz   10
    server_involuntary_hz  2
    worker_cpu_cores   0.4
    worker_rss_mb      2
    worker_cpu_cores_mean  0.4
    worker_rss_kb_per_connection  113.778
    busiest_cpu_cores  0.4
    messages_per_cpu_s  0
    answered_share  0
    server_cpu_cores   0.4
    capture_cpu_cores  0.05
    received_hz        0
    due_hz             1000
    sent_hz            999
    connected_at_end   18
    failed             1
    dropped            2
  `);

test('usage: a process is counted over the seconds between its own readings, however late another was read; up to form 3 over those of the last', () => {
  const late = parseTsv(table(`
    phase   side     role    index  pid  seconds  cpu_s  wait_s  voluntary  involuntary  rss_kb  descriptors
    window  server   worker  1      11   2        1      0       20         0            2048    30
    window  capture  top     1      31   2.5      0.5    0       9          9            512     0
  `));
  const of = (/** @type {number | undefined} */ form) =>
    Object.fromEntries(measure(late, parseTsv(intervals(1000)), [], form).map(({ metric, value }) => [metric, value]));
  const pick = (/** @type {Record<string, string>} */ all) =>
    ['server_cpu_cores', 'capture_cpu_cores', 'worker_cpu_cores_mean', 'server_voluntary_hz', 'received_hz'].map((metric) => all[metric]);
  assert.deepEqual(pick(of(undefined)), ['0.5', '0.2', '0.5', '10', '1000']);
  assert.deepEqual(pick(of(3)), ['0.4', '0.2', '0.4', '8', '800']);
});

/** @param {string} engine @param {number[]} values of blocks 1, 2, ... @param {number[]} [blocks] */
const trials = (engine, values, blocks = values.map((_, index) => index + 1)) =>
  values.map((value, index) => `b${blocks[index]}-${engine}\t${blocks[index]}\ttoday\t${engine}\tlisted\t-\tserver_cpu_s_per_1k\t${value}\n`).join('');
const TRIALS_HEADER = 'trial\tblock\tera\tengine\tworkload\tsetting\tmetric\tvalue\n';

// The natural logarithms 0, 1 and 2 have mean 1 and standard error 1 / sqrt(3); t with 2 degrees of freedom is 4.30265
rowsTest('points: the geometric mean of each, with Student\'s t on logarithms from three trials on; the arithmetic one where a value is 0',
  (rows) => computePoints(rows),
  [TRIALS_HEADER + trials('ws', [1, Math.E, Math.E ** 2]) + trials('engine.io', [0, 1, 2]) + trials('socket.io', [8, 0.5]) + trials('uws', [7, 7, 7])], `
    era    engine     workload  setting  metric               n  mean     low       high     scale   degrees  error
    today  ws         listed    -        server_cpu_s_per_1k  3  2.71828  0.226698  32.5943  log     2        0.57735
    today  engine.io  listed    -        server_cpu_s_per_1k  3  1        -1.48414  3.48414  linear  2        0.57735
    today  socket.io  listed    -        server_cpu_s_per_1k  2  2        -         -        -       -        -
    today  uws        listed    -        server_cpu_s_per_1k  3  7        7         7        log     2        0
  `);

rowsTest('points: a metric that some trials of a point lack is left out, for it would be a selection',
  (rows) => computePoints(rows),
  [TRIALS_HEADER + trials('ws', [2, 8]) + trials('ws', [7], [2]).replaceAll('server_cpu_s_per_1k', 'latency_p99_ms')], `
    era    engine  workload  setting  metric               n  mean  low  high
    today  ws      listed    -        server_cpu_s_per_1k  2  4     -    -
  `);

const COMPARISONS = table(`
  claim  era    workload  setting  metric               of         to         criterion
  T4     today  listed    -        server_cpu_s_per_1k  ws         socket.io  >1
  T5     today  listed    -        server_cpu_s_per_1k  socket.io  ws         <1
  T6     today  listed    -        server_cpu_s_per_1k  ws         -          <0.05
  T7     today  listed    -        server_cpu_s_per_1k  ws         engine.io  >1
  T8     today  listed    -        due_hz               ws         -          >1
`);

rowsTest('comparisons: ratios are taken within blocks, and a block without its partner gives none',
  (rows, trialRows) => compare(rows, trialRows),
  [COMPARISONS, TRIALS_HEADER + trials('ws', [2, 4, 6, 8, 10, 12, 14]) + trials('socket.io', [1, 1, 0, 2, 2, 2, 10], [1, 2, 3, 4, 5, 6, 11])], `
    claim  era    workload  setting  metric               of         to         criterion  n  mean     low         high      scale   degrees  error
    T4     today  listed    -        server_cpu_s_per_1k  ws         socket.io  >1         5  3.9487   2.35434     6.62276   log     4        0.186255
    T5     today  listed    -        server_cpu_s_per_1k  socket.io  ws         <1         6  0.227778  0.0575999  0.397956  linear  5       0.0662021
    T6     today  listed    -        server_cpu_s_per_1k  ws         -          <0.05      7  6.76003  3.58829     12.7353   log     6        0.258837
    T7     today  listed    -        server_cpu_s_per_1k  ws         engine.io  >1         0  -        -           -         -       -        -
    T8     today  listed    -        due_hz               ws         -          >1         0  -        -           -         -       -        -
  `);

rowsTest('comparisons: without valid trials there is a row with n = 0',
  (rows, trialRows) => compare(rows, trialRows), [table(COMPARISONS.split('\n').slice(0, 2).join('\n')), TRIALS_HEADER], `
    claim  era    workload  setting  metric               of  to         criterion  n  mean  low  high  scale  degrees  error
    T4     today  listed    -        server_cpu_s_per_1k  ws  socket.io  >1         0  -     -    -     -      -        -
  `);

rowsTest('load: the median over trials at each second, from the first to the last; seconds are rounded',
  computeLoad,
  [table(`
    trial  block  era    engine  workload  setting  t_s  side    process      quantity   value
    b1     1      today  ws      listed    -        0.7  server  worker 1     cpu_pct    30.0
    b1     1      today  ws      listed    -        1.7  server  worker 1     cpu_pct    40.5
    b1     1      today  ws      listed    -        1    client  connections  connected  20
    b2     2      today  ws      listed    -        0.5  server  worker 1     cpu_pct    10.0
    b2     2      today  ws      listed    -        3.5  server  worker 1     cpu_pct    50.0
    b3     3      today  ws      listed    -        1.4  server  worker 1     cpu_pct    9.0
  `)], `
    era    engine  workload  setting  side    process      quantity   t_s  n  median  least  most
    today  ws      listed    -        server  worker 1     cpu_pct    1    3  10      9      30
    today  ws      listed    -        server  worker 1     cpu_pct    2    1  40.5    40.5   40.5
    today  ws      listed    -        server  worker 1     cpu_pct    4    1  50      50     50
    today  ws      listed    -        client  connections  connected  1    1  20      20     20
  `);
