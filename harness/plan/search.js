/**
 * The search for saturation: the highest rate at which the 99th percentile of the latency, from when a message was due, stays under a
 * stated bound and no answer is lost. It is found in probes of rising and falling rates on one running server. A closed loop says about
 * where it lies; open loops, which do not wait for answers, decide.
 */

import { TrialError } from '../common/failure.js';

/** @typedef {import('../spec/spec.js').Search} Search */
/**
 * @typedef {object} Probed what a probe came to
 * @property {number} offered_hz @property {number} answered @property {number} answered_hz
 * @property {number} p99_ms from when messages were due; Infinity where none was answered
 * @property {number} lost messages that fell due, and were not answered when the probe's drain was over
 * @property {number} late_share of the messages: sent late by the load's own doing
 * @property {number} generator_cpu share of its cores that the busiest process of the load used
 */
/** @typedef {'server' | 'load' | undefined} Limit what an offer failed by: the server missed the objective, or the load was full */
/**
 * @typedef {Omit<Probed, 'answered'> & {step: number, loop: 'closed' | 'open', passed: 'yes' | 'no', limit?: Limit}} Step
 */
/** @typedef {Pick<Search, 'p99_ms_max' | 'resolution' | 'generator_cpu_max'> & {late_share_max: number}} Bounds */

const NUMBERS = /** @type {const} */ (['offered_hz', 'answered_hz', 'p99_ms', 'lost', 'late_share', 'generator_cpu']);
export const SEARCH_COLUMNS = ['step', 'loop', ...NUMBERS, 'passed', 'limit'];

/** What is offered, as a share of what a closed loop, or a server that fell behind, answered: messages in company are cheaper. */
const FIRST_SHARE = 0.95;
const STRIDE = 1.4; // until one failed, the next offer is so many times the last, and each stride the last one squared
const STRIDE_MAX = 4; // a closed loop that was disturbed says much too little
/** A server that answers less than this share of an offer shows how much it answers; one that answers all, too late, does not. */
const BEHIND = 0.9;
/** Offers at most, to find one that passes and one that fails near it. */
export const OFFERS_MAX = 12;

const CLIENT_S = 0.5; // what starting and ending the client adds to a search, and what its lead and its drain add to each probe
const PROBE_OVERHEAD_S = 0.4;
const BRACKETING = 3; // offers that it mostly takes until one passed and one failed

/** @param {Search} search @param {number} opening_s @returns {number} seconds, about */
export const estimateSearchS = ({ probe_s, resolution }, opening_s) =>
  opening_s + CLIENT_S + (1 + BRACKETING + Math.ceil(Math.log2(Math.log(STRIDE) / Math.log1p(resolution)))) * (probe_s + PROBE_OVERHEAD_S);

/**
 * @param {Bounds} bounds
 * @param {(rateHz: number | undefined) => Promise<Probed>} probe offers a rate in open loop; without one, in closed loop, as much as is
 *   answered
 * @param {Step[]} [steps] to add each offer to: they are there too where nothing is found
 * @returns {Promise<{saturation_hz: number, at_least: boolean, steps: Step[]}>} the rate that was answered at the highest offer that
 *   passed; the lowest that failed is higher by a share of `resolution` at most. at_least: that one failed by the load, so that the
 *   server may meet the objective at more
 * @throws {TrialError} when no offer passed, or none failed
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
    else [passed_hz, saturation_hz] = [offered_hz, Math.min(answered_hz, offered_hz)]; // answers to what was due before may be among them
    if (failed_hz === Infinity) [next_hz, stride] = [stride * passed_hz, Math.min(stride ** 2, STRIDE_MAX)];
    else if (passed_hz) next_hz = Math.sqrt(passed_hz * failed_hz);
    else if (limit === 'load') next_hz = failed_hz / STRIDE ** 2; // which says nothing of what the server answers
    else if (answered_hz > BEHIND * offered_hz) next_hz = failed_hz / STRIDE;
    else next_hz = Math.max(FIRST_SHARE * answered_hz, failed_hz / STRIDE ** 2);
  }
  return { saturation_hz, at_least: failedBy === 'load', steps };
}

/** @param {Probed} probed @returns {Omit<Probed, 'answered'>} */
const pick = ({ answered: _, ...told }) => told;

/**
 * Where the load is full, messages go out late and in company: what is late may be the load, and what passes is not what was asked for.
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
