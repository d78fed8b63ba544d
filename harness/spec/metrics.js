/**
 * What the reduction makes of a trial: the names in the column `metric` of reduced/trials.tsv. A claim that names
 * another is an error before anything starts. A message is a ping and its answer.
 */

/** `<role>` stands for a role of the engine or the client, `<p>` for a percentile, `<b>` for a number of bytes. */
export const METRICS = [
  'server_cpu_s_per_1k', // CPU seconds of all server processes per 1,000 messages answered in the window
  'client_cpu_s_per_1k', // of all load processes
  'server_cpu_s_per_1k_at_<mix>', 'client_cpu_s_per_1k_at_<mix>', // in a load that opens, keeps and exchanges: analysis/steps-to-mixes.awk
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
  'saturation_hz', // the highest rate that was answered without falling behind, found by search
  'due_hz', 'sent_hz', 'received_hz', // messages a second of the window
  'connected_at_end', 'failed', 'dropped', // connections
  'connections', // that were asked for
  'updates_received', // of those that the server made in the window
  'requests', 'polls_empty', // in the window: HTTP requests answered; of these, without an update
  'http_request_header_b', 'http_response_header_b', 'http_poll_header_b', // mean of the window's empty polls; the last is the sum
  'wire_b_per_update', 'wire_b_per_poll', // experiment 12: both ways, per update received, per poll without one
  'wire_b_per_client_s', 'wire_up_b_per_client_s', 'wire_down_b_per_client_s', 'server_cpu_us_per_client_s', // per client and second
  'connected_share', // open at the window's end over asked for
  'gone_at_end', // dropped ones that were not back at the end, where clients come back
  'recovery_s', // the longest time from a drop to being back
  'respawn_s', // from the kill of a worker until the server announced another
  'count_difference', // pings by the worker's own count less those that were sent to it
  'wire_up_b', 'wire_down_b', 'wire_up_packets', 'wire_down_packets', 'wire_up_dropped', 'wire_down_dropped', // that passed the client's device in the window, between namespaces
  'handshake_up_b', 'handshake_down_b', // the opening handshake: request and response
  'header_up_b_<n>', 'header_down_b_<n>', // of the frame of a binary message of n bytes, captured
  'frame_excess_b', // captured against RFC 6455, over all messages of an exchange: analysis/wire-to-metrics.awk
  'tls_record_b', // what a TLS record adds to a message that is sent by itself
  'fragments_max', // most frames that one message came in
  '<step>_up_b', '<step>_down_b', '<step>_up_segments', '<step>_down_segments', '<step>_up_overhead_b', '<step>_down_overhead_b', // frames that carry a group of messages: clients/exchange
  'page_rises', 'page_worker_difference', 'page_updates_hz', 'page_lag_p<p>_ms', // a page in a browser: clients/browser
  'latency_p<p>_ms', // from the intended send time
  'service_p<p>_ms', // from the actual send time
  'connect_p<p>_ms', // from the call to connect to the dialect being open
  'connect_us', 'echo_us_<b>', // medians of the window, by the clock of the library's own program: clients/serial
  'echo_slow_share_<b>', // of these, how many took longer than 20 ms
  'warm_drift', 'connect_drift', // by how much the median of the smallest echo, of connecting, differs between the halves of the window
];

const PATTERNS = METRICS.map((name) => new RegExp(`^${name.replace('<role>', '[a-z]+').replace('<mix>', '[a-z]+').replace('<n>', '[0-9]+').replace('<step>', '(single|corked|batched)').replace('<b>', '[0-9]+').replace('<p>', '[0-9]+(\\.[0-9]+)?')}$`));

/** @param {string} name @returns {boolean} */
export const isMetric = (name) => PATTERNS.some((pattern) => pattern.test(name));
