/** The filter of top's screens, under every awk. */
import { filterTest, table } from '../awks.js';

/** @param {string} launched_s @returns {string} */
const samplers = (launched_s) => table(`
  sampler  launched_s
  pidstat  -0.250
  top      ${launched_s}
`);
const SAMPLERS = samplers('0.700');

/** @param {string[]} rows `pid cpu` each @returns {string} a screen as top prints it with -b */
const screen = (rows) => [
  'top - 10:00:01 up 1 day,  1:02,  0 users,  load average: 0.10, 0.20, 0.30',
  'Tasks: 176 total,   4 running, 171 sleeping,   0 stopped,   1 zombie',
  '%Cpu(s): 50.0 us,  0.0 sy,  0.0 ni, 50.0 id,  0.0 wa,  0.0 hi,  0.0 si,  0.0 st',
  'MiB Mem :  24151.6 total,  23263.1 free,    645.0 used,    537.5 buff/cache',
  '', '    PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND',
  ...rows.map((row) => {
    const [pid, cpu] = row.split(' ');
    return `${pid.padStart(7)} someone   20   0 1487436  71424  49392 R ${cpu.padStart(5)}   0.3   0:02.59 a name of blanks`;
  }), '',
].join('\n');

filterTest('top: other processes and the first screen are left out, and a process that is not shown has no line',
  ['top-to-series.awk'],
  [SAMPLERS, table(`
    mark   pid  side     role    index
    start  11   server   worker  1
    start  21   client   client  1
    start  31   capture  top     1
    end    11   server   worker  1
  `), screen(['11 99.0', '21 99.0']) + screen(['11 11.5', '21 30.0', '31 2.0', '1 77.0', '12345 5.0']) + screen(['11 20.0'])],
  `
    t_s  side     process   pid  cpu_pct
    1.7  server   worker 1  11   11.5
    1.7  client   client 1  21   30.0
    1.7  capture  top 1     31   2.0
    2.7  server   worker 1  11   20.0
  `);

filterTest('top: screens whose interval lies more than half before the load are left out',
  ['top-to-series.awk'],
  [samplers('-1.600'), 'pid\tside\trole\tindex\n11\tserver\tworker\t1\n', ['1', '2', '3', '4'].map((cpu) => screen([`11 ${cpu}.0`])).join('')],
  `
    t_s  side    process   pid  cpu_pct
    1.4  server  worker 1  11   4.0
  `);

const THREADED = 'pid\tside\trole\tindex\n11\tserver\tworker\t1\n21\tclient\tclient\t1\n';

/**
 * A window of 2 s: process 11 uses 0.2 cores in its first thread and 0.5 in the other two; process 21 uses 0.1 in its
 * only thread.
 */
const THREADS = table(`
  mark          t_s    pid  tid  cpu_ns
  window_start  1.000  11   11   1000000000
  window_start  1.000  11   12   0
  window_start  1.000  21   21   500000000
  window_end    3.000  11   11   1400000000
  window_end    3.000  11   12   600000000
  window_end    3.000  11   13   400000000
  window_end    3.000  21   21   700000000
`);

/** @param {string[]} rows @returns {string} a screen of top -H */
const threadScreen = (rows) => screen(rows).replace('Tasks:', 'Threads:');

/**
 * @param {string} first %CPU on the line of 11's first thread @param {number} [count] of screens
 * @returns {string} output of top -H
 */
const threadScreens = (first, count = 3) => Array.from({ length: count }, () => threadScreen([`11 ${first}`, '12 30.0', '13 20.0', '21 10.0', '14 5.0'])).join('');

for (const [reported, first] of [['the whole process', '70.0'], ['the first thread alone', '20.0']]) {
  filterTest(`top by thread: a process is all its threads where the first line shows ${reported}`,
    ['top-to-series.awk'],
    [samplers('0.900'), THREADED, THREADS, threadScreens(first)],
    `
      t_s  side    process   pid  cpu_pct
      1.9  server  worker 1  11   70.0
      1.9  client  client 1  21   10.0
      2.9  server  worker 1  11   70.0
      2.9  client  client 1  21   10.0
    `);

  filterTest(`top by thread: each thread has its own where the first line shows ${reported}`,
    ['top-to-series.awk'],
    [samplers('0.900'), THREADED, THREADS, threadScreens(first, 2)],
    `
      t_s  side    process   pid  tid  name  cpu_pct
      1.9  server  worker 1  11   11   a     20.0
      1.9  server  worker 1  11   12   a     30.0
      1.9  server  worker 1  11   13   a     20.0
      1.9  client  client 1  21   21   a     10.0
    `, { options: ['-v', 'by=thread'] });
}

filterTest('top by thread, without accounts of the threads: the first line is the process, as in procps 4.0.2',
  ['top-to-series.awk'],
  [samplers('0.900'), THREADED, threadScreens('70.0')],
  `
    t_s  side    process   pid  cpu_pct
    1.9  server  worker 1  11   70.0
    1.9  client  client 1  21   10.0
    2.9  server  worker 1  11   70.0
    2.9  client  client 1  21   10.0
  `);

const THIRTY = Array.from({ length: 30 }, (_, index) => index + 1);

filterTest('top: thirty processes, more than `top -p` would take',
  ['top-to-series.awk'],
  [SAMPLERS,
    `pid\tside\trole\tindex\n${THIRTY.map((n) => `${1000 + n}\tserver\tworker\t${n}\n`).join('')}`,
    screen(['1001 0.0']) + screen(THIRTY.map((n) => `${1000 + n} ${n}.0`))],
  `t_s  side  process  pid  cpu_pct\n${THIRTY.map((n) => `1.7  server  worker ${n}  ${1000 + n}  ${n}.0`).join('\n')}`);
