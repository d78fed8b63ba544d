/* eslint max-lines: off -- it is a list, an entry a metric */
/**
 * The dictionary of metrics: each name in the column `metric` of trials.tsv, or `quantity` of tables by the second, with its
 * unit, its definition and its source. What a generator or a companion adds is defined in its own folder (clients/CONTRACT.md).
 * docs/metrics.md is made from this file: `make docs-metrics`.
 */
import { relative } from 'node:path';
import { ROOT } from '../harness/common/places.js';
import { listCompanions, listGenerators, readCompanion, readGenerator } from '../harness/spec/generators.js';

/**
 * @typedef {object} Metric
 * @property {string} name a pattern, in which a word in < > stands for something else: see PLACEHOLDERS
 * @property {string} unit
 * @property {string} definition one sentence
 * @property {string} [source] where the definition comes from, if it is not our own
 * @property {string} computed the file that computes it, or the folder of the generator or companion
 */
/** @typedef {Record<string, {unit: string, definition: string, source?: string}>} Definitions by name */
/** @typedef {{heading: string, computed: string, metrics: Definitions}} Group */

/** What a word in < > stands for; any other for letters and digits. @type {Record<string, string>} */
const PLACEHOLDERS = { role: '[a-z]+', side: '(server|client)', mix: '[a-z]+', b: '[0-9]+', p: '[0-9]+(\\.[0-9]+)?' };

