/** What a run tells Prometheus: OpenMetrics, by prom-client, which is loaded when it is first asked for. */
import { COUNTED, countOutcomes, latestByHost } from './view.js';

/** @typedef {import('./view.js').State} State */
/** @typedef {import('./view.js').Second} Second */
/** @typedef {{labels: Record<string, string>, value: number | null | undefined}} Sample of no value is left out */
/** @typedef {{name: string, kind: 'Gauge' | 'Counter', help: string, labels: string[], read: (state: State) => Sample[]}} Metric */

/** @param {(second: Second) => number | null | undefined} read @returns {(state: State) => Sample[]} a sample of each host */
const ofHosts = (read) => ({ seconds }) => latestByHost(seconds).map((second) => ({ labels: { host: second.host }, value: read(second) }));

/** @param {string} counted @returns {Metric} over all trials, so that it never falls */
const messages = (counted) => ({
  name: `wscale_messages_${counted}_total`, kind: 'Counter', labels: ['host'],
  help: `Messages ${counted}, as the clients of a host count them, over all trials of the run`,
  read: ({ seconds, before }) => {
    const now = new Map(latestByHost(seconds.filter(({ client }) => client)).map(({ host, client }) => [host, client]));
    const hosts = [...new Set([...Object.keys(before), ...now.keys()])];
    return hosts.map((host) => ({ labels: { host }, value: (before[host]?.[counted] ?? 0) + (now.get(host)?.[counted] ?? 0) }));
  },
});

/** @type {Metric[]} */
export const METRICS = [
  {
    name: 'wscale_run_info', kind: 'Gauge', labels: ['experiment', 'profile', 'bundle'], help: 'The run: always 1',
    read: ({ run }) => (run ? [{ labels: { experiment: run.experiment, profile: run.profile, bundle: run.bundle }, value: 1 }] : []),
  },
  {
    name: 'wscale_run_left_seconds', kind: 'Gauge', labels: [], help: 'Time that the run will still take, about',
    read: ({ trial }) => [{ labels: {}, value: trial?.left_s }],
  },
  {
    name: 'wscale_trials', kind: 'Gauge', labels: ['state'], help: 'Trials by what became of them: to do, done, flagged by a rule, failed',
    read: ({ trial, outcomes }) => Object.entries({ planned: trial?.total, ...countOutcomes(outcomes) })
      .map(([state, value]) => ({ labels: { state }, value })),
  },
  {
    name: 'wscale_trial_info', kind: 'Gauge', labels: ['trial', 'engine', 'workload', 'setting'], help: 'The trial that runs: always 1',
    read: ({ trial }) => (trial
      ? [{ labels: { trial: trial.trial, engine: trial.engine, workload: trial.workload, setting: trial.setting }, value: 1 }] : []),
  },
  {
    name: 'wscale_load_seconds', kind: 'Gauge', labels: ['host'], help: 'Seconds since the load of the trial began', read: ofHosts(({ t_s }) => t_s),
  },
  {
    name: 'wscale_connections', kind: 'Gauge', labels: ['host'], help: 'Connections that the clients of a host hold',
    read: ofHosts(({ client }) => client?.connected),
  },
  ...COUNTED.map(messages),
  {
    name: 'wscale_latency_seconds', kind: 'Gauge', labels: ['host', 'percentile'],
    help: 'Time from when a message was due to its answer, of those due in the last second; percentiles of hosts do not add up',
    read: ({ seconds }) => latestByHost(seconds).flatMap(({ host, client }) => ['50', '99'].map((percentile) => (
      { labels: { host, percentile }, value: toSeconds(client?.[`latency_p${percentile}_us`]) }
    ))),
  },
  {
    name: 'wscale_cpu_cores', kind: 'Gauge', labels: ['host', 'role'], help: 'Cores that the processes of a role used in the last second',
    read: ({ seconds }) => latestByHost(seconds).flatMap(({ host, cores = {} }) => (
      Object.entries(cores).map(([role, value]) => ({ labels: { host, role }, value }))
    )),
  },
  {
    name: 'wscale_tcp_connections', kind: 'Gauge', labels: ['host'], help: 'TCP connections in the network namespace of the server',
    read: ofHosts(({ established }) => established),
  },
  {
    name: 'wscale_tcp_segments_per_second', kind: 'Gauge', labels: ['host'], help: 'TCP segments that came in there in the last second',
    read: ofHosts(({ segments_hz }) => segments_hz),
  },
  {
    name: 'wscale_doubts', kind: 'Gauge', labels: ['host'], help: 'Doubts that the agent of a host has of the trial that runs',
    read: ofHosts(({ doubts }) => doubts.length),
  },
  {
    name: 'wscale_coordinator_cpu_seconds_total', kind: 'Counter', labels: [],
    help: 'CPU time of the process that answers this: what watching costs is part of it',
    read: () => {
      const { user, system } = process.cpuUsage();
      return [{ labels: {}, value: (user + system) / 1e6 }];
    },
  },
];

/** @param {number | undefined} us */
const toSeconds = (us) => (us === undefined ? undefined : us / 1e6);

/** @param {State} state @returns {Promise<{type: string, text: string}>} */
export async function formatMetrics(state) {
  const prometheus = /** @type {any} */ (await import('prom-client'));
  const registry = new prometheus.Registry(prometheus.Registry.OPENMETRICS_CONTENT_TYPE);
  for (const { name, kind, help, labels, read } of METRICS) {
    const metric = new prometheus[kind]({ name, help, labelNames: labels, registers: [registry] });
    if (labels.length === 0) metric.remove(); // it would begin with a 0 that nobody counted
    for (const { labels: of, value } of read(state)) if (typeof value === 'number') metric.inc(of, value);
  }
  return { type: registry.contentType, text: await registry.metrics() };
}
