/** The series made from the output of sar and pidstat, under every awk. */
import { filterTest, table } from '../awks.js';

/** @param {number} launched_s @returns {string} */
const samplers = (launched_s) => table(`
  sampler  launched_s
  top      -9.000
  pidstat  ${launched_s}
  sar      ${launched_s}
`);

/** @param {string} idle %idle of core 1 @param {number} switches @returns {string} a second of sar */
const second = (idle, switches) => `
10:00:01        CPU      %usr     %nice      %sys   %iowait    %steal      %irq     %soft    %guest    %gnice     %idle
10:00:02        all     40.00      0.00     10.00      0.00      0.00      0.00      0.00      0.00      0.00     50.00
10:00:02          1     40.00      0.00     10.00      5.00      2.00      0.00      0.00      0.00      0.00     ${idle}

10:00:01       proc/s   cswch/s
10:00:02        19.00  ${switches}.00

10:00:01      runq-sz  plist-sz   ldavg-1   ldavg-5  ldavg-15   blocked
10:00:02            5       189      1.25      0.69      1.07         0

10:00:01        IFACE   rxpck/s   txpck/s    rxkB/s    txkB/s   rxcmp/s   txcmp/s  rxmcst/s   %ifutil
10:00:02           lo   7407.00   7407.00    717.70    717.70      0.00      0.00      0.00      0.00
`;
const BANNER = 'Linux 6.1.0 (host) \t2026-01-01 \t_x86_64_\t(2 CPU)\n';
const AVERAGES = second('1.00', 9).replaceAll(/^10:00:0\d/gm, 'Average:');

filterTest('sar: cores, switches and load of each second of the load, without the means of all and the network',
  ['sar-to-series.awk'],
  [samplers(-0.7), BANNER + second('90.00', 100) + second('43.00', 200) + AVERAGES],
  `
    t_s  side  process  quantity     value
    1.3  host  core 1   cpu_pct      50.0
    1.3  host  machine  switches_hz  200.00
    1.3  host  machine  running      5
    1.3  host  machine  load_1min    1.25
  `);

filterTest('sar, without a line for each core, as older captures are: the machine alone',
  ['sar-to-series.awk'],
  [samplers(0), BANNER + second('43.00', 200).replace(/^\S+ +1 .*\n/m, '')],
  `
    t_s  side  process  quantity     value
    1.0  host  machine  switches_hz  200.00
    1.0  host  machine  running      5
    1.0  host  machine  load_1min    1.25
  `);

/** @param {string[]} rows `pid cswch nvcswch` each @returns {string} a second of pidstat */
const report = (rows) => `
# Time        UID       PID    %usr %system  %guest   %wait    %CPU   CPU  minflt/s  majflt/s     VSZ     RSS   %MEM   cswch/s nvcswch/s  Command
${rows.map((row) => `1795692032      0     ${row.replace(' ', '    2.00    1.00    0.00    7.00    3.00     0    478.00      0.00  942456   19008   0.08    ')}  a name of blanks`).join('\n')}
`;

filterTest('pidstat: the switches of ours in each second of the load, not of the samplers, nor of a stranger',
  ['pidstat-to-series.awk'],
  [samplers(-0.7), 'mark\tpid\tside\trole\tindex\nstart\t11\tserver\tworker\t1\nstart\t31\tcapture\tagent\t1\n',
    BANNER + report(['11 9.00 9.00']) + report(['11 330.00 1144.00', '31 1.00 1.00', '77 5.00 5.00'])],
  `
    t_s  side    process   quantity        value
    1.3  server  worker 1  voluntary_hz    330.00
    1.3  server  worker 1  involuntary_hz  1144.00
  `);
