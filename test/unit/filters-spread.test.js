/** The variation between processes of a role. */
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
