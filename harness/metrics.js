/**
 * What the reduction makes of a trial: the names in the column `metric` of reduced/trials.tsv. A claim that names
 * another is an error before anything starts.
 */

/** @type {{name: string, pattern: RegExp, unit: string, words: string}[]} */
export const METRICS = [
  metric('server_cpu_s_per_1k', 's', 'CPU seconds of all server processes per 1,000 messages of the window'),
  metric('client_cpu_s_per_1k', 's', 'CPU seconds of all load processes per 1,000 messages of the window'),
  metric('server_cpu_s_per_1k_whole', 's', 'the same from the first connection on, as the source drew it'),
  metric('client_cpu_s_per_1k_whole', 's', 'the same from the first connection on, as the source drew it'),
  metric('<role>_cpu_s_per_1k', 's', 'of the processes of one role'),
  metric('<role>_cpu_cores', 'cores', 'mean use of the busiest process of a role'),
  metric('server_cpu_cores', 'cores', 'mean use by all server processes'),
  metric('server_switches_per_1k', '1', 'context switches of all server processes per 1,000 messages'),
  metric('received_hz', '1/s', 'answers a second'),
  metric('latency_p<nn>_ms', 'ms', 'from the intended send time'),
  metric('service_p<nn>_ms', 'ms', 'from the actual send time'),
  metric('connect_p<nn>_ms', 'ms', 'from the call to connect to the dialect being open'),
  metric('capture_cpu_cores', 'cores', 'what the capture itself used'),
  metric('recorder_cpu_cores', 'cores', 'what recording in the client used'),
];

/** @param {string} name @param {string} unit @param {string} words */
function metric(name, unit, words) {
  const pattern = new RegExp(`^${name.replace('<role>', '[a-z]+').replace('<nn>', '[0-9]+')}$`);
  return { name, pattern, unit, words };
}