/** @type {Group[]} */
const GROUPS = [
  {
    heading: 'Cost of a message',
    computed: 'analysis/trials/observations.js',
    metrics: {
      server_cpu_s_per_1k: {
        unit: 's',
        definition: 'CPU time of all server processes per 1,000 messages answered in the window.',
        source: 'thesis 3.2',
      },
      client_cpu_s_per_1k: {
        unit: 's',
        definition: 'CPU time of all load processes per 1,000 messages answered in the window.',
        source: 'thesis 3.2',
      },
      server_cpu_s_per_1k_whole: {
        unit: 's',
        definition: 'CPU time of all server processes per 1,000 messages answered, from the first connection to the end of the window.',
        source: 'thesis, chapter 3: its figures start with the first connection',
      },
      client_cpu_s_per_1k_whole: {
        unit: 's',
        definition: 'CPU time of all load processes per 1,000 messages answered, from the first connection to the end of the window.',
        source: 'thesis, chapter 3: its figures start with the first connection',
      },
      '<role>_cpu_s_per_1k': { unit: 's', definition: 'CPU time of all processes of one role per 1,000 messages answered in the window.' },
      messages_per_cpu_s: { unit: '1/s', definition: 'Messages answered in the window per second of CPU time of all server processes.' },
      server_switches_per_1k: {
        unit: 'count',
        definition: 'Context switches of all server processes per 1,000 messages answered in the window.',
        source: 'thesis 3.3; proc(5)',
      },
      server_involuntary_per_1k: {
        unit: 'count',
        definition: 'Context switches of all server processes that the kernel forced, per 1,000 messages answered in the window.',
        source: 'thesis 3.3; proc(5)',
      },
      server_voluntary_hz: {
        unit: '1/s',
        definition: 'Context switches of all server processes that waited for something, a second of the window.',
        source: 'proc(5)',
      },
      server_involuntary_hz: {
        unit: '1/s',
        definition: 'Context switches of all server processes that the kernel forced, a second of the window.',
        source: 'proc(5)',
      },
    },
  },
  {
    heading: 'Load of the cores',
    computed: 'analysis/trials/observations.js',
    metrics: {
      server_cpu_cores: { unit: 'cores', definition: 'Mean CPU use of all server processes in the window.' },
      busiest_cpu_cores: {
        unit: 'cores',
        definition: 'Mean CPU use in the window of the busiest server process, whatever its role.',
        source: 'thesis 3.4',
      },
      '<role>_cpu_cores': {
        unit: 'cores',
        definition: 'Mean CPU use in the window of the busiest process of a role.',
        source: 'thesis 3.4',
      },
      '<role>_cpu_cores_mean': {
        unit: 'cores',
        definition: 'Mean CPU use in the window, over the processes of a role.',
        source: 'thesis 3.6, figure 3.14',
      },
      '<role>_cpu_spread': {
        unit: 'ratio',
        definition: 'CPU use of the busiest process of a role less that of the idlest, over their mean.',
        source: 'thesis 3.1.1',
      },
      '<role>_cpu_max_to_min': {
        unit: 'ratio',
        definition: 'CPU use of the busiest process of a role over that of the idlest.',
        source: 'thesis 3.6',
      },
      '<role>_descriptors_cv': {
        unit: 'ratio',
        definition: 'Coefficient of variation, over the processes of a role, of the descriptors opened since the start.',
        source: 'thesis 3.6',
      },
      capture_cpu_cores: { unit: 'cores', definition: 'Mean CPU use in the window of the samplers and the agent.' },
    },
  },
  {
    heading: 'Cost of a connection',
    computed: 'analysis/trials/observations.js',
    metrics: {
      '<role>_cpu_ms_per_connection': {
        unit: 'ms',
        definition: 'CPU time of a role since the start, less what its messages cost, per connection open at the end.',
      },
      '<role>_rss_mb': { unit: 'MiB', definition: 'Resident memory of the largest process of a role at the end of the window.' },
      '<role>_rss_kb_per_connection': {
        unit: 'KiB',
        definition: 'Resident memory of all processes of a server role at the end of the window, per open connection.',
      },
    },
  },
  {
    heading: 'Memory of an idle connection',
    computed: 'analysis/trials/memory.js',
    metrics: {
      server_b_per_idle_connection: {
        unit: 'B',
        definition: 'Resident memory that the server processes gained since the start, per open connection.',
      },
      kernel_b_per_idle_connection: {
        unit: 'B',
        definition: "The kernel's memory gained since the start, per open connection; of both ends on one machine a half.",
      },
      memory_b_per_idle_connection: { unit: 'B', definition: "The sum of the server's and the kernel's memory per open connection." },
    },
  },
  {
    heading: 'Load offered and answered',
    computed: 'analysis/trials/observations.js',
    metrics: {
      due_hz: { unit: '1/s', definition: 'Messages that the schedule asked for, over all connections, a second of the window.' },
      sent_hz: { unit: '1/s', definition: 'Messages that the clients sent, over all connections, a second of the window.' },
      received_hz: { unit: '1/s', definition: 'Answers that the clients received, over all connections, a second of the window.' },
      answered_share: { unit: 'share', definition: 'Answers received in the window over messages due in it.' },
      connected_share: {
        unit: 'share',
        definition: 'Connections open at the end of the window over those asked for.',
        source: 'thesis 3.3',
      },
      connected_at_end: { unit: 'count', definition: 'Connections open at the end of the window.', source: 'thesis 3.6' },
      failed: { unit: 'count', definition: 'Connections that could not be opened, up to the end of the window.', source: 'thesis 3.3' },
      dropped: { unit: 'count', definition: 'Connections that were lost once open, up to the end of the window.', source: 'thesis 3.3' },
    },
  },
  {
    heading: 'What the clients sum up',
    computed: 'harness/run/client-config.js',
    metrics: {
      connections: { unit: 'count', definition: 'Connections that the clients were asked to open.' },
      gone_at_end: { unit: 'count', definition: 'Dropped connections that were not back at the end, where clients reconnect.' },
      recovery_s: { unit: 's', definition: 'The longest time from the drop of a connection until it was open again.' },
      reach: { unit: 'share', definition: 'Broadcast messages received over those that the connections open at the time should have received.' },
      unanswered_share: {
        unit: 'share',
        definition: 'Answers due in the window that never came; in a sweep only of steps with which the server kept up.',
      },
    },
  },
  {
    heading: 'Latency',
    computed: 'analysis/trials/observations.js',
    metrics: {
      'latency_p<p>_ms': {
        unit: 'ms',
        definition: 'Percentile of the time from the intended sending of a message to its answer.',
        source: "wrk2's correction for coordinated omission (G. Tene)",
      },
      'service_p<p>_ms': { unit: 'ms', definition: 'Percentile of the time from the actual sending of a message to its answer.' },
      'connect_p<p>_ms': {
        unit: 'ms',
        definition: 'Percentile of the time from the call to connect until the dialect is open for messages.',
      },
    },
  },
  {
    heading: 'Saturation',
    computed: 'harness/run/saturate.js',
    metrics: {
      saturation_hz: {
        unit: '1/s',
        definition: 'The highest rate, over all connections, that a search found answered without falling behind.',
      },
      saturation_at_least: {
        unit: '0 or 1',
        definition: "1 where the search ended because the load's own core was full, so the server may answer more.",
      },
    },
  },
  {
    heading: 'At a share of saturation',
    computed: 'analysis/points/shares.js',
    metrics: {
      'messages_per_cpu_s_at_<p>': {
        unit: '1/s',
        definition: 'Messages answered per second of CPU time of the server, at so many percent of its saturation.',
      },
      'server_cpu_us_at_<p>': { unit: 'us', definition: 'CPU time of the server per message, at so many percent of its saturation.' },
      'server_cpu_cores_at_<p>': { unit: 'cores', definition: 'Mean CPU use of the server, at so many percent of its saturation.' },
      'latency_p50_ms_at_<p>': { unit: 'ms', definition: 'Median latency from the intended sending, at so many percent of saturation.' },
      'latency_p99_ms_at_<p>': {
        unit: 'ms',
        definition: '99th percentile of the latency from the intended sending, at so many percent of saturation.',
      },
      messages_per_cpu_s_at_load_80: {
        unit: '1/s',
        definition: 'Messages answered per second of CPU time where the server keeps 80 % of a core busy.',
      },
      server_cpu_ms_per_connection: {
        unit: 'ms',
        definition: 'CPU time of all roles of the server to open a connection, where its saturation was found before.',
      },
    },
  },
  {
    heading: 'In a mix of loads',
    computed: 'analysis/points/mixes.js',
    metrics: {
      '<side>_cpu_s_per_1k_at_<mix>': {
        unit: 's',
        definition:
          'CPU time of the server, or of the load, per 1,000 messages of a load that opens, keeps and uses connections, computed from a sweep.',
        source: 'thesis 3.2',
      },
    },
  },
  {
    heading: 'On the wire, between network namespaces',
    computed: 'harness/agent/network.js',
    metrics: {
      wire_up_b: { unit: 'B', definition: "Bytes of Ethernet frames that left the client's device in the window.", source: 'proc(5)' },
      wire_down_b: { unit: 'B', definition: "Bytes of Ethernet frames that reached the client's device in the window.", source: 'proc(5)' },
      wire_up_packets: { unit: 'count', definition: "Packets that left the client's device in the window.", source: 'proc(5)' },
      wire_down_packets: { unit: 'count', definition: "Packets that reached the client's device in the window.", source: 'proc(5)' },
      wire_up_dropped: { unit: 'count', definition: "Packets from the client that its device dropped in the window.", source: 'proc(5)' },
      wire_down_dropped: { unit: 'count', definition: "Packets to the client that the server's device dropped in the window.", source: 'proc(5)' },
    },
  },
  {
    heading: 'Faults',
    computed: 'harness/agent/fault.js',
    metrics: {
      respawn_s: { unit: 's', definition: 'Time from the kill of a worker until the server announced another.' },
    },
  },
  {
    heading: 'Clocks of several hosts',
    computed: 'harness/run/clocks.js',
    metrics: {
      clock_bound_ms: {
        unit: 'ms',
        definition: "The most by which a server's time less a client's may be wrong.",
        source: 'D. L. Mills, RFC 5905, section 8',
      },
      clock_drift_ppm: { unit: 'ppm', definition: "The most by which a host's clock drew away from the coordinator's during the trial." },
    },
  },
  {
    heading: 'Second by second: load.tsv and threads.tsv',
    computed: 'analysis/trials/bundle.js',
    metrics: {
      cpu_pct: { unit: '% of a core', definition: 'CPU use of a process, a thread or (in system.tsv) a core of the machine in the second.', source: 'top(1), sar(1)' },
      connected: { unit: 'count', definition: 'Connections that are open at the end of the second.' },
    },
  },
  {
    heading: 'Second by second: system.tsv, the machine',
    computed: 'analysis/captures/sar-to-series.awk',
    metrics: {
      switches_hz: { unit: '1/s', definition: 'Context switches of the whole machine.', source: 'sar(1)' },
      load_1min: { unit: 'count', definition: "The kernel's load average of the last minute.", source: 'sar(1)' },
      running: { unit: 'count', definition: 'Tasks that run or wait for a core at the end of the second.', source: 'sar(1)' },
    },
  },
  {
    heading: 'Second by second: system.tsv, each process',
    computed: 'analysis/captures/pidstat-to-series.awk',
    metrics: {
      voluntary_hz: { unit: '1/s', definition: "Context switches of a process's first thread when it had to wait for something.", source: 'pidstat(1)' },
      involuntary_hz: { unit: '1/s', definition: "Context switches of a process's first thread that the kernel forced.", source: 'pidstat(1)' },
    },
  },
];

