/**
 * The search for saturation: the highest rate that a server answers without falling behind, found in probes of rising and falling
 * rates on one running server. A closed loop says about where it lies; open loops, which do not wait for answers, decide.
 */

import { TrialError } from './failure.js';

/** @typedef {import('./spec.js').Search} Search */
/** @typedef {{offered_hz: number, due: number, answered: number, answered_hz: number}} Probed what a probe came to */
/**
 * @typedef {{step: number, loop: 'closed' | 'open', offered_hz: number, answered_hz: number, behind_share: number,
 *   passed: 'yes' | 'no'}} Step
 */

export const SEARCH_COLUMNS = ['step', 'loop', 'offered_hz', 'answered_hz', 'behind_share', 'passed'];

/** What is offered first, as a share of what a closed loop reached: messages of a closed loop come in company, which is cheaper. */
const FIRST_SHARE = 0.95;
/** Until one passed and one failed, the next offer is so many times the last, or so many times less; then it lies between the two. */
const STRIDE = 1.25;
/** Offers at most to find one that passes and one that fails. */
const OFFERS_MAX = 12;

/** What starting and ending a client adds to a probe. */
const PROBE_OVERHEAD_S = 0.5;
/** Offers that it mostly takes until one passed and one failed. */
const BRACKETING = 2;

/** @param {Search} search @returns {number} seconds, about */
export const estimateSearchS = ({ ramp_s, probe_s, steps }) => (1 + BRACKETING + steps) * (ramp_s + probe_s + PROBE_OVERHEAD_S);

/**
 * @param {Search} search
 * @param {(rateHz: number | undefined) => Promise<Probed>} probe offers a rate in open loop; without one, in closed loop, as much as is
 *   answered
 * @returns {Promise<{saturation_hz: number, steps: Step[]}>} the rate that was answered at the highest offer that passed, which after
 *   `steps` halvings lies near the lowest that failed
 * @throws {TrialError} when no offer passed, or none failed
 */
export async function findSaturation({ steps: count, behind_share_max }, probe) {
  const closed = await probe(undefined);
  /** @type {Step[]} */
  const steps = [{ step: 1, loop: 'closed', offered_hz: closed.offered_hz, answered_hz: closed.answered_hz, behind_share: 0, passed: 'yes' }];
  let [passed_hz, failed_hz, saturation_hz] = [0, Infinity, 0];
  const isBracketed = () => passed_hz > 0 && failed_hz < Infinity;
  const offer = async () => {
    const { offered_hz, due, answered, answered_hz } = await probe(nextOffer(passed_hz, failed_hz, FIRST_SHARE * closed.answered_hz));
    const behind_share = due > 0 ? Math.max(0, 1 - answered / due) : 1;
    const passed = behind_share <= behind_share_max;
    steps.push({ step: steps.length + 1, loop: 'open', offered_hz, answered_hz, behind_share, passed: passed ? 'yes' : 'no' });
    if (!passed) failed_hz = offered_hz;
    else [passed_hz, saturation_hz] = [offered_hz, Math.min(answered_hz, offered_hz)]; // answers to what was due before may be among them
  };
  while (!isBracketed() && steps.length <= OFFERS_MAX) await offer();
  if (!isBracketed()) throw new TrialError(`the search found no rate that ${passed_hz ? 'was not' : 'was'} answered, ${passed_hz ? 'up' : 'down'} to ${Math.round(passed_hz || failed_hz)} a second; see raw/search`);
  for (let halving = 0; halving < count; halving++) await offer();
  return { saturation_hz, steps };
}

/** @param {number} passed_hz 0 when none has @param {number} failed_hz Infinity when none has @param {number} first_hz @returns {number} */
function nextOffer(passed_hz, failed_hz, first_hz) {
  if (passed_hz && failed_hz < Infinity) return Math.sqrt(passed_hz * failed_hz);
  if (passed_hz) return STRIDE * passed_hz;
  return failed_hz < Infinity ? failed_hz / STRIDE : first_hz;
}
