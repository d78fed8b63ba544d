/**
 * The search for saturation: the highest rate that a server answers without falling behind, found in probes of rising and falling
 * rates on one running server. A closed loop says about where it lies; open loops, which do not wait for answers, decide.
 */

import { TrialError } from '../common/failure.js';

/** @typedef {import('../spec/spec.js').Search} Search */
/**
 * @typedef {{offered_hz: number, due: number, answered: number, answered_hz: number, generator_cpu?: number}} Probed what a probe came to;
 *   generator_cpu: use of a core by the busiest process of the load, where it tells it
 */
/** @typedef {'server' | 'load' | undefined} Limit what an offer failed by: the server fell behind, or the load's own core was full */
/**
 * @typedef {{step: number, loop: 'closed' | 'open', offered_hz: number, answered_hz: number, behind_share: number,
 *   generator_cpu?: number, passed: 'yes' | 'no', limit?: Limit}} Step
 */

export const SEARCH_COLUMNS = ['step', 'loop', 'offered_hz', 'answered_hz', 'behind_share', 'generator_cpu', 'passed', 'limit'];

/** What is offered, as a share of what a closed loop, or a server that fell behind, answered: messages in company are cheaper. */
const FIRST_SHARE = 0.95;
const STRIDE = 1.4; // until one failed, the next offer is so many times the last
/** Offers at most, to find one that passes and one that fails near it. */
export const OFFERS_MAX = 12;

const CLIENT_S = 0.5; // what starting and ending the client adds to a search, and what its lead and its drain add to each probe
const PROBE_OVERHEAD_S = 0.4;
const BRACKETING = 3; // offers that it mostly takes until one passed and one failed

/** @param {Search} search @returns {number} seconds, about */
export const estimateSearchS = ({ ramp_s, probe_s, resolution }) =>
  ramp_s + CLIENT_S + (1 + BRACKETING + Math.ceil(Math.log2(Math.log(STRIDE) / Math.log1p(resolution)))) * (probe_s + PROBE_OVERHEAD_S);

/**
 * @param {Search} search
 * @param {(rateHz: number | undefined) => Promise<Probed>} probe offers a rate in open loop; without one, in closed loop, as much as is
 *   answered
 * @returns {Promise<{saturation_hz: number, at_least: boolean, steps: Step[]}>} the rate that was answered at the highest offer that
 *   passed; the lowest that failed is higher by a share of `resolution` at most. at_least: that one failed by the load, so that the
 *   server may answer more
 * @throws {TrialError} when no offer passed, or none failed
 */
export async function findSaturation(search, probe) {
  const closed = await probe(undefined);
  if (closed.answered === 0) throw new TrialError('a closed loop over all connections had no answer; see whether the server answers: make check-server');
  /** @type {Step[]} */
  const steps = [{ ...pick(closed), step: 1, loop: 'closed', behind_share: 0, passed: 'yes' }];
  let [passed_hz, failed_hz, saturation_hz] = [0, Infinity, 0];
  /** @type {Limit} */
  let failedBy;
  let next_hz = FIRST_SHARE * closed.answered_hz;
  while (failed_hz > (1 + search.resolution) * passed_hz) {
    if (steps.length > OFFERS_MAX) throw nothingFound(search, passed_hz, failed_hz, failedBy);
    const probed = await probe(next_hz);
    const { offered_hz, answered_hz } = probed;
    const behind_share = behindOf(probed);
    const limit = limitOf(search, probed, behind_share);
    steps.push({ ...pick(probed), step: steps.length + 1, loop: 'open', behind_share, passed: limit ? 'no' : 'yes', limit });
    if (limit) [failed_hz, failedBy] = [offered_hz, limit];
    else [passed_hz, saturation_hz] = [offered_hz, Math.min(answered_hz, offered_hz)]; // answers to what was due before may be among them
    if (failed_hz === Infinity) next_hz = STRIDE * passed_hz;
    else if (passed_hz) next_hz = Math.sqrt(passed_hz * failed_hz);
    else if (limit === 'load') next_hz = failed_hz / STRIDE ** 2; // which says nothing of what the server answers
    else next_hz = Math.max(FIRST_SHARE * answered_hz, failed_hz / STRIDE ** 2); // a server that fell behind shows how much it answers
  }
  return { saturation_hz, at_least: failedBy === 'load', steps };
}

/** @param {Probed} probed */
const pick = ({ offered_hz, answered_hz, generator_cpu }) => ({ offered_hz, answered_hz, generator_cpu });

/** @param {Probed} probed @returns {number} share of what fell due that was unanswered when the window closed */
const behindOf = ({ due, answered }) => (due > 0 ? Math.max(0, 1 - answered / due) : 1);

/**
 * Where the load's core is full, messages go out late and in company: what is behind may be the load, and what passes is not what was
 * asked for.
 * @param {Search} search @param {Probed} probed @param {number} behindShare @returns {Limit}
 */
function limitOf({ behind_share_max, generator_cpu_max = Infinity }, { generator_cpu = 0 }, behindShare) {
  if (generator_cpu > generator_cpu_max) return 'load';
  return behindShare > behind_share_max ? 'server' : undefined;
}

/** @param {Search} search @param {number} passedHz @param {number} failedHz @param {Limit} failedBy @returns {TrialError} */
function nothingFound({ generator_cpu_max }, passedHz, failedHz, failedBy) {
  const within = `the load makes on ${generator_cpu_max} of its core (generator_cpu_max)`;
  const sought = passedHz ? 'was not answered, up' : `${failedBy === 'load' ? within : 'was answered'}, down`;
  return new TrialError(`the search found no rate that ${sought} to ${Math.round(passedHz || failedHz)} a second; see raw/search`);
}
