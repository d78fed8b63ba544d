/** The state of a current run, and its presentation in harness, terminal and page. It imports nothing, because the page inlines it. */

/**
 * @typedef {import('../common/open-metrics.js').HostSecond & {host: string, told_s?: number}} Second One second of a load, sent by one
 *   host's agent; `told_s`: time of its clients' reports, since the start of the load
 */
/** @typedef {Record<string, number>} Client connected; due, sent, received and their rates `…_hz`; latency_p50_us, latency_p99_us */
/** @typedef {{experiment: string, title: string, profile: string, bundle: string, hosts: string[]}} Run */
/**
 * @typedef {{trial: string, engine: string, workload: string, setting: string, from_s: number, to_s: number, number: number, total: number,
 *   left_s: number}} Trial `number` counts among the trials to do
 */
/** @typedef {{trial: string, outcome: string} & Pick<Trial, 'number' | 'total' | 'left_s'>} Outcome such as "flagged: foreign-cpu" */
/** @typedef {{how: string, claims: string[]}} Ended `claims`: claims and verdicts, in words */
/**
 * @typedef {{run?: Run, trial?: Trial, seconds: Second[], outcomes: Outcome[], ended?: Ended, before: Record<string, Client>}} State
 *   `seconds`: of the current trial; `before`: counts of each host's clients in earlier trials
 */

/** Seconds kept, over all hosts. A new watcher is sent them all. */
const SECONDS_MAX = 3000;
const OUTCOMES_MAX = 200;
/** The same as in common/open-metrics.js. */
const COUNTED = ['due', 'sent', 'received'];

/** @returns {State} */
export const emptyState = () => ({ seconds: [], outcomes: [], before: {} });

/** State changes by event. @type {Record<string, (state: State, data: any) => void>} */
const CHANGES = {
  run: (state, run) => {
    countTrial(state);
    Object.assign(state, { run, trial: undefined, seconds: [], outcomes: [], ended: undefined });
  },
  trial: (state, trial) => {
    countTrial(state);
    Object.assign(state, { trial, seconds: [] });
  },
  second: ({ seconds }, second) => {
    seconds.push(second);
    if (seconds.length > SECONDS_MAX) seconds.splice(0, SECONDS_MAX / 10);
  },
  outcome: ({ outcomes }, outcome) => {
    outcomes.push(outcome);
    if (outcomes.length > OUTCOMES_MAX) outcomes.shift();
  },
  ended: (state, ended) => Object.assign(state, { ended }),
};

/** @param {State} state @param {string} event @param {any} data */
export function apply(state, event, data) {
  CHANGES[event]?.(state, data);
}

/** Add the counts of a trial's clients to those of earlier trials. @param {State} state */
function countTrial(state) {
  for (const { host, client } of latestByHost(state.seconds.filter((second) => second.client))) {
    state.before[host] = Object.fromEntries(COUNTED.map((name) => [name, (state.before[host]?.[name] ?? 0) + (client?.[name] ?? 0)]));
  }
}

/** @param {Second[]} seconds @returns {Second[]} the latest of each host */
export const latestByHost = (seconds) => [...new Map(seconds.map((second) => [second.host, second])).values()];

/** Percentiles do not add up. @param {Second[]} seconds of several hosts @returns {Second} sums; the worst of the latencies */
export function sumHosts(seconds) {
  /** @type {Record<string, number>} */
  const cores = {};
  /** @type {Client} */
  const client = {};
  for (const second of seconds) {
    for (const [role, used] of Object.entries(second.cores ?? {})) cores[role] = (cores[role] ?? 0) + used;
    for (const [name, value] of Object.entries(second.client ?? {})) {
      client[name] = name.startsWith('latency') ? Math.max(client[name] ?? 0, value) : (client[name] ?? 0) + value;
    }
  }
  const sum = (/** @type {'established' | 'segments_hz'} */ name) => seconds.reduce((total, second) => total + (second[name] ?? 0), 0);
  const warnings = [...new Set(seconds.flatMap((second) => second.warnings))];
  const t_s = Math.max(...seconds.map((second) => second.t_s));
  return { host: 'all', t_s, established: sum('established'), segments_hz: sum('segments_hz'), cores, client, warnings };
}

