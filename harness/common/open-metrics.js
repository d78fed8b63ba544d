/** OpenMetrics by prom-client, loaded at first use, and the metrics of one host, exported by agent and coordinator. */

/** @typedef {{labels: Record<string, string>, value: number | null | undefined}} Sample left out without a value */
/** @template T @typedef {{name: string, kind: 'Gauge' | 'Counter', help: string, labels: string[], read: (state: T) => Sample[]}} Metric */
/**
 * @typedef {{t_s: number, established?: number | null, segments_hz?: number | null, cores?: Record<string, number>,
 *   client?: Record<string, number>, warnings: string[]}} HostSecond of a load, from the agent of a host: `t_s` since the load began,
 *   `established` TCP connections in the server's network namespace, `cores` by role, `client` if its clients report it
 */

/** @param {(second: HostSecond) => number | null | undefined} read @returns {(second: HostSecond) => Sample[]} */
const alone = (read) => (second) => [{ labels: {}, value: read(second) }];

/** @param {number | undefined} us */
const toSeconds = (us) => (us === undefined ? undefined : us / 1e6);

/**
 * @template T @param {string} name @param {string} help @param {(state: T) => Sample[]} read @param {string[]} [labels]
 * @returns {Metric<T>}
 */
export const gauge = (name, help, read, labels = []) => ({ name: `wscale_${name}`, kind: 'Gauge', labels, help, read });

/** Each also has the label `host`. @type {Metric<HostSecond>[]} */
export const OF_A_HOST = [
  gauge('load_seconds', 'Seconds since the load of the trial began', alone(({ t_s }) => t_s)),
  gauge('connections', 'Connections that the clients of a host hold', alone(({ client }) => client?.connected)),
  gauge('latency_seconds', 'Time from when a message was due to its answer, of those due in the last second; percentiles of hosts do not add up',
    ({ client }) => ['50', '99'].map((percentile) => ({ labels: { percentile }, value: toSeconds(client?.[`latency_p${percentile}_us`]) })), ['percentile']),
  gauge('cpu_cores', 'Cores that the processes of a role used in the last second',
    ({ cores = {} }) => Object.entries(cores).map(([role, value]) => ({ labels: { role }, value })), ['role']),
  gauge('tcp_connections', 'TCP connections in the network namespace of the server', alone(({ established }) => established)),
  gauge('tcp_segments_per_second', 'TCP segments that came in there in the last second', alone(({ segments_hz }) => segments_hz)),
  gauge('warnings', 'Warnings of the agent of a host about the trial that runs', alone(({ warnings }) => warnings.length)),
];

/** Counted over all trials of a run, so that the counters never fall. */
export const COUNTED = ['due', 'sent', 'received'];

/** @param {string} counted @returns {{name: string, kind: 'Counter', help: string, labels: string[]}} */
export const describeMessages = (counted) => ({
  name: `wscale_messages_${counted}_total`, kind: 'Counter', labels: ['host'],
  help: `Messages ${counted}, as the clients of a host count them, over all trials of the run`,
});

/** @param {Sample[]} samples @param {string} host @returns {Sample[]} */
export const ofHost = (samples, host) => samples.map(({ labels, value }) => ({ labels: { host, ...labels }, value }));

/** CPU time of this process, s. */
export function readOwnCpu() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** @template T @param {Metric<T>[]} metrics @param {T} state @returns {Promise<{type: string, text: string}>} */
export async function formatOpenMetrics(metrics, state) {
  const prometheus = /** @type {any} */ (await import('prom-client'));
  const registry = new prometheus.Registry(prometheus.Registry.OPENMETRICS_CONTENT_TYPE);
  for (const { name, kind, help, labels, read } of metrics) {
    const metric = new prometheus[kind]({ name, help, labelNames: labels, registers: [registry] });
    if (labels.length === 0) metric.remove(); // else it would begin with a 0 that nobody counted
    for (const { labels: of, value } of read(state)) if (typeof value === 'number') metric.inc(of, value);
  }
  return { type: registry.contentType, text: await registry.metrics() };
}

/** Other names may be of a foreign page with a name that resolves to here ("DNS rebinding"). @param {string} [host] header of a request */
export const isOwnName = (host = '') => /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i.test(host);
