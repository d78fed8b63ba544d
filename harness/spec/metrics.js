/**
 * What the reduction makes of any trial: the names in the column `metric` of reduced/trials.tsv. A claim that names
 * another is an error before anything starts. A message is a ping and its answer.
 */
import { listCompanions, listGenerators, readCompanion, readGenerator } from './generators.js';

/** `<role>` stands for a role of the engine or the client, `<p>` for a percentile, `<b>` for a number of bytes. */
const METRICS = [
  'server_cpu_s_per_1k', // CPU seconds of all server processes per 1,000 messages answered in the window
  'client_cpu_s_per_1k', // of all load processes
  'server_cpu_s_per_1k_at_<mix>', 'client_cpu_s_per_1k_at_<mix>', // in a load that opens, keeps and exchanges: analysis/points/mixes.js
  'server_cpu_s_per_1k_whole', // from the first connection on, as the source drew it
  'client_cpu_s_per_1k_whole',
  '<role>_cpu_s_per_1k', // of the processes of one role
  '<role>_cpu_cores', // mean use by the busiest process of a role
  '<role>_cpu_cores_mean', // mean over the processes of the role
  '<role>_cpu_spread', // (busiest - idlest) / mean
  '<role>_cpu_max_to_min', // busiest / idlest
  '<role>_descriptors_cv', // coefficient of variation of the connections of its processes
  '<role>_cpu_ms_per_connection', // to open one: from the start on, less what the messages cost
  '<role>_rss_mb', // of its largest process, at the end
  '<role>_rss_kb_per_connection', // of all its processes at the end, over the connections
  'busiest_cpu_cores', // use by the busiest server process, whatever its role
  'server_cpu_cores', // mean use by all server processes
  'capture_cpu_cores', // by samplers and harness
  'server_switches_per_1k', // context switches of all server processes per 1,000 messages
  'server_involuntary_per_1k', // those that the process did not ask for
  'server_voluntary_hz', 'server_involuntary_hz', // a second
  'messages_per_cpu_s', // messages answered per CPU second of all server processes
  'answered_share', // answered in the window over due in it
  'unanswered_share', // of the answers due in the window, never came; of a sweep in the steps that the server kept up with
  'messages_per_cpu_s_at_<p>', 'server_cpu_us_at_<p>', 'server_cpu_cores_at_<p>', // at so many percent of saturation: analysis/points/shares.js
  'messages_per_cpu_s_at_load_80', // where the server keeps so much of a core busy: the same filter
  'latency_p50_ms_at_<p>', 'latency_p99_ms_at_<p>',
  'server_cpu_ms_per_connection', // to open one, all roles of the server, where its saturation was found before
  'server_b_per_idle_connection', 'kernel_b_per_idle_connection', 'memory_b_per_idle_connection', // analysis/trials/memory.js
  'reach', // of a broadcast: received over what the connections that were up should have received
  'saturation_hz', // the highest rate that was answered without falling behind, found by search
  'saturation_at_least', // 1 where the search ended because the load's core was full: it answers that much at least, else 0
  'due_hz', 'sent_hz', 'received_hz', // messages a second of the window
  'connected_at_end', 'failed', 'dropped', // connections
  'connections', // that were asked for
  'connected_share', // open at the window's end over asked for
  'gone_at_end', // dropped ones that were not back at the end, where clients come back
  'recovery_s', // the longest time from a drop to being back
  'respawn_s', // from the kill of a worker until the server announced another
  'wire_up_b', 'wire_down_b', 'wire_up_packets', 'wire_down_packets', 'wire_up_dropped', 'wire_down_dropped', // that passed the client's device in the window, between namespaces
  'clock_bound_ms', // over several hosts: by how much a time of the server's, less one of a client's, may be off
  'clock_drift_ppm', // the most by which a host's clock drew away from the coordinator's
  'latency_p<p>_ms', // from the intended send time
  'service_p<p>_ms', // from the actual send time
  'connect_p<p>_ms', // from the call to connect to the dialect being open
];

/** What stands for more than one word, and what it may be. @type {Record<string, string>} */
const PLACEHOLDERS = { role: '[a-z]+', mix: '[a-z]+', b: '[0-9]+', p: '[0-9]+(\\.[0-9]+)?' };

/** @type {string[] | undefined} */
let known;

/** @returns {string[]} those of every trial, and what generators and companions add (clients/CONTRACT.md) */
export function listMetrics() {
  const listParts = () => [...listGenerators().map(readGenerator), ...listCompanions().map(readCompanion)];
  known ??= [...METRICS, ...listParts().flatMap(({ metrics = {} }) => Object.keys(metrics))];
  return known;
}

/** @param {string} pattern such as "echo_us_<b>" @returns {RegExp} */
const expressionOf = (pattern) => new RegExp(`^${pattern.replace(/<([a-z]+)>/g, (_, word) => PLACEHOLDERS[word] ?? '[a-z0-9]+')}$`);

/** @param {string} name @returns {boolean} */
export const isMetric = (name) => listMetrics().some((pattern) => expressionOf(pattern).test(name));
