/** The filter of a load in rounds on a small input of which the output is known, under every awk. */
import { filterTest, table } from '../awks.js';

filterTest('rounds: the medians of what began in the window, by size, and how the smallest echo drifted from its first half to its second',
  ['serial-to-metrics.awk'],
  [table(`
    t_s   round  quantity  size_b  us
    1.1   3      echo      10      20
    1.2   3      echo      10      22
    2.5   4      echo      10      33
    2.6   4      echo      10      33
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
    warm_drift    0.571429
  `, { options: ['-v', 'from_s=1', '-v', 'to_s=3'] });