/** @returns {Group[]} of generators and companions, each from its own folder */
function listOwnGroups() {
  const parts = [...listGenerators().map(readGenerator), ...listCompanions().map(readCompanion)];
  return parts.flatMap(({ name, folder, metrics }) =>
    metrics ? [{ heading: `Of ${name}`, computed: relative(ROOT, folder), metrics }] : [],
  );
}

/** @type {Group[] | undefined} */
let all;

/** @returns {Group[]} the whole dictionary */
export const listGroups = () => (all ??= [...GROUPS, ...listOwnGroups()]);

/** @returns {Metric[]} */
export const listMetrics = () =>
  listGroups().flatMap(({ computed, metrics }) => Object.entries(metrics).map(([name, definition]) => ({ name, ...definition, computed })));

/** @param {string} pattern such as "echo_us_<b>" @returns {RegExp} */
const expressionOf = (pattern) => new RegExp(`^${pattern.replace(/<([a-z]+)>/g, (_, word) => PLACEHOLDERS[word] ?? '[a-z0-9]+')}$`);

/** @type {Map<string, Metric | undefined>} */
const found = new Map();

/**
 * Of two patterns that a name fits the one with more letters of its own defines it.
 * @param {string} name such as "worker_cpu_cores"
 * @returns {Metric | undefined} none where the dictionary does not have it
 */
export function findMetric(name) {
  if (!found.has(name)) {
    const letters = (/** @type {Metric} */ metric) => metric.name.replaceAll(/<[a-z]+>/g, '').length;
    const fitting = listMetrics().filter((metric) => expressionOf(metric.name).test(name));
    found.set(name, fitting.sort((a, b) => letters(b) - letters(a))[0]);
  }
  return found.get(name);
}
