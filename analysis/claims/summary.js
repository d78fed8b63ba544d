/**
 * One verdict for each claim and era, from its judged rows.
 *
 * If all rows must hold, each is tested at 95 % by itself: an intersection-union test needs no correction (R. L. Berger,
 * Multiparameter hypothesis testing and acceptance sampling, Technometrics 24, 1982). A failing row is one of several, so
 * failures are tested at 5 % for all rows together (Holm). If one of several variants is enough, it is the reverse. If a
 * variant has several rows, all of them must hold.
 */
import { rejectByHolm } from '../statistics/holm.js';
import { weigh } from './evidence.js';

/** @typedef {import('./verdict.js').Verdict} Verdict */
/** @typedef {import('./verdict.js').Word} Word */
/** @typedef {import('../../harness/spec/spec.js').Rows} Rows */
/**
 * @typedef {object} ClaimVerdict
 * @property {string} claim @property {string} era @property {Word} verdict
 * @property {string} [variant] by which it is reproduced, if one of several is enough
 * @property {Rows} must_hold @property {number} rows how many were judged for it
 * @property {Record<string, number>} words number of rows by verdict
 * @property {string} [found] how it was found (found.js)
 * @property {true} [younger] the criterion is newer than the data (younger.js), or a mended computation has changed the verdict since
 * @property {true} [isOfPaper] found by the run of `paper`, not by the record (sources.js)
 */

/**
 * @param {Verdict[]} verdicts @param {{id: string, rows?: Rows}[]} claims of the manifest
 * @returns {ClaimVerdict[]} in the order of the rows
 */
export function judgeClaims(verdicts, claims) {
  const own = Map.groupBy(verdicts, ({ claim, era }) => `${claim}\t${era}`);
  return [...own].map(([key, rows]) => {
    const [claim, era] = key.split('\t');
    const must_hold = claims.find(({ id }) => id === claim)?.rows ?? 'all';
    const words = Object.fromEntries([...Map.groupBy(rows, ({ verdict }) => verdict)].map(([word, some]) => [word, some.length]));
    return { claim, era, ...judgeClaim(rows, must_hold), must_hold, rows: rows.length, words };
  });
}

/** @param {Verdict} row @returns {boolean} is there anything to test? */
const isTested = ({ p, n }) => n > 0 && p !== null;

/** @param {Verdict[]} rows which must all hold @returns {boolean} does one fail, at 5 % for all rows with data together? */
function isOneAgainst(rows) {
  const weighed = rows.filter(isTested).map(weigh);
  return rejectByHolm(weighed.map(({ side, p }) => (side === 'outside' ? p : 1))).some(Boolean);
}

/** @param {Verdict[]} rows which must all hold @returns {number} p-value against chance alone bringing all to the claim's side */
const chanceOf = (rows) => Math.max(...rows.map(weigh).map(({ side, p }) => (side === 'inside' ? p : 1)));

/** @param {Verdict[]} rows of one claim and era @param {Rows} mustHold @returns {{verdict: Word, variant?: string}} */
export function judgeClaim(rows, mustHold) {
  if (rows.length === 0) return { verdict: 'not run' };
  if (mustHold === 'all') {
    if (rows.every(({ verdict }) => verdict === 'reproduced')) return { verdict: 'reproduced' };
    return { verdict: isOneAgainst(rows) ? 'not reproduced' : whyOpen(rows) };
  }
  const variants = [...Map.groupBy(rows, (row) => row.variant ?? row)];
  const isHeld = rejectByHolm(variants.map(([, own]) => chanceOf(own)));
  const held = variants.find((_variant, index) => isHeld[index]);
  if (held) return { verdict: 'reproduced', ...(typeof held[0] === 'string' && { variant: held[0] }) };
  const isAgainst = variants.every(([, own]) => own.some(({ verdict }) => verdict === 'not reproduced'));
  return { verdict: isAgainst ? 'not reproduced' : whyOpen(rows) };
}

/** @param {Verdict[]} rows without a decision @returns {Word} */
function whyOpen(rows) {
  const words = rows.map(({ verdict }) => verdict);
  if (words.includes('needs more cores')) return 'needs more cores';
  if (words.every((word) => word === 'not run')) return 'not run';
  const open = words.filter((word) => word !== 'reproduced');
  return open.every((word) => word === 'at the criterion') ? 'at the criterion' : 'inconclusive';
}
