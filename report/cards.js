/** A finding as a card: what the source says of a claim, and of each era the verdict, our number, and how it was found. */
import { digits, formatInterval, inMarkdown } from '../harness/common/format.js';
import { boundsOf } from '../analysis/claims/evidence.js';
import { WAYS } from '../analysis/claims/found.js';
import { WORDS } from '../analysis/claims/verdict.js';
import { describeComparison } from './summary.js';

/** @typedef {import('../analysis/claims/verdict.js').Verdict} Verdict */
/** @typedef {import('../analysis/claims/summary.js').ClaimVerdict} ClaimVerdict */

/** Behind a verdict whose criterion is younger than its data: it was written, or changed, after the run. */
export const YOUNGER = '†';
/** A way in which a verdict was found, with what is in its brackets. */
const WAY = new RegExp(`(${WAYS.join('|')}) \\([^()]*(\\([^()]*\\)[^()]*)*\\)`, 'g');

/**
 * The row that a verdict rests on. Of a claim that is reproduced it is the weakest of those by its first metric, of one that is not the
 * strongest against it, of any other the first that is open.
 * @param {ClaimVerdict} judged @param {Verdict[]} rows of the claim and era
 * @returns {Verdict}
 */
export function findHeadline({ verdict, variant }, rows) {
  const own = rows.filter((row) => (variant === undefined || row.variant === variant) && row.verdict === verdict);
  if (own.length === 0) return rows.find((row) => row.verdict !== 'reproduced' && row.verdict !== 'not run') ?? rows[0];
  const byMargin = (/** @type {Verdict[]} */ some) => [...some].sort((a, b) => marginOf(a) - marginOf(b));
  if (verdict === 'not reproduced') return /** @type {Verdict} */ (byMargin(own).at(-1));
  if (verdict !== 'reproduced') return own[0];
  return byMargin(own.filter(({ metric }) => metric === own[0].metric))[0];
}

/** @param {Verdict} row @returns {number} how far its interval lies from its criterion, as a share of that */
function marginOf({ criterion, low, high }) {
  const distances = boundsOf(criterion).slice(0, criterion.startsWith('holds ') ? 1 : 2).map((bound) => {
    const away = Math.min(Math.abs(Number(low) - bound), Math.abs(Number(high) - bound));
    return away / (Math.abs(bound) || 1);
  });
  return Math.min(...distances);
}

/** @param {ClaimVerdict} judged @param {Verdict} row its headline @returns {string} such as "**reproduced**, but smaller" */
export function describeVerdict({ verdict, variant, younger }, { size }) {
  const isBut = verdict === 'reproduced' && (size?.word === 'smaller' || size?.word === 'larger');
  const word = size && (size.word === 'undecided' ? 'size undecided' : `${isBut ? 'but ' : ''}${size.word}`);
  return [`**${verdict}**${younger ? YOUNGER : ''}${variant ? ` at ${inMarkdown(variant)}` : ''}`, word].filter(Boolean).join(', ');
}

/** @param {Verdict} row @returns {string} its number with its interval, or the least and the most of the trials; "-" without one */
export function describeNumber(row) {
  if (row.mean === null) return '-';
  return row.scale === 'range' ? `${digits(row.mean)} (${digits(row.low)} to ${digits(row.high)})` : formatInterval(row);
}

/**
 * @param {ClaimVerdict[]} judged
 * @returns {string[]} how they were found, but for those found whole: each way once, with what is in brackets, and the claims
 */
export function listWays(judged) {
  const ways = judged.flatMap(({ claim, found = '' }) => (found.match(WAY) ?? []).map((way) => ({ claim, way })));
  const all = new Set(judged.map(({ claim }) => claim)).size;
  return [...Map.groupBy(ways, ({ way }) => way)].map(([way, own]) => {
    const claims = [...new Set(own.map(({ claim }) => claim))];
    return `${way}: ${claims.length === all ? 'all' : claims.join(', ')}`;
  });
}

/** @param {string} [found] such as "computed (by a law); reduced load (…)" @returns {string} without what is in brackets */
export const shortenFound = (found = '') =>
  [...new Set(found.split('; ').map((way) => way.split(' (')[0]))].filter((way) => WAYS.includes(way)).join(', ');

const COLUMNS = ['era', 'verdict', 'our number', 'trials', 'tested', 'rows', 'found'];

/**
 * @param {ClaimVerdict[]} judged of one claim
 * @param {Verdict[]} verdicts of the experiment
 * @returns {string[]} a table in Markdown, a line for each era
 */
export function tableOfEras(judged, verdicts) {
  const rows = [...judged].sort((a, b) => a.era.localeCompare(b.era)).map((each) => {
    const own = verdicts.filter(({ claim, era }) => claim === each.claim && era === each.era);
    const row = findHeadline(each, own);
    const more = row.verdict === 'inconclusive' && row.decided_by ? `; to decide it: ${row.decided_by}` : '';
    return [
      each.era, describeVerdict(each, row) + more, describeNumber(row), row.mean === null ? '-' : `${row.n}`,
      `\`${describeComparison(row)}\` ${nameCriterion(row.criterion)}`, countRows(own), shortenFound(each.found) || '-',
    ];
  });
  const lines = [COLUMNS, COLUMNS.map(() => '-'), ...rows];
  const shown = COLUMNS.map((name) => name !== 'rows' || rows.some((cells) => cells[COLUMNS.indexOf(name)] !== '1'));
  return lines.map((cells) => `| ${cells.filter((_, index) => shown[index]).join(' | ')} |`);
}

/** @param {string} criterion as a verdict has it @returns {string} in words */
const nameCriterion = (criterion) => criterion.replace(/^>/, 'above ').replace(/^</, 'below ').replace('..', ' to ');

/** @param {Verdict[]} rows @returns {string} such as "4", or "3 reproduced, 1 inconclusive" */
function countRows(rows) {
  const counts = WORDS.map((word) => [rows.filter(({ verdict }) => verdict === word).length, word]).filter(([count]) => count);
  return counts.length === 1 ? `${rows.length}` : counts.map((pair) => pair.join(' ')).join(', ');
}
