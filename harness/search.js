/**
 * The search for saturation: the highest rate that a server answers without falling behind, found in probes of rising and falling
 * rates on one running server. A closed loop says about where it lies; open loops, which do not wait for answers, decide.
 */

import { TrialError } from './failure.js';

/** @typedef {import('./spec.js').Search} Search */
/** @typedef {{offered_hz: number, due: number, answered: number, answered_hz: number}} Probed what a probe came to */
/** @typedef {{step: number, loop: 'closed' | 'open', offered_hz: number, answered_hz: number, behind_share: number, passed: 'yes' | 'no'}} Step */

export const SEARCH_COLUMNS = ['step', 'loop', 'offered_hz', 'answered_hz', 'behind_share', 'passed'];

/** What is offered first, as a share of what a closed loop reached: messages of a closed loop come in company, which is cheaper. */
const FIRST_SHARE = 0.95;
/** Until one passed and one failed, the next offer is so much more or less; then it lies between the two. */
const UP = 1.1;
const DOWN = 0.85;
/** Offers beyond those asked for, where none has passed. */
const RETREATS_MAX = 6;

/** What starting and ending a client adds to a probe. */
const PROBE_OVERHEAD_S = 0.7;

/** @param {Search} search @returns {number} seconds, about */
export const estimateSearchS = ({ probe_s, steps }) => (steps + 1) * (probe_s + 1 + PROBE_OVERHEAD_S);

/**
 * @param {Search} search
 * @param {(rateHz: number | undefined) => Promise<Probed>} probe offers a rate in open loop; as much as is answered, in closed loop, when there is none
 * @returns {Promise<{saturation_hz: number, steps: Step[]}>} the rate that was answered at the highest offer that passed
 * @throws {TrialError} when no offer passed
 */
export async function findSaturation({ steps: count, behind_share_max }, probe) {
  const closed = await probe(undefined);
  /** @type {Step[]} */
  const steps = [{ step: 1, loop: 'closed', offered_hz: closed.offered_hz, answered_hz: closed.answered_hz, behind_share: 0, passed: 'yes' }];
  /** @type {Step | undefined} */
  let best;
  let failed_hz = Infinity;
  for (let tried = 0, next_hz = FIRST_SHARE * closed.answered_hz; tried < count || (!best && tried < count + RETREATS_MAX); tried++) {
    const { offered_hz, due, answered, answered_hz } = await probe(next_hz);
    const behind_share = due > 0 ? Math.max(0, 1 - answered / due) : 1;
    const passed = behind_share <= behind_share_max;
    /** @type {Step} */
    const step = { step: steps.length + 1, loop: 'open', offered_hz, answered_hz, behind_share, passed: passed ? 'yes' : 'no' };
    steps.push(step);
    if (passed) best = step; else failed_hz = next_hz;
    next_hz = nextOffer(best?.offered_hz ?? 0, failed_hz);
  }
  if (!best) throw new TrialError(`the search found no rate that was answered, down to ${Math.round(failed_hz)} a second; raise search.steps`);
  return { saturation_hz: best.answered_hz, steps };
}

/** @param {number} passed_hz 0 when none has @param {number} failed_hz Infinity when none has @returns {number} */
function nextOffer(passed_hz, failed_hz) {
  if (failed_hz === Infinity) return UP * passed_hz;
  return passed_hz ? Math.sqrt(passed_hz * failed_hz) : DOWN * failed_hz;
}
