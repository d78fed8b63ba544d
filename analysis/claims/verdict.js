/** The verdict stage: judges the measurements by the criterion of each claim. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { judgeClaims } from './summary.js';
import { listCriteria, markYounger } from './younger.js';
import { COMPARISON_COLUMNS } from '../points/comparisons.js';
import { formatCriterion, parseCriterion, placeInterval } from '../points/criterion.js';
import { describeNeed, weigh } from './evidence.js';
import { describeFound } from './found.js';
import { readSpec } from '../../harness/common/bundle.js';
import { readJson, readTsv, writeJson, writeTsv } from '../../harness/common/files.js';
import { tablesOf } from '../../harness/common/tables.js';
import { listPoints } from '../../harness/spec/points.js';
import { whyUnloaded } from './load-there.js';
import { PLAIN, withoutSettings } from '../../harness/common/setting.js';
import { numberOrNull } from '../../harness/common/format.js';

/** @typedef {import('../../harness/spec/spec.js').Spec} Spec */
/** @typedef {'reproduced' | 'not reproduced' | 'at the criterion' | 'inconclusive' | 'needs more cores' | 'not run'} Word */
/** The words of a verdict, in the order of the counts. @type {Word[]} */
export const WORDS = ['reproduced', 'not reproduced', 'at the criterion', 'inconclusive', 'needs more cores', 'not run'];
/** @typedef {'as large' | 'smaller' | 'larger' | 'undecided'} SizeWord */
/**
 * @typedef {object} Row one comparison of a claim, as in a table
 * @property {string} claim @property {string} era @property {string} workload @property {string} setting @property {string} metric
 * @property {string} of @property {string} to "-" when the value itself is judged, not a ratio
 * @property {string} [to_setting] setting of `to`, if it differs @property {string} [to_metric]
 * @property {string} criterion as `judge` reads it
 * @property {number} n trials, or blocks for a ratio
 * @property {number | null} mean
 * @property {number | null} low of the 95 % interval; null if there are too few trials @property {number | null} high
 * @property {string} [scale] "log" or "linear", on which the interval is symmetric; "range" for minimum and maximum
 * @property {number} [degrees] of freedom of its t
 * @property {number} [error] standard error of the mean, on the scale; absent without an interval
 * @property {number} [level] of the interval, if not 0.95: for a run with several looks at the data
 * @property {string} [needs] what the machine lacks, such as "8 cores"
 * @property {string} [variant] of the claim, if one of several is enough
 * @property {number} [published] the source's value
 * @property {number} [boundless] blocks without a ratio because the divisor is 0 or less (comparisons.js)
 * @property {number} [lacking] blocks without a value because a standing trial lacks the metric
 * @property {string} [unloaded] what was missing from its load (load-there.js)
 * @property {Word} [verdict]
 */
/** @typedef {{word: SizeWord, mean: number, low: number | null, high: number | null}} Size ratio of our value to the published one */
/**
 * @typedef {Row & {verdict: Word, p: number | null, decided_by?: string, size?: Size}} Verdict
 *   p: two-sided, against the other side of the criterion than the mean's; decided_by: what would decide an inconclusive row
 */

/** Up to a quarter more or less counts as equally large. */
const AS_LARGE = [0.8, 1.25];
/** Reason for an undecided row: its computation was found to differ too much from a complete measurement. */
const COMPUTED = 'computed, too far from what was measured whole';
/** If an interval contains the criterion and is narrower than this share of it, more trials would not decide the row. */
const AT_CRITERION = 0.1;

/** Columns that are present only if a row has them. */
const OPTIONAL_COLUMNS = ['needs', 'variant', 'published'];
const NOTHING = Object.fromEntries(OPTIONAL_COLUMNS.map((name) => [name, '-']));

/**
 * Write comparisons.tsv, with the columns `needs` (the machine has too few cores), `variant` and `published` if a row has them.
 * @param {string} folder @param {Spec} spec
 */
export function writeComparisons(folder, spec) {
  const rows = listComparisons(spec);
  const columns = [...COMPARISON_COLUMNS, ...OPTIONAL_COLUMNS.filter((name) => rows.some((row) => row[name]))];
  writeTsv(join(folder, 'comparisons.tsv'), columns, rows.map((row) => ({ ...NOTHING, ...row })));
}

