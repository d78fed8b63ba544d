/** The variation between processes of a role, and the growth of a cost with the payload's size. */
import { listSizes } from '../../experiments/06-parameter-influence/tables.js';
import { listVariations } from '../../experiments/07-concurrent-connections/tables.js';
import { rowsTest, table } from '../awks.js';

rowsTest('the coefficient of variation of a role\'s CPU, trial by trial; one process alone has none',
  listVariations,
  [table(`
    trial  block  era   engine  workload  setting  side    role      index  cpu_cores
    a      1      2014  sc      listed    -        server  balancer  1      0.1
    a      1      2014  sc      listed    -        server  balancer  2      0.3
    a      1      2014  sc      listed    -        server  worker    1      0.9
    b      2      2014  sc      listed    -        server  balancer  1      0.2
    b      2      2014  sc      listed    -        server  balancer  2      0.2
    c      3      2014  sc      listed    -        server  balancer  1      0.2
  `)],
  `
    trial  block  era   engine  workload  setting  metric           value
    a      1      2014  sc      listed    -        balancer_cpu_cv  0.5
    b      2      2014  sc      listed    -        balancer_cpu_cv  0
  `);

rowsTest('between neighbouring sizes a cost has an elasticity of its own, whatever the order of the points',
  listSizes,
  [table(`
    era   engine  workload  setting                     metric               n  mean  low  high
    2014  sc      files     payload_b=1000,period_ms=4  server_cpu_s_per_1k  2  2       -    -
    2014  sc      files     payload_b=10,period_ms=4    server_cpu_s_per_1k  2  2       -    -
    2014  sc      files     payload_b=1000,period_ms=4  client_cpu_s_per_1k  2  9       -    -
    2014  sc      files     payload_b=4000,period_ms=4  server_cpu_s_per_1k  2  8       -    -
    2014  sc      pings     -                           server_cpu_s_per_1k  2  1       -    -
  `)],
  `
    era   engine  workload  setting      from_b  to_b  elasticity
    2014  sc      files     period_ms=4  10      1000  0.0000
    2014  sc      files     period_ms=4  1000    4000  1.0000
  `);
