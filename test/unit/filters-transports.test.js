/** The tables of experiment 12, on a small input with known output. */
import { derive } from '../../clients/updates/derive.js';
import { listTransports } from '../../experiments/12-transports/tables.js';
import { rowsTest, table } from '../awks.js';

rowsTest('transports: bytes are divided by updates, by clients and seconds, and by polls where none had an update; without a wire there is CPU alone',
  (plan, trials) => derive(trials, plan),
  [table(`
    trial  from_s  to_s
    a      1       5
    b      1       5
    c      1       5
  `), table(`
    trial  block  era    engine  workload  setting  metric            value
    a      1      today  ws      dense     -        server_cpu_cores  0.02
    a      1      today  ws      dense     -        connections       10
    a      1      today  ws      dense     -        wire_up_b         1000
    a      1      today  ws      dense     -        wire_down_b       3000
    a      1      today  ws      dense     -        updates_received  20
    a      1      today  ws      dense     -        requests          8
    a      1      today  ws      dense     -        polls_empty       7
    b      1      today  http    none      -        server_cpu_cores  0.01
    b      1      today  http    none      -        connections       10
    b      1      today  http    none      -        wire_up_b         1000
    b      1      today  http    none      -        wire_down_b       600
    b      1      today  http    none      -        updates_received  0
    b      1      today  http    none      -        requests          2
    b      1      today  http    none      -        polls_empty       2
    c      1      today  ws      none      -        server_cpu_cores  0.01
    c      1      today  ws      none      -        connections       10
  `)],
  `
    trial  block  era    engine  workload  setting  metric                     value
    a      1      today  ws      dense     -        server_cpu_cores           0.02
    a      1      today  ws      dense     -        connections                10
    a      1      today  ws      dense     -        wire_up_b                  1000
    a      1      today  ws      dense     -        wire_down_b                3000
    a      1      today  ws      dense     -        updates_received           20
    a      1      today  ws      dense     -        requests                   8
    a      1      today  ws      dense     -        polls_empty                7
    a      1      today  ws      dense     -        server_cpu_us_per_client_s  2000
    a      1      today  ws      dense     -        wire_up_b_per_client_s     25
    a      1      today  ws      dense     -        wire_down_b_per_client_s   75
    a      1      today  ws      dense     -        wire_b_per_client_s        100
    a      1      today  ws      dense     -        wire_b_per_update          200
    b      1      today  http    none      -        server_cpu_cores           0.01
    b      1      today  http    none      -        connections                10
    b      1      today  http    none      -        wire_up_b                  1000
    b      1      today  http    none      -        wire_down_b                600
    b      1      today  http    none      -        updates_received           0
    b      1      today  http    none      -        requests                   2
    b      1      today  http    none      -        polls_empty                2
    b      1      today  http    none      -        server_cpu_us_per_client_s  1000
    b      1      today  http    none      -        wire_up_b_per_client_s     25
    b      1      today  http    none      -        wire_down_b_per_client_s   15
    b      1      today  http    none      -        wire_b_per_client_s        40
    b      1      today  http    none      -        wire_b_per_poll            800
    c      1      today  ws      none      -        server_cpu_cores           0.01
    c      1      today  ws      none      -        connections                10
    c      1      today  ws      none      -        server_cpu_us_per_client_s  1000
  `);

rowsTest('transports: bytes and delays of a point stand on one line, and what is lacking is a dash',
  listTransports,
  [table(`
    era    engine  workload  setting  metric             n  mean    low  high
    today  ws      dense     -        wire_b_per_update  6  93      92   94
    today  ws      dense     -        latency_p50_ms     6  0.4     0.3  0.5
    today  ws      sparse    -        latency_p50_ms     1  0.7     -    -
    today  ws      none      -        connections        6  50      50   50
  `)],
  `
    era    engine  workload  setting  n  b   b_low  b_high  p50_ms  p50_ms_low  p50_ms_high  p99_ms  p99_ms_low  p99_ms_high
    today  ws      dense     -        6  93  92     94      0.4     0.3         0.5          -       -           -
    today  ws      sparse    -        1  -   -      -       0.7     -           -            -       -           -
  `);
