/** A run's metrics for Prometheus. */
import { COUNTED, OF_A_HOST, describeMessages, formatOpenMetrics, gauge, ofHost, readOwnCpu } from '../common/open-metrics.js';
import { countOutcomes, latestByHost } from './view.js';

/** @typedef {import('./view.js').State} State */
/** @typedef {import('../common/open-metrics.js').Metric<State>} Metric */

/** @param {typeof OF_A_HOST[number]} metric @returns {Metric} for each host */
const ofHosts = ({ labels, read, ...metric }) => ({
  ...metric, labels: ['host', ...labels],
  read: ({ seconds }) => latestByHost(seconds).flatMap((second) => ofHost(read(second), second.host)),
});

/** @param {string} counted @returns {Metric} */
const messages = (counted) => ({
  ...describeMessages(counted),
  read: ({ seconds, before }) => {
    const now = new Map(latestByHost(seconds.filter(({ client }) => client)).map(({ host, client }) => [host, client]));
    const hosts = [...new Set([...Object.keys(before), ...now.keys()])];
    return hosts.map((host) => ({ labels: { host }, value: (before[host]?.[counted] ?? 0) + (now.get(host)?.[counted] ?? 0) }));
  },
});

/** @type {Metric[]} */
export const METRICS = [
  gauge('run_info', 'The run: always 1',
    ({ run }) => (run ? [{ labels: { experiment: run.experiment, profile: run.profile, bundle: run.bundle }, value: 1 }] : []),
    ['experiment', 'profile', 'bundle']),
  gauge('run_left_seconds', 'Time that the run will still take, about', ({ trial }) => [{ labels: {}, value: trial?.left_s }]),
  gauge('trials', 'Trials by what became of them: to do, done, flagged by a rule, failed',
    ({ trial, outcomes }) => Object.entries({ planned: trial?.total, ...countOutcomes(outcomes) })
      .map(([state, value]) => ({ labels: { state }, value })), ['state']),
  gauge('trial_info', 'The trial that runs: always 1', ({ trial: of }) => (
    of ? [{ labels: { trial: of.trial, engine: of.engine, workload: of.workload, setting: of.setting }, value: 1 }] : []
  ), ['trial', 'engine', 'workload', 'setting']),
  ...COUNTED.map(messages),
  ...OF_A_HOST.map(ofHosts),
  {
    name: 'wscale_coordinator_cpu_seconds_total', kind: 'Counter', labels: [],
    help: 'CPU time of the process that answers this: what watching costs is part of it',
    read: () => [{ labels: {}, value: readOwnCpu() }],
  },
];

/** @param {State} state @returns {Promise<{type: string, text: string}>} */
export function formatMetrics(state) {
  // Find each host's latest reports once, not again for each metric among thousands of seconds
  const seconds = new Set([...latestByHost(state.seconds.filter(({ client }) => client)), ...latestByHost(state.seconds)]);
  return formatOpenMetrics(METRICS, { ...state, seconds: [...seconds] });
}
