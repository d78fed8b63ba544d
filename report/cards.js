/** Parts of a claim's card: for each era the verdict, our number, what was tested, and how it was found. */
import { countTrials, digits, digitsBeside, formatInterval, group, inMarkdown } from '../harness/common/format.js';
import { LEVEL } from '../analysis/statistics/intervals.js';
import { settingsIn, spellSettings } from '../harness/common/setting.js';
import { nameCriterion, parseCriterion } from '../analysis/points/criterion.js';
import { REBUILT, REDUCED, splitFound } from '../analysis/claims/found.js';
import { WORDS } from '../analysis/claims/verdict.js';
import { describeSetting } from './setting-labels.js';

/** @typedef {import('../analysis/claims/verdict.js').Verdict} Verdict */
/** @typedef {import('../analysis/claims/summary.js').ClaimVerdict} ClaimVerdict */
/** @typedef {import('./findings.js').Findings} Findings */

/** Marks a verdict if its criterion, or how its number is computed, was changed after the run. */
export const YOUNGER = '†';

/**
 * The row on the card. Reproduced: the row with the smallest margin among those named by the finding's headline, or among those of
 * the first metric. Not reproduced: the row with the largest margin. Otherwise: the first row with the claim's verdict (those named by
 * the headline come first), or an open one.
 * @param {ClaimVerdict} judged @param {Verdict[]} rows of the claim and era @param {Pick<Findings, 'claims'>} findings
 */
export function findHeadline({ claim, verdict, variant }, rows, findings) {
  const own = rows.filter((row) => (variant === undefined || row.variant === variant) && row.verdict === verdict);
  if (own.length === 0) return rows.find((row) => row.verdict !== 'reproduced' && row.verdict !== 'not run') ?? rows[0];
  const byMargin = (/** @type {Verdict[]} */ some) => [...some].sort((a, b) => marginOf(a) - marginOf(b));
  if (verdict === 'not reproduced') return /** @type {Verdict} */ (byMargin(own).at(-1));
  const { headline = [] } = findings.claims[claim] ?? {};
  const named = own.filter(({ metric, of, to }) => [metric, of, to].some((each) => headline.includes(each)));
  if (verdict !== 'reproduced') return named[0] ?? own[0];
  return byMargin(named.length ? named : own.filter(({ metric }) => metric === own[0].metric))[0];
}

/** @param {Verdict} row @returns {number} distance from the criterion to the nearer end of the interval, relative to the criterion */
function marginOf({ criterion, low, high }) {
  const distances = parseCriterion(criterion).bounds.map((bound) => {
    const away = Math.min(Math.abs(Number(low) - bound), Math.abs(Number(high) - bound));
    return away / (Math.abs(bound) || 1);
  });
  return Math.min(...distances);
}

/** Words for the size of the effect, after "reproduced". */
const SIZES = { 'as large': 'as large', smaller: 'but smaller', larger: 'but larger', undecided: 'size undecided' };

/** @param {ClaimVerdict} judged @param {Verdict} row its headline @returns {string} such as "**reproduced**, but smaller" */
export function describeVerdict({ verdict, variant, younger }, { size, criterion }) {
  const isLess = parseCriterion(criterion).kind === 'below' && size?.word !== 'undecided'; // with "<" a smaller number is a larger effect
  const word = size && `${verdict === 'reproduced' ? SIZES[size.word] : SIZES[size.word].replace('but ', '')}${isLess ? ' in effect' : ''}`;
  return [`**${verdict}**${younger ? YOUNGER : ''}${variant ? ` at ${inMarkdown(variant)}` : ''}`, word].filter(Boolean).join(', ');
}

/**
 * @param {Verdict} row
 * @returns {string} mean with its interval (and its level, if not 95 %), or with the range of the trials; "-" without a number. A number
 *   that rounds to its criterion, but is not it, has more digits
 */
export function describeNumber(row) {
  const { mean, low, high, n, scale, criterion, level = LEVEL } = row;
  if (mean === null) return '-';
  const { bounds } = parseCriterion(criterion);
  const tell = (/** @type {number | null} */ x) => digitsBeside(x, bounds);
  if (n < 3) return `${tell(mean)} (${n === 1 ? 'one trial' : countTrials(n)})`;
  if (scale === 'range') return `${tell(mean)} (all trials: ${tell(low)} to ${tell(high)})`;
  return formatInterval(row, tell) + (level === LEVEL || low === null ? '' : ` at ${digits(100 * level)} %`);
}

