/** The claims of a report: the text of each, and for each era its verdict and rows. */
import { readClaims } from '../../harness/common/claim-tables.js';
import { digits } from '../../harness/common/format.js';
import { parseCriterion } from '../../analysis/points/criterion.js';
import { describeNumber } from '../cards.js';
import { readFindings } from '../findings.js';
import { describeComparison, describeRows, MEAN, summariseVerdicts } from '../summary.js';
import { makeScale, placeEstimate } from './scale.js';

/** @typedef {import('../../harness/records/sources.js').Source} Source */
/** @typedef {import('../../analysis/claims/verdict.js').Verdict} Verdict */

/** A sign beside each word, for readers who do not see colours; in counting order. @type {Record<string, string>} */
const SIGNS = { reproduced: '✓', 'not reproduced': '✗', 'at the criterion': '≈', inconclusive: '?', 'needs more cores': '…', 'not run': '–' };

/** @param {string} word a verdict @returns {{word: string, sign: string, kind: string}} `kind`: a class of the style sheet */
const badgeOf = (word) => ({ word, sign: SIGNS[word] ?? '', kind: word.replaceAll(' ', '-') });

/** Up to so many rows are shown directly; more are summarised first. */
const SHORT_ROWS = 4;

export const BADGES = Object.keys(SIGNS).map(badgeOf);

/** @param {string} text with `code` in it, as claims.tsv has it @returns {{isCode: boolean, text: string}[]} */
const splitCode = (text) => text.split('`').map((part, index) => ({ isCode: index % 2 === 1, text: part })).filter((part) => part.text);

/**
 * The shaded part of a scale: where a criterion holds.
 * @param {string} criterion @param {import('./scale.js').Scale} scale
 * @returns {{left: number, width: number, marks: {at: number, text: string}[]}}
 */
export function placeCriterion(criterion, { toPercent }) {
  const { bounds, from, to } = parseCriterion(criterion);
  const left = from === -Infinity ? 0 : toPercent(from);
  const right = to === Infinity ? 100 : toPercent(to);
  return { left, width: right - left, marks: bounds.map((bound) => ({ at: toPercent(bound), text: digits(bound) })) };
}

/**
 * @param {Verdict[]} rows of one criterion @param {Record<string, string>} words of metrics
 * @returns {object} its shaded part, and each row as shown
 */
function describeGroup(rows, words) {
  const [{ criterion }] = rows;
  const tested = [...new Set(rows.flatMap(({ metric }) => words[metric] ?? []))].join('; ');
  const scale = makeScale([...rows.flatMap(({ mean, low, high }) => [mean, low, high]), ...parseCriterion(criterion).bounds]);
  const entries = rows.map((row) => ({
    what: describeComparison(row), workload: row.workload === '-' ? '' : row.workload, value: describeNumber(row), n: row.n,
    badge: badgeOf(row.verdict), decided_by: row.decided_by ?? '', place: placeEstimate(row, scale),
  }));
  return { criterion, tested, holds: placeCriterion(criterion, scale), heading: MEAN, rows: entries };
}

/** @param {Source} source @param {string} claim @param {string} era @returns {any} a source's result for a claim in an era */
function describeSide(source, claim, era) {
  const isIt = (/** @type {{claim: string, era: string}} */ each) => each.claim === claim && each.era === era;
  const run = source.runs.find(({ claims }) => claims.some(isIt));
  const judged = run?.claims.find(isIt);
  if (!run || !judged) return { badge: badgeOf('not run') };
  const rows = run.verdicts.filter(isIt);
  const summary = summariseVerdicts(rows).map((line) => line.replace(`${claim} ${era}, `, ''));
  const criteria = [...new Set(rows.map(({ criterion }) => criterion))];
  const { words = {} } = readFindings(run.experiment);
  return {
    badge: badgeOf(judged.verdict), rule: describeRows(judged) + (judged.younger ? '; criterion or computation changed after the run' : ''), experiment: run.experiment, isOfPaper: judged.isOfPaper, compared: rows.length,
    asked: { claim, era, eras: [...new Set(run.claims.map((each) => each.era))], metrics: [...new Set(rows.map(({ metric }) => metric))] },
    isShort: rows.length <= SHORT_ROWS,
    summary: summary.length <= SHORT_ROWS ? summary : [],
    groups: criteria.map((criterion) => describeGroup(rows.filter((row) => row.criterion === criterion), words)),
  };
}

/** @param {Source[]} sources one, or two to compare @returns {any[]} the claims that any of them judges, in the order of claims.tsv */
export function describeClaims(sources) {
  return readClaims().flatMap(({ claim, source: document, section, words, published, criterion }) => {
    const judged = sources.flatMap(({ runs }) => runs.flatMap(({ claims }) => claims.filter((each) => each.claim === claim)));
    const eras = [...new Set(judged.map(({ era }) => era))].sort().map((era) => {
      const sides = sources.map((source, index) => ({ letter: sources.length > 1 ? 'AB'[index] : '', ...describeSide(source, claim, era) }));
      const differs = sides.every(({ experiment: own }) => own) && new Set(sides.map(({ badge }) => badge.word)).size > 1;
      return { era, stack: era === 'today' ? 'On today\'s stack' : `On the stack of ${era}`, sides, differs, verdicts: sides.map(({ badge }) => badge.kind).join(' ') };
    });
    const where = section === '-' ? document : `${document} ${section}`;
    return eras.length ? [{ id: claim, document, where, words: splitCode(words), published, criterion, search: `${claim} ${words}`.toLowerCase(), eras }] : [];
  });
}

/** @param {any[]} claims as described @param {number} side @returns {{word: string, sign: string, kind: string, count: number}[]} */
export function countVerdicts(claims, side) {
  const words = claims.flatMap(({ eras }) => eras.map((/** @type {any} */ { sides }) => sides[side].badge.word));
  return BADGES.map((badge) => ({ ...badge, count: words.filter((each) => each === badge.word).length })).filter(({ count }) => count);
}
