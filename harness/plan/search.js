/**
 * The search for saturation: the highest rate at which no answer is lost and the 99th percentile of latency, from when a message was
 * due, stays within a bound. It probes rising and falling rates on one running server. A closed loop gives a first estimate. Open loops,
 * which do not wait for answers, decide.
 */

import { TrialError } from '../common/failure.js';

/** @typedef {import('../spec/spec.js').Search} Search */
/**
 * @typedef {object} Probed the result of a probe
 * @property {number} offered_hz @property {number} answered @property {number} answered_hz
 * @property {number} p99_ms from when messages were due; Infinity if none was answered
 * @property {number} lost messages due, but not answered by the end of the probe's drain
 * @property {number} late_share share of messages sent late by the load generator itself
 * @property {number} generator_cpu share of its cores used by the generator's busiest process
 */
/** @typedef {'server' | 'load' | undefined} Limit why an offer failed: the server missed the objective, or the generator was full */
/** @typedef {Omit<Probed, 'answered'> & {step: number, loop: 'closed' | 'open', passed: 'yes' | 'no', limit?: Limit}} Step */
/** @typedef {Pick<Search, 'p99_ms_max' | 'resolution' | 'generator_cpu_max'> & {late_share_max: number}} Bounds */

export const SEARCH_COLUMNS = ['step', 'loop', 'offered_hz', 'answered_hz', 'p99_ms', 'lost', 'late_share', 'generator_cpu', 'passed', 'limit'];

/** The next offer as a share of the rate answered by a closed loop, or by a server that fell behind: messages in batches are cheaper. */
const FIRST_SHARE = 0.95;
const STRIDE = 1.4; // until an offer fails, the next is so many times the last, and the stride is squared each time
const STRIDE_MAX = 4; // a disturbed closed loop answers much less than the server can
/** Below this share of an offer, the answered rate shows the server's capacity. A server that answers all too late does not show it. */
const BEHIND = 0.9;
/** Maximum offers to find one that passes, and one near it that fails. */
export const OFFERS_MAX = 12;

const CLIENT_S = 0.5; // start and end of the client, in each search
const PROBE_OVERHEAD_S = 0.4; // its lead and drain, in each probe
const BRACKETING = 3; // usual number of offers until one passed and one failed

/** @param {Search} search @param {number} opening_s @returns {number} approximate seconds */
export const estimateSearchS = ({ probe_s, resolution }, opening_s) =>
  opening_s + CLIENT_S + (1 + BRACKETING + Math.ceil(Math.log2(Math.log(STRIDE) / Math.log1p(resolution)))) * (probe_s + PROBE_OVERHEAD_S);

/**
 * @param {Bounds} bounds
 * @param {(rateHz: number | undefined) => Promise<Probed>} probe offers a rate in an open loop; without a rate, runs a closed
 *   loop
 * @param {Step[]} [steps] receives each offer, even if nothing is found
 * @returns {Promise<{saturation_hz: number, at_least: boolean, steps: Step[]}>} `saturation_hz`: the rate answered at the highest offer
 *   that passed. The lowest offer that failed is higher by a share of `resolution` at most. `at_least`: it failed because of the load
 *   generator, so the server may sustain more
 * @throws {TrialError} if no offer passed, or none failed
 */
export async function findSaturation(bounds, probe, steps = []) {
  const closed = await probe(undefined);
  if (closed.answered === 0) throw new TrialError('a closed loop over all connections had no answer; see whether the server answers: make check-server');
  steps.push({ ...pick(closed), step: 1, loop: 'closed', passed: 'yes' });
  let [passed_hz, failed_hz, saturation_hz] = [0, Infinity, 0];
  /** @type {Limit} */
  let failedBy;
  let next_hz = FIRST_SHARE * closed.answered_hz;
  let stride = STRIDE;
  while (failed_hz > (1 + bounds.resolution) * passed_hz) {
    if (steps.length > OFFERS_MAX) throw nothingFound(bounds, passed_hz, failed_hz, failedBy);
    const probed = await probe(next_hz);
    const { offered_hz, answered_hz } = probed;
    const limit = limitOf(bounds, probed);
    steps.push({ ...pick(probed), step: steps.length + 1, loop: 'open', passed: limit ? 'no' : 'yes', limit });
    if (limit) [failed_hz, failedBy] = [offered_hz, limit];
    else [passed_hz, saturation_hz] = [offered_hz, Math.min(answered_hz, offered_hz)]; // they may include answers to earlier messages
    if (failed_hz === Infinity) [next_hz, stride] = [stride * passed_hz, Math.min(stride ** 2, STRIDE_MAX)];
    else if (passed_hz) next_hz = Math.sqrt(passed_hz * failed_hz);
    else if (limit === 'load') next_hz = failed_hz / STRIDE ** 2; // says nothing about the server
    else if (answered_hz > BEHIND * offered_hz) next_hz = failed_hz / STRIDE;
    else next_hz = Math.max(FIRST_SHARE * answered_hz, failed_hz / STRIDE ** 2);
  }
  return { saturation_hz, at_least: failedBy === 'load', steps };
}

/** @param {Probed} probed @returns {Omit<Probed, 'answered'>} */
const pick = ({ answered: _, ...told }) => told;

/**
 * A full load generator sends late and in batches. The latency may then be its own, and an offer that passes is not the one asked for.
 * @param {Bounds} bounds @param {Probed} probed @returns {Limit}
 */
function limitOf({ p99_ms_max, generator_cpu_max, late_share_max }, { p99_ms, lost, late_share, generator_cpu }) {
  if (generator_cpu > generator_cpu_max || late_share > late_share_max) return 'load';
  return p99_ms > p99_ms_max || lost > 0 ? 'server' : undefined;
}

/** @param {Bounds} bounds @param {number} passedHz @param {number} failedHz @param {Limit} failedBy @returns {TrialError} */
function nothingFound({ p99_ms_max, generator_cpu_max }, passedHz, failedHz, failedBy) {
  const bound = `a p99 under ${p99_ms_max} ms (p99_ms_max) and no loss`;
  if (passedHz) return new TrialError(`the search ended before a rate failed: ${Math.round(passedHz)} a second were still answered with ${bound}; see raw/search`);
  const why = failedBy === 'load' ? `the load makes none in time on ${generator_cpu_max} of its cores (generator_cpu_max)` : `none was answered with ${bound}`;
  return new TrialError(`the search found no rate, down to ${Math.round(failedHz)} a second: ${why}; see raw/search`);
}
