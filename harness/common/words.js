/** Words that one stage writes and another reads. */

/** Of `cores`: what goes before the name of the role that has cores of its own. */
export const ALONE = 'alone-';

/** Columns of raw/host.tsv after mark and clocks: /proc/stat's first line, in ticks. */
export const HOST_TICKS = ['user', 'nice', 'system', 'idle', 'iowait', 'irq', 'softirq', 'steal'];