/** @param {Spec} spec @returns {Record<string, string>[]} each claim's comparisons, by workload; includes those that need more cores */
export function listComparisons(spec) {
  const coresFor = makeCoresFor(spec);
  const isRun = (/** @type {string | undefined} */ engine) => engine === undefined || spec.axes.engine.includes(engine);
  const rows = spec.claims.flatMap((claim) => claim.compare.flatMap((compared) => (claim.workload ?? spec.axes.workload).map((workload) => {
    const { era, of, to, at = PLAIN, to_at = at, metric = claim.metric ?? '', to_metric = metric, variant, published = claim.published } = compared;
    const cores = Math.max(coresFor(of, workload, at), coresFor(to, workload, to_at));
    const row = {
      claim: claim.id, era, workload, setting: at, metric, of, to: to ?? '-', to_setting: to_at, to_metric, criterion: formatCriterion(claim),
      ...(cores && cores !== Infinity && { needs: `${cores} cores` }), ...(variant && { variant }), ...(published && { published: String(published) }),
    };
    return { row, isThere: cores !== Infinity, isVariant: variant !== undefined && isRun(of) && isRun(to) };
  })));
  const nameOf = (/** @type {Record<string, any>} */ { claim, era }) => `${claim} ${era}`;
  const there = new Set(rows.filter(({ isThere }) => isThere).map(({ row }) => nameOf(row)));
  // a variant without trials may be the one that holds, so it stays as a row that was not run
  return rows.filter(({ row, isThere, isVariant }) => isThere || (isVariant && there.has(nameOf(row)))).map(({ row }) => row)
    .filter(({ of, to }) => isRun(of) && isRun(to === '-' ? undefined : to));
}

/**
 * @param {Spec} spec
 * @returns {(engine: string | undefined, workload: string, setting: string) => number} 0 for a measured point; the cores that
 *   a point needs, if the machine has fewer (measured or not); Infinity for an unknown point
 */
function makeCoresFor(spec) {
  const nameOf = (/** @type {import('../../harness/spec/points.js').Point} */ { engine, workload, setting }) => [engine, workload, setting].join('\t');
  const measured = new Set(listPoints(spec).map(nameOf));
  const pointsOf = (/** @type {import('../../harness/spec/points.js').Group} */ group) => listPoints({ ...spec, points: [group] });
  const beyond = new Map((spec.beyond ?? []).flatMap((group) => pointsOf(group).map((point) => [nameOf(point), group.needs_cores])));
  return (engine, workload, setting) => {
    if (engine === undefined) return 0;
    const name = nameOf({ engine, workload, setting });
    return beyond.get(name) ?? (measured.has(name) ? 0 : Infinity);
  };
}

/**
 * An interval entirely on the claim's side: reproduced. Entirely on the other side: not reproduced. Otherwise inconclusive.
 * @param {string} criterion as text (criterion.js) @param {number} n @param {number | null} low @param {number | null} high @returns {Word}
 */
export function judge(criterion, n, low, high) {
  if (n === 0) return 'not run';
  if (low === null || high === null) return 'inconclusive';
  const place = placeInterval(parseCriterion(criterion), low, high);
  return place === 'inside' ? 'reproduced' : place === 'outside' ? 'not reproduced' : 'inconclusive';
}

/**
 * @param {Record<string, string>} cells of reduced/compared.tsv, or of an experiment's own judged.tsv
 * @param {number} [level] of its interval @returns {Verdict}
 */
export function judgeRow(cells, level) {
  const { n, mean, low, high, scale = '-', degrees = '-', error = '-', needs = '-', variant = '-', published = '-', boundless = '-', lacking = '-', ...others } = cells;
  const row = /** @type {Row} */ (/** @type {unknown} */ ({
    ...withoutSettings(others), n: Number(n), mean: numberOrNull(mean), low: numberOrNull(low), high: numberOrNull(high),
    ...(scale !== '-' && { scale }), ...(degrees !== '-' && { degrees: Number(degrees) }), ...(error !== '-' && { error: Number(error) }),
    ...(needs !== '-' && { needs }), ...(level && { level }),
    ...(variant !== '-' && { variant }), ...(published !== '-' && { published: Number(published) }),
    ...(boundless !== '-' && { boundless: Number(boundless) }), ...(lacking !== '-' && { lacking: Number(lacking) }),
  }));
  return judgeRead(row);
}

/** @param {Row} row @returns {Verdict} */
export function judgeRead(row) {
  const verdict = findWord(row);
  const p = row.low === null || row.needs ? null : Number(weigh({ ...row, verdict }).p.toPrecision(3));
  const load = row.unloaded && `a run with its load (${row.unloaded})`;
  const need = row.needs ?? (verdict === 'inconclusive' ? load ?? describeOpen(row) ?? describeNeed(row) : undefined);
  const size = row.published && row.mean !== null ? sizeOf(row) : undefined;
  return { ...row, verdict, p, ...(need !== undefined && { decided_by: need }), ...(size && { size }) };
}

