/** Words that one stage writes and another reads. */

/** Of `cores`: what goes before the name of the role that has cores of its own. */
export const ALONE = 'alone-';

/** Columns of raw/host.tsv after mark and clocks: /proc/stat's first line, in ticks. */
export const HOST_TICKS = ['user', 'nice', 'system', 'idle', 'iowait', 'irq', 'softirq', 'steal'];

/** The variable that carries a run's id, by which its processes are known, and killed by a keeper (harness/agent/keeper.js). */
export const RUN_MARK = 'WSCALE_RUN';