/** @param {Verdict} row @returns {string} our number, and the published one if their sizes were compared */
const describeBoth = (row) => describeNumber(row) + (row.size && row.mean !== null ? `, published ${digits(Number(row.published))}` : '');

/**
 * @param {ClaimVerdict[]} judged
 * @returns {string[]} each way of finding with its claims; left out are reduced load, since each card says it, and rebuilt software, since
 *   each card and the list of versions say it
 */
export function listWays(judged) {
  const ways = judged.flatMap(({ claim, found = '' }) => splitFound(found).filter(({ words }) => words).map(({ way, words }) => ({ claim, way, words })));
  const all = new Set(judged.filter(({ found = '-' }) => found !== '-').map(({ claim }) => claim)).size;
  const others = ways.filter(({ way }) => way !== REDUCED && way !== REBUILT);
  return [...Map.groupBy(others, ({ way, words }) => `${way} (${words})`)].map(([told, own]) => {
    const claims = [...new Set(own.map(({ claim }) => claim))];
    return groupThousands(`${told}: ${claims.length === all ? 'all' : claims.join(', ')}`);
  });
}

/**
 * @param {string} [found] such as "computed (by a law); reduced load (600 connections, source 2400)"
 * @returns {string} without brackets, except for the load: "computed; reduced load: 600 connections, source 2,400"
 */
function shortenFound(found = '') {
  const told = splitFound(found).map(({ way, words }) => (way === REDUCED ? `${way}: ${words}` : way));
  return groupThousands([...new Set(told)].join('; '));
}

/** @param {string} [found] @returns {string} its ways without numbers, such as "computed, reduced load" */
export const nameWays = (found = '') => [...new Set(splitFound(found).map(({ way }) => way))].join(', ');

/** @param {string} text @returns {string} with thousands separators in its numbers, but not in its names */
const groupThousands = (text) => text.replace(/(?<![\w.-])\d{4,}(?![\w.])/g, group);

/**
 * What a row tests, in words. The experiment's findings may have words for metrics and settings.
 * @param {Verdict} row @param {any} spec @param {Findings} findings
 * @returns {{what: string, where: string, criterion: string}} the metric and the two sides compared, such as "CPU of the busiest
 *   process: 2 workers / 1 worker"; the settings they share, such as "40 opened a second"; and "0.4 to 0.6"
 */
export function describeTested(row, spec, { words = {} }) {
  const { metric, of, to, setting, to_setting = setting, to_metric = metric, criterion } = row;
  const isPair = to !== '-';
  const [spelled] = spellSettings([{ setting, to_setting }]);
  const [own, other] = [settingsIn(spelled), settingsIn(spelled, isPair ? 'to_setting' : 'setting')];
  const isShared = (/** @type {string} */ key) => own[key] === other[key];
  const pick = (/** @type {Record<string, string>} */ from, /** @type {boolean} */ shared) =>
    Object.fromEntries(Object.entries(from).filter(([key]) => isShared(key) === shared));
  const tell = (/** @type {string} */ engine, /** @type {Record<string, string>} */ settings) => {
    const wordsOf = (/** @type {[string, string]} */ [key, value]) => words[`${key}=${value}`] ?? words[key]?.replace('{}', value);
    const [told, others] = [true, false].map((is) => Object.entries(settings).filter((pair) => (wordsOf(pair) !== undefined) === is));
    const roles = Object.keys(spec.engines[engine]?.processes ?? {});
    return [...told.map(wordsOf), describeSetting(Object.fromEntries(others), roles, spec.settings)].filter(Boolean).join(', ');
  };
  const sideOf = (/** @type {string} */ engine, /** @type {Record<string, string>} */ settings) =>
    [isPair && of !== to ? spec.engines[engine]?.title ?? engine : '', tell(engine, pick(settings, false))].filter(Boolean).join(', ');
  const sides = isPair ? [sideOf(of, own), sideOf(to, other)].filter(Boolean) : [];
  const compared = [sides[0], sides[1]].map((side) => side || words.default || 'default').join(' / ');
  const what = [metric, ...(isPair && to_metric !== metric && to_metric !== '-' ? [to_metric] : [])].map((each) => words[each] ?? each).join(' / ');
  return { what: sides.length ? `${what}: ${compared}` : what, where: tell(of, pick(own, true)), criterion: nameCriterion(criterion) };
}

