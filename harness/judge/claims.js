/** One verdict for each claim and era, over the rows that were judged for it. */
import { rejectByHolm } from '../../analysis/statistics/holm.js';
import { weigh } from './evidence.js';

/** @typedef {import('./verdict.js').Verdict} Verdict */
/** @typedef {import('./verdict.js').Word} Word */
/** @typedef {import('../spec/spec.js').Rows} Rows */
/**
 * @typedef {object} ClaimVerdict
 * @property {string} claim
 * @property {string} era
 * @property {Word} verdict
 * @property {Rows} must_hold
 * @property {number} rows how many were judged for it
 * @property {Record<string, number>} words how many of them came to which verdict
 */

/**
 * @param {Verdict[]} verdicts
 * @param {{id: string, rows?: Rows}[]} claims of the manifest
 * @returns {ClaimVerdict[]} in the order in which the rows came
 */
export function judgeClaims(verdicts, claims) {
  const keys = [...new Set(verdicts.map(({ claim, era }) => `${claim}\t${era}`))];
  return keys.map((key) => {
    const [claim, era] = key.split('\t');
    const own = verdicts.filter((row) => row.claim === claim && row.era === era);
    const must_hold = claims.find(({ id }) => id === claim)?.rows ?? 'all';
    return { claim, era, verdict: judgeClaim(own, must_hold), must_hold, rows: own.length, words: countEach(own) };
  });
}

/** @param {Verdict[]} rows @returns {Record<string, number>} */
function countEach(rows) {
  /** @type {Record<string, number>} */
  const counts = {};
  for (const { verdict } of rows) counts[verdict] = (counts[verdict] ?? 0) + 1;
  return counts;
}

/**
 * A row counts as decided where Holm's procedure at 5 % over the rows of the claim rejects the other side. Where all must hold the claim is
 * reproduced when each is decided for it, and not reproduced when one is decided against it; where any may, the other way round.
 * @param {Verdict[]} rows of one claim and era
 * @param {Rows} mustHold
 * @returns {Word}
 */
export function judgeClaim(rows, mustHold) {
  const weighed = rows.map(weigh);
  const decided = rejectByHolm(weighed.map(({ p }) => p));
  const lies = (/** @type {string} */ side) => weighed.map((row, index) => decided[index] && row.side === side);
  const [inside, outside] = [lies('inside'), lies('outside')];
  if (mustHold === 'all' ? outside.some(Boolean) : outside.every(Boolean)) return 'not reproduced';
  if (mustHold === 'all' ? inside.every(Boolean) : inside.some(Boolean)) return 'reproduced';
  if (rows.some(({ verdict }) => verdict === 'needs more cores')) return 'needs more cores';
  return rows.every(({ verdict }) => verdict === 'not run') ? 'not run' : 'inconclusive';
}
