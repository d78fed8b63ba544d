/** A load in rounds, on a small input with a known output. */
import { digitsOf } from '../../analysis/digits.js';
import { computeRounds } from '../../clients/serial/reduce.js';
import { rowsTest, table } from '../awks.js';

rowsTest('rounds: the medians of what began in the window, by size, how many were slow, and how the smallest and connecting drifted from its first half to its second',
  (rows) => computeRounds(rows, { from_s: 1, to_s: 3 }).map(([metric, value]) => ({ metric, value: digitsOf(value) })),
  [table(`
    t_s   round  quantity  size_b  us
    1.1   3      echo      10      20
    1.2   3      echo      10      22
    2.5   4      echo      10      33
    2.6   4      echo      10      33
    2.7   4      echo      100000  800
    2.8   4      echo      100000  42000
    1.0   3      connect   0       100
    2.2   4      connect   0       300
    0.9   2      connect   0       500
    1.4   3      echo      2000    900
    3.0   5      echo      10      1000
  `)],
  `
    metric        value
    connect_us    200
    echo_us_10    27.5
    echo_us_2000  900
    echo_us_100000  21400
    echo_slow_share_10  0
    echo_slow_share_2000  0
    echo_slow_share_100000  0.5
    warm_drift    0.571429
    connect_drift  2
  `);