/** More trials than any row is said to need. */
const MANY = 1e9;

/**
 * @param {Pick<ClaimVerdict, 'must_hold'>} judged @param {Verdict} row its headline @param {Verdict[]} own all its rows
 * @returns {string | undefined} such as "to decide it: 9 trials"; where all rows must hold, what the row needs that needs the most
 */
export function findNeed({ must_hold }, row, own) {
  const open = must_hold === 'all' ? own.filter(({ verdict, decided_by }) => verdict === 'inconclusive' && decided_by) : [row];
  const countOf = ({ decided_by = '' }) => parseInt(decided_by, 10) || MANY; // "more than 100 trials", or words that name none
  const [most] = [...open].sort((a, b) => countOf(b) - countOf(a));
  const need = most?.decided_by?.replace(/^(more than \d+ trials):.*/, '$1'); // the rest repeats the row's numbers
  return need && `to decide ${most === row ? 'it' : 'all rows'}: ${need}`;
}

const COLUMNS = ['era', 'verdict', 'our number', 'trials', 'tested', 'rows', 'found'];

/**
 * @param {ClaimVerdict[]} judged of one claim
 * @param {Pick<import('../harness/records/sources.js').Run, 'verdicts' | 'spec'>} run @param {Findings} findings
 * @returns {string[]} a Markdown table with a line for each era; above it what was tested, if all eras tested the same
 */
export function tableOfEras(judged, { verdicts, spec }, findings) {
  const rows = [...judged].sort((a, b) => a.era.localeCompare(b.era)).map((each) => {
    const own = verdicts.filter(({ claim, era }) => claim === each.claim && era === each.era);
    const row = findHeadline(each, own, findings);
    const need = row.verdict === 'inconclusive' ? findNeed(each, row, own) : undefined;
    const more = need ? `; ${need}` : '';
    const { what, where, criterion } = describeTested(row, spec, findings);
    return [
      each.era, describeVerdict(each, row) + more, describeBoth(row), row.mean === null ? '-' : `${row.n}`,
      inMarkdown([what, where, criterion].filter(Boolean).join('; ')), countRows(own), inMarkdown(shortenFound(each.found)) || '-',
    ];
  });
  const columnOf = (/** @type {string} */ name) => new Set(rows.map((cells) => cells[COLUMNS.indexOf(name)]));
  const common = /** @type {const} */ (['tested', 'found']).map((name) => ({ name, alike: columnOf(name).size === 1 ? [...columnOf(name)][0] : undefined }));
  const shown = COLUMNS.map((name) => common.every((each) => each.name !== name || each.alike === undefined)
    && (name !== 'rows' || [...columnOf('rows')].join() !== '1'));
  const said = common.flatMap(({ name, alike = '-' }) => (alike === '-' ? [] : [`${name === 'tested' ? 'Tested' : 'Found'}: ${alike}.`])).join(' ');
  const lines = [COLUMNS, COLUMNS.map(() => '-'), ...rows].map((cells) => `| ${cells.filter((_, index) => shown[index]).join(' | ')} |`);
  return [...(said ? [said, ''] : []), ...(judged.every(({ verdict }) => verdict === 'not run') ? ['Verdict: **not run**.'] : lines)];
}

/** @param {{verdict: string}[]} rows @returns {string[]} such as "3 reproduced" for each verdict that a row has */
export const countVerdicts = (rows) => WORDS.map((word) => ({ word, count: rows.filter(({ verdict }) => verdict === word).length }))
  .filter(({ count }) => count).map(({ word, count }) => `${count} ${word}`);

/** @param {Verdict[]} rows @returns {string} such as "4", or "3 reproduced, 1 inconclusive" */
function countRows(rows) {
  const counts = countVerdicts(rows);
  return counts.length === 1 ? `${rows.length}` : counts.join(', ');
}
