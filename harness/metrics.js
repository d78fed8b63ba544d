/**
 * What the reduction makes of a trial: the names in the column `metric` of reduced/trials.tsv. A claim that names
 * another is an error before anything starts. A message is a ping and its answer.
 */

/** `<role>` stands for a role of the engine or the client, `<p>` for a percentile. */
export const METRICS = [
  'server_cpu_s_per_1k', // CPU seconds of all server processes per 1,000 messages answered in the window
  'client_cpu_s_per_1k', // of all load processes
  'server_cpu_s_per_1k_whole', // from the first connection on, as the source drew it
  'client_cpu_s_per_1k_whole',
  '<role>_cpu_s_per_1k', // of the processes of one role
  '<role>_cpu_cores', // mean use by the busiest process of a role
  '<role>_rss_mb', // of its largest process, at the end
  'server_cpu_cores', // mean use by all server processes
  'capture_cpu_cores', // by samplers and harness
  'server_switches_per_1k', // context switches of all server processes per 1,000 messages
  'due_hz', 'sent_hz', 'received_hz', // messages a second of the window
  'connected_at_end', 'failed', 'dropped', // connections
  'latency_p<p>_ms', // from the intended send time
  'service_p<p>_ms', // from the actual send time
  'connect_p<p>_ms', // from the call to connect to the dialect being open
];

const PATTERNS = METRICS.map((name) => new RegExp(`^${name.replace('<role>', '[a-z]+').replace('<p>', '[0-9]+(\\.[0-9]+)?')}$`));

/** @param {string} name @returns {boolean} */
export const isMetric = (name) => PATTERNS.some((pattern) => pattern.test(name));