/** @param {Second[]} seconds @param {string} [host] by default all @returns {Second[]} one per second of the load */
export function listSeconds(seconds, host) {
  const own = host === undefined ? seconds : seconds.filter((second) => second.host === host);
  return [...Map.groupBy(own, (second) => second.t_s).values()].map(sumHosts).sort((a, b) => a.t_s - b.t_s);
}

/** @param {Outcome[]} outcomes @returns {{done: number, flagged: number, failed: number}} */
export function countOutcomes(outcomes) {
  const count = (/** @type {string} */ word) => outcomes.filter(({ outcome }) => outcome.startsWith(word)).length;
  return { done: count('done'), flagged: count('flagged'), failed: count('failed') };
}

/** @param {number | null | undefined} value @param {number} [decimals] @returns {string} "-" without a value */
export const formatNumber = (value, decimals = 0) => (typeof value === 'number' && Number.isFinite(value)
  ? value.toLocaleString('en-US', { minimumFractionDigits: decimals, maximumFractionDigits: decimals }) : '-');

/** @param {number | undefined} us @returns {string} ms */
export const formatMs = (us) => formatNumber(us === undefined ? undefined : us / 1000, us !== undefined && us >= 100_000 ? 0 : 2);

/** Smallest use of a role to show. */
const CORES_MIN = 0.005;

/** @param {Record<string, number> | undefined} cores @returns {string} the busiest roles first */
export const formatCores = (cores = {}) => Object.entries(cores).filter(([, used]) => used >= CORES_MIN).sort(([, a], [, b]) => b - a)
  .map(([role, used]) => `${role} ${used.toFixed(2)}`).join(', ') || '-';

/** @param {number} seconds @returns {string} */
function formatLeft(seconds) {
  const whole = Math.max(0, Math.round(seconds));
  const minutes = Math.floor(whole / 60);
  return minutes >= 60 ? `${Math.floor(minutes / 60)} h ${minutes % 60} min` : minutes ? `${minutes} min ${whole % 60} s` : `${whole} s`;
}

/** @param {State} state @returns {string[]} the run, its progress, and the trial, in words */
export function describeRun({ run, trial, outcomes, seconds, ended }) {
  if (!run) return ['No run has begun yet.'];
  const { done, flagged, failed } = countOutcomes(outcomes);
  const last = outcomes.at(-1);
  const at = trial ? `trial ${trial.number} of ${trial.total}` : 'before the first trial';
  const left_s = last?.number === trial?.number ? last?.left_s : trial?.left_s;
  const validity = `${done} done, ${flagged} flagged, ${failed} failed`;
  const left = left_s === undefined ? '' : `, about ${formatLeft(left_s)} left`;
  const progress = ended ? `${ended.how}; ${validity}` : `${at}${left}; ${validity}`;
  return [`${run.experiment}, ${run.profile}: ${run.title}`, progress, ...(trial && !ended ? [describeTrial({ trial, seconds })] : [])];
}

/** @param {Pick<State, 'trial' | 'seconds'>} state @returns {string} the current trial, and its progress */
export function describeTrial({ trial: current, seconds }) {
  if (!current) return '';
  const { trial, from_s, to_s } = current;
  if (seconds.length === 0) return `${trial}: starts`;
  const t_s = Math.max(...seconds.map((second) => second.t_s)) + 1;
  const { due, received } = sumHosts(latestByHost(seconds)).client ?? {};
  const answered = due && received !== undefined ? `, ${formatNumber(received)} of ${formatNumber(due)} answered` : '';
  return `${trial}: ${t_s} s of ${to_s} s, ${t_s <= from_s ? 'before the window' : 'in the window'}${answered}`;
}
