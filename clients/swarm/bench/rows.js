/** The rows of bench-swarm's report. Each is a quantity, or a ratio of two within a repeat, and may have a requirement on its median. */
import { GENERATORS, IDLE_CONNECTIONS, LOADS, describeLoad, listGenerators } from './plan.js';

/** @typedef {import('./plan.js').Planned & {values: import('./generators.js').Values}} Run */
/** @typedef {import('./plan.js').Beside} Beside */
/** @typedef {{words: string, isMet: (median: number) => boolean}} Requirement */
/**
 * @typedef {object} Row
 * @property {string} id
 * @property {string} load in words
 * @property {string} what
 * @property {string} of `load/generator/metric`
 * @property {string} [to] likewise: denominator, if the row is a ratio
 * @property {number} [factor] converts the metric's unit to the row's
 * @property {Requirement} [requirement]
 */
/** @typedef {Row & {rate: Row}} ShareRow a generator's share of the limit, with its rate */

/** @param {number} bound @param {string} [unit] @returns {Requirement} */
const atLeast = (bound, unit = '') => ({ words: `≥ ${bound}${unit}`, isMet: (median) => median >= bound });
/** @param {number} bound @param {string} [unit] @returns {Requirement} */
const below = (bound, unit = '') => ({ words: `< ${bound}${unit}`, isMet: (median) => median < bound });

/**
 * Required share of the limit for swarm against the Rust echo server, by messages outstanding.
 * @type {Record<number, Requirement>}
 */
const SHARE_OF_LIMIT = { 1: atLeast(0.95), 16: atLeast(0.8) };
/** Requirements by generator. @type {Partial<Record<import('./plan.js').Generator, (outstanding: number) => Requirement>>} */
const REQUIRED = {
  tcp: (outstanding) => SHARE_OF_LIMIT[outstanding],
  ws: (outstanding) => SHARE_OF_LIMIT[outstanding],
  wss: () => atLeast(0.9),
  deflate: () => atLeast(0.9),
};
const B_PER_MB = 1e6;

/** @returns {string[]} ids of the loads of this kind @param {import('./plan.js').Load['kind']} kind */
const listLoads = (kind) => Object.keys(LOADS).filter((id) => LOADS[id].kind === kind);

/**
 * Rates in closed loop, and their shares of the limit or of another swarm. The denominator is first.
 * @param {Beside} beside @returns {ShareRow[]}
 */
export function listShareRows(beside) {
  return listLoads('closed').flatMap((id) => listGenerators(id, beside).map((generator) => {
    const what = GENERATORS[generator];
    const load = describeLoad(LOADS[id]);
    const of = `${id}/${generator}/rate_hz`;
    const { outstanding } = /** @type {import('./plan.js').Closed} */ (LOADS[id]);
    const limit = listGenerators(id, beside)[0];
    const requirement = limit === 'baseline' ? undefined : REQUIRED[generator]?.(outstanding);
    return { id: `${of}/limit`, load, what, of, to: `${id}/${limit}/rate_hz`, requirement, rate: { id: of, load, what, of } };
  }));
}

/** @returns {Row[]} */
function listOpenRows() {
  return listLoads('open').flatMap((id) => {
    /** @param {string} metric @param {string} what @param {Requirement} [requirement] @returns {Row} */
    const row = (metric, what, requirement) =>
      ({ id: `${id}/${metric}`, load: describeLoad(LOADS[id]), what, of: `${id}/ws/${metric}`, requirement });
    return [
      row('client_cpu_cores', 'CPU of swarm, cores', below(0.5)),
      row('late_pct', 'sends more than 1 ms late, %', below(0.1)),
      ...[50, 99, 99.9].map((percentile) => row(`latency_p${percentile}_us`, `latency p${percentile}, µs`)),
    ];
  });
}

/** @returns {Row[]} */
function listHandshakeRows() {
  const load = describeLoad(LOADS.handshakes);
  const [sTime, swarm] = ['handshakes/s-time/rate_hz', 'handshakes/tls/rate_hz'];
  return [
    { id: sTime, load, what: `${GENERATORS['s-time']}, a second`, of: sTime },
    { id: swarm, load, what: `${GENERATORS.tls}, a second`, of: swarm },
    { id: `${swarm}/s-time`, load, what: 'swarm tls:// / openssl s_time', of: swarm, to: sTime, requirement: atLeast(0.9) },
  ];
}

/** @returns {Row[]} */
function listIdleRows() {
  const row = (/** @type {Pick<Row, 'what' | 'of' | 'factor' | 'requirement'>} */ rest) =>
    ({ id: rest.of, load: describeLoad(LOADS['idle-many']), ...rest });
  return [
    row({ what: 'peak resident memory (VmHWM), MB', of: 'idle-many/ws/rss_peak_b', factor: 1 / B_PER_MB, requirement: below(40) }),
    row({ what: 'resident memory while held (VmRSS), MB', of: 'idle-many/ws/rss_b', factor: 1 / B_PER_MB }),
    row({ what: 'bytes a connection, beyond a process with one', of: 'idle-many/ws/connection_b' }),
  ];
}

/** @returns {Row[]} ratios of swarm's rate to k6's, for loads with k6 */
function listPeerRows() {
  const both = listLoads('closed').filter((id) => listGenerators(id, { peers: true }).includes('k6'));
  return both.map((id) => ({
    id: `${id}/ws/k6`, load: describeLoad(LOADS[id]), what: 'swarm ws:// / k6', of: `${id}/ws/rate_hz`, to: `${id}/k6/rate_hz`,
    requirement: atLeast(3),
  }));
}

/** @param {Beside} beside @returns {Row[]} all rows that are not shares of the limit */
export function listOtherRows({ peers }) {
  return [...listOpenRows(), ...listHandshakeRows(), ...listIdleRows(), ...(peers ? listPeerRows() : [])];
}

/** @param {Run[]} runs @returns {Map<string, number>} by `repeat/load/generator/metric` */
function indexValues(runs) {
  const values = new Map(runs.flatMap(({ repeat, load, generator, values: own }) =>
    Object.entries(own).map(([metric, value]) => /** @type {[string, number]} */ ([`${repeat}/${load}/${generator}/${metric}`, value]))));
  for (const repeat of new Set(runs.map((run) => run.repeat))) {
    const [many, one] = ['idle-many', 'idle-one'].map((load) => values.get(`${repeat}/${load}/ws/rss_b`));
    if (many !== undefined && one !== undefined) values.set(`${repeat}/idle-many/ws/connection_b`, (many - one) / (IDLE_CONNECTIONS - 1));
  }
  return values;
}

/**
 * The values of rows per repeat, from which intervals are computed. A repeat without the row's run has no value.
 * @param {Row[]} rows @param {Run[]} runs
 * @returns {{row: string, repeat: number, value: number}[]}
 */
export function listRowValues(rows, runs) {
  const values = indexValues(runs);
  const repeats = [...new Set(runs.map(({ repeat }) => repeat))].sort((a, b) => a - b);
  return rows.flatMap(({ id, of, to, factor = 1 }) => repeats.flatMap((repeat) => {
    const above = values.get(`${repeat}/${of}`);
    const beneath = to === undefined ? 1 : values.get(`${repeat}/${to}`);
    return above === undefined || !beneath ? [] : [{ row: id, repeat, value: (above * factor) / beneath }];
  }));
}
