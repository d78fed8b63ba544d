/**
 * The search for saturation: the highest rate that a server answers without falling behind, found in probes of rising and falling
 * rates on one running server. A closed loop says about where it lies; open loops, which do not wait for answers, decide.
 */

import { TrialError } from '../common/failure.js';

/** @typedef {import('../spec/spec.js').Search} Search */
/** @typedef {{offered_hz: number, due: number, answered: number, answered_hz: number}} Probed what a probe came to */
/**
 * @typedef {{step: number, loop: 'closed' | 'open', offered_hz: number, answered_hz: number, behind_share: number,
 *   passed: 'yes' | 'no'}} Step
 */

export const SEARCH_COLUMNS = ['step', 'loop', 'offered_hz', 'answered_hz', 'behind_share', 'passed'];

/** What is offered, as a share of what a closed loop, or a server that fell behind, answered: messages in company are cheaper. */
const FIRST_SHARE = 0.95;
/** Until one failed, the next offer is so many times the last. */
const STRIDE = 1.4;
/** Offers at most, to find one that passes and one that fails near it. */
export const OFFERS_MAX = 12;

/** What starting and ending the client adds to a search, and what its lead and its drain add to each probe. */
const CLIENT_S = 0.5;
const PROBE_OVERHEAD_S = 0.4;
/** Offers that it mostly takes until one passed and one failed. */
const BRACKETING = 3;

/** @param {Search} search @returns {number} seconds, about */
export const estimateSearchS = ({ ramp_s, probe_s, resolution }) =>
  ramp_s + CLIENT_S + (1 + BRACKETING + Math.ceil(Math.log2(Math.log(STRIDE) / Math.log1p(resolution)))) * (probe_s + PROBE_OVERHEAD_S);

/**
 * @param {Search} search
 * @param {(rateHz: number | undefined) => Promise<Probed>} probe offers a rate in open loop; without one, in closed loop, as much as is
 *   answered
 * @returns {Promise<{saturation_hz: number, steps: Step[]}>} the rate that was answered at the highest offer that passed; the lowest that
 *   failed is higher by a share of `resolution` at most
 * @throws {TrialError} when no offer passed, or none failed
 */
export async function findSaturation({ resolution, behind_share_max }, probe) {
  const closed = await probe(undefined);
  /** @type {Step[]} */
  const steps = [{ step: 1, loop: 'closed', offered_hz: closed.offered_hz, answered_hz: closed.answered_hz, behind_share: 0, passed: 'yes' }];
  let [passed_hz, failed_hz, saturation_hz] = [0, Infinity, 0];
  let next_hz = FIRST_SHARE * closed.answered_hz;
  while (failed_hz > (1 + resolution) * passed_hz) {
    if (steps.length > OFFERS_MAX) throw new TrialError(`the search found no rate that ${passed_hz ? 'was not' : 'was'} answered, ${passed_hz ? 'up' : 'down'} to ${Math.round(passed_hz || failed_hz)} a second; see raw/search`);
    const { offered_hz, due, answered, answered_hz } = await probe(next_hz);
    const behind_share = due > 0 ? Math.max(0, 1 - answered / due) : 1;
    const passed = behind_share <= behind_share_max;
    steps.push({ step: steps.length + 1, loop: 'open', offered_hz, answered_hz, behind_share, passed: passed ? 'yes' : 'no' });
    if (!passed) failed_hz = offered_hz;
    else [passed_hz, saturation_hz] = [offered_hz, Math.min(answered_hz, offered_hz)]; // answers to what was due before may be among them
    if (failed_hz === Infinity) next_hz = STRIDE * passed_hz;
    else if (passed_hz) next_hz = Math.sqrt(passed_hz * failed_hz);
    else next_hz = Math.max(FIRST_SHARE * answered_hz, failed_hz / STRIDE ** 2); // a server that fell behind shows how much it answers
  }
  return { saturation_hz, steps };
}
