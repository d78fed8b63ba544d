/** Names that one stage writes and another reads. */

/** Columns of raw/host.tsv after mark and clocks: /proc/stat's first line, in ticks. */
export const HOST_TICKS = ['user', 'nice', 'system', 'idle', 'iowait', 'irq', 'softirq', 'steal'];

/** The environment variable with a run's id. A keeper kills the run's processes by it (harness/agent/keeper.js). */
export const RUN_MARK = 'WSCALE_RUN';

/** Settings of a link; all others of a network are sysctls of its two ends. */
const LINK_SETTINGS = ['rtt_us', 'rate_mbit'];

/** @param {Record<string, string>} settings @returns {boolean} has it a rate or a delay of its own? */
export const isSlow = (settings) => LINK_SETTINGS.some((name) => name in settings);