/** @param {Row} row @returns {Word} */
function findWord(row) {
  if (row.needs) return 'needs more cores';
  const word = judge(row.criterion, row.n, row.low, row.high);
  if (row.unloaded && row.n > 0) return 'inconclusive';
  if ((row.lacking && row.n > 0) || (row.boundless && isOpenAbove(row.criterion, word))) return 'inconclusive';
  return word === 'inconclusive' && isAtCriterion(row) ? 'at the criterion' : word;
}

/** Would ratios above any criterion contradict the word? @param {string} criterion @param {Word} word by the other ratios */
function isOpenAbove(criterion, word) {
  const isHeldAbove = parseCriterion(criterion).to === Infinity;
  return word === 'not run' || word === (isHeldAbove ? 'not reproduced' : 'reproduced');
}

/** @param {Row} row @returns {string | undefined} what would decide a row with blocks that give no value */
function describeOpen({ boundless = 0, lacking = 0, n }) {
  const blocks = n + boundless + lacking;
  if (lacking && n > 0) return `a value of each trial that stands: in ${lacking} of ${blocks} blocks one has none`;
  return boundless ? `a ratio in each block: in ${boundless} of ${blocks} what it is divided by is 0 or less` : undefined;
}

/** @param {Row} row with an undecided interval @returns {boolean} does the true value lie at the criterion? */
function isAtCriterion({ criterion, low, high }) {
  const { kind, bounds: [bound] } = parseCriterion(criterion);
  if (low === null || high === null || bound === 0 || (kind !== 'above' && kind !== 'below')) return false;
  return low <= bound && high >= bound && high - low < AT_CRITERION * Math.abs(bound);
}

/**
 * If a claim states that a number is below its bound, a smaller number is a larger effect.
 * @param {Row} row with a mean and a published value @returns {Size}
 */
function sizeOf({ mean, low, high, published, criterion }) {
  const [size, ...ends] = [mean, low, high].map((value) => (value === null ? null : Number((value / Number(published)).toPrecision(6))));
  const [least, most] = ends;
  const inverted = (/** @type {number | null} */ value) => (value === null ? null : value > 0 ? 1 / value : Infinity);
  const [weakest, strongest] = parseCriterion(criterion).kind === 'below' ? [inverted(most), inverted(least)] : [least, most];
  return { word: findSizeWord(weakest, strongest), mean: Number(size), low: least, high: most };
}

/** @param {number | null} low @param {number | null} high @returns {SizeWord} */
function findSizeWord(low, high) {
  if (low === null || high === null) return 'undecided';
  if (high < AS_LARGE[0]) return 'smaller';
  if (low > AS_LARGE[1]) return 'larger';
  return low >= AS_LARGE[0] && high <= AS_LARGE[1] ? 'as large' : 'undecided';
}

/**
 * @param {Verdict} row @param {Record<string, string>[]} points of points.tsv @param {Spec['claims']} claims
 * @returns {Verdict} which is inconclusive if its load was missing
 */
function judgeLoad(row, points, claims) {
  const { in_use, decides } = claims.find(({ id }) => id === row.claim) ?? {};
  const unloaded = row.needs ? undefined : decides === false ? COMPUTED : whyUnloaded(row, points, in_use);
  return unloaded ? judgeRead({ ...row, unloaded }) : row;
}

/** Write verdict.json. @param {string} bundle @param {{isAnew?: boolean}} [how] `isAnew`: judge old data once more @returns {Verdict[]} */
export function judgeBundle(bundle, { isAnew = false } = {}) {
  const spec = readSpec(bundle);
  const { experiment, profile, seed, precision } = spec;
  const tables = ['compared.tsv', 'judged.tsv'].map((name) => join(bundle, 'reduced', name)).filter((path) => existsSync(path));
  const points = readTsv(join(tablesOf(bundle), 'points.tsv'));
  const rows = tables.flatMap(readTsv).map((cells) => judgeRow(cells, precision?.level));
  const verdicts = rows.map((row) => judgeLoad(row, points, spec.claims));
  const judged = judgeClaims(verdicts, spec.claims);
  const now = listCriteria(judged, verdicts);
  const criteria_at_run = isAnew ? readCriteria(bundle) : now;
  const claims = markYounger(judged, now, criteria_at_run, verdicts).map((each) => {
    const own = verdicts.filter(({ claim, era }) => claim === each.claim && era === each.era);
    return { ...each, found: describeFound(spec, own) };
  });
  writeJson(join(bundle, 'verdict.json'), { experiment, profile, seed, claims, verdicts, criteria_at_run });
  return verdicts;
}

/** @param {string} bundle that was judged before @returns {import('./younger.js').Criteria} of its run; before 2026-11-26 none were kept */
function readCriteria(bundle) {
  const { claims, verdicts, criteria_at_run } = readJson(join(bundle, 'verdict.json'));
  return criteria_at_run ?? listCriteria(claims, verdicts);
}
