/** The verdict stage: what was measured, held against the criterion of each claim. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { judgeClaims } from './claims.js';
import { boundsOf, describeNeed, weigh } from './evidence.js';
import { readJson, readTsv, writeJson, writeTsv } from '../common/files.js';
import { tablesOf } from '../common/tables.js';
import { listPoints } from '../spec/points.js';
import { whyUnloaded } from './load-there.js';
import { PLAIN } from '../common/setting.js';
import { numberOrNull } from '../common/format.js';

/** @typedef {import('../spec/spec.js').Spec} Spec */
/** @typedef {'reproduced' | 'not reproduced' | 'inconclusive' | 'needs more cores' | 'not run'} Word */
/**
 * @typedef {object} Row one comparison of a claim, as a table has it
 * @property {string} claim
 * @property {string} era
 * @property {string} workload
 * @property {string} setting
 * @property {string} metric
 * @property {string} of
 * @property {string} to "-" when the value itself is judged, not a ratio
 * @property {string} [to_setting] where it is not the setting of both; absent from older records
 * @property {string} [to_metric]
 * @property {string} criterion as `judge` reads it
 * @property {number} n trials, or blocks for a ratio
 * @property {number | null} mean
 * @property {number | null} low of the 95 % interval; null when there are too few trials for one
 * @property {number | null} high
 * @property {string} [scale] "log" or "linear": on which the interval is symmetric; "range" where it is the least and the most,
 *   "share" of a share of the trials: low and high are then Clopper's and Pearson's
 * @property {number} [degrees] of freedom of its t
 * @property {number} [level] of the interval, where it is not 0.95: of a run that was looked at several times
 * @property {string} [needs] what the machine lacks for it, such as "8 cores"
 * @property {string} [unloaded] what of its load was not there (load-there.js)
 * @property {Word} [verdict]
 */
/**
 * @typedef {Row & {verdict: Word, p: number | null, decided_by?: string}} Verdict
 *   p: two-sided, against the side of the criterion on which the mean does not lie; decided_by: what would decide an inconclusive row
 */

const COMPARISON_COLUMNS = ['claim', 'era', 'workload', 'setting', 'metric', 'of', 'to', 'to_setting', 'to_metric', 'criterion'];

/**
 * Write comparisons.tsv. It has a column `needs` where the machine has too few cores for one of them.
 * @param {string} folder @param {Spec} spec
 */
export function writeComparisons(folder, spec) {
  const rows = listComparisons(spec);
  const columns = rows.some(({ needs }) => needs) ? [...COMPARISON_COLUMNS, 'needs'] : COMPARISON_COLUMNS;
  writeTsv(join(folder, 'comparisons.tsv'), columns, rows);
}

/**
 * @param {Spec} spec
 * @returns {Record<string, string>[]} each claim's comparisons, under each workload that they are measured under, or would be on more cores
 */
export function listComparisons(spec) {
  const coresFor = makeCoresFor(spec);
  return spec.claims.flatMap((claim) => claim.compare.flatMap(({ era, of, to, at = PLAIN, to_at = at, metric = claim.metric ?? '', to_metric = metric }) =>
    (claim.workload ?? spec.axes.workload).flatMap((workload) => {
      const cores = Math.max(coresFor(of, workload, at), coresFor(to, workload, to_at));
      return cores === Infinity ? [] : [{
        claim: claim.id, era, workload, setting: at, metric, of, to: to ?? '-', to_setting: to_at, to_metric, criterion: formatCriterion(claim),
        ...(cores && { needs: `${cores} cores` }),
      }];
    })));
}

/**
 * @param {Spec} spec
 * @returns {(engine: string | undefined, workload: string, setting: string) => number} 0 for a point that is measured, the cores that one
 *   needs which the machine is too small for, and Infinity for one that there is not
 */
function makeCoresFor(spec) {
  const nameOf = (/** @type {import('../spec/points.js').Point} */ { engine, workload, setting }) => [engine, workload, setting].join('\t');
  const measured = new Set(listPoints(spec).map(nameOf));
  const pointsOf = (/** @type {import('../spec/points.js').Group} */ group) => listPoints({ ...spec, points: [group] });
  const beyond = new Map((spec.beyond ?? []).flatMap((group) => pointsOf(group).map((point) => [nameOf(point), group.needs_cores])));
  return (engine, workload, setting) => {
    if (engine === undefined) return 0;
    const name = nameOf({ engine, workload, setting });
    return measured.has(name) ? 0 : beyond.get(name) ?? Infinity;
  };
}

/** @param {import('../spec/spec.js').Claim} claim @returns {string} such as ">1", "<0.05" or "0.4..0.6" */
function formatCriterion({ above, below, between, reaches }) {
  if (reaches !== undefined) return `reaches ${reaches}`;
  if (between) return between.join('..');
  return above === undefined ? `<${below}` : `>${above}`;
}

/**
 * The interval wholly on the claim's side: reproduced. Wholly on the other: not. Astride, or no interval: inconclusive.
 * @param {string} criterion ">1", "<0.05", "0.4..0.6" (within), "holds 0 within 0.1" (the interval holds the
 *   number, and is no wider than so much to each side: a wide one says nothing) or "reaches 1": that something
 *   is possible at all, which each trial shows or refutes; low and high are then the least and the most of them
 * @param {number} n @param {number | null} low @param {number | null} high
 * @returns {Word}
 */
export function judge(criterion, n, low, high) {
  if (n === 0) return 'not run';
  if (low === null || high === null) return 'inconclusive';
  const [inside, outside] = compare(criterion, low, high);
  if (inside) return 'reproduced';
  return outside ? 'not reproduced' : 'inconclusive';
}

/**
 * @param {string} criterion @param {number} low @param {number} high
 * @returns {[boolean, boolean]} is the interval wholly inside, wholly outside?
 */
function compare(criterion, low, high) {
  const bounds = boundsOf(criterion);
  if (criterion.startsWith('>')) return [low > bounds[0], high < bounds[0]];
  if (criterion.startsWith('<')) return [high < bounds[0], low > bounds[0]];
  if (criterion.startsWith('reaches ')) return [low >= bounds[0], high < bounds[0]];
  if (criterion.startsWith('holds ')) return [low <= bounds[0] && high >= bounds[0] && (high - low) / 2 <= (bounds[1] ?? Infinity), low > bounds[0] || high < bounds[0]];
  return [low > bounds[0] && high < bounds[1], high < bounds[0] || low > bounds[1]];
}

/**
 * @param {Record<string, string>} cells of reduced/compared.tsv, or of an experiment's own judged.tsv
 * @param {number} [level] of its interval
 * @returns {Verdict}
 */
export function judgeRow({ n, mean, low, high, scale = '-', degrees = '-', needs = '-', ...cells }, level) {
  const row = /** @type {Row} */ (/** @type {unknown} */ ({
    ...cells, n: Number(n), mean: numberOrNull(mean), low: numberOrNull(low), high: numberOrNull(high),
    ...(scale !== '-' && { scale }), ...(degrees !== '-' && { degrees: Number(degrees) }), ...(needs !== '-' && { needs }), ...(level && { level }),
  }));
  return judgeRead(row);
}

/** @param {Row} row @returns {Verdict} */
export function judgeRead(row) {
  const judged = row.needs ? 'needs more cores' : judge(row.criterion, row.n, row.low, row.high);
  const verdict = row.unloaded && row.n > 0 ? 'inconclusive' : judged;
  const p = row.low === null || row.needs ? null : Number(weigh({ ...row, verdict }).p.toPrecision(3));
  const load = row.unloaded && `a run with its load (${row.unloaded})`;
  const need = row.needs ?? (verdict === 'inconclusive' ? load ?? describeNeed(row, judge) : undefined);
  return { ...row, verdict, p, ...(need !== undefined && { decided_by: need }) };
}

/**
 * @param {Verdict} row @param {Record<string, string>[]} points of points.tsv
 * @returns {Verdict} that says nothing where its load was not there
 */
function judgeLoad(row, points) {
  const unloaded = row.needs ? undefined : whyUnloaded(row, points);
  return unloaded ? judgeRead({ ...row, unloaded }) : row;
}

/** Write verdict.json. @param {string} bundle @returns {Verdict[]} */
export function judgeBundle(bundle) {
  const { experiment, profile, seed, claims, precision } = readJson(join(bundle, 'spec.json'));
  const tables = ['compared.tsv', 'judged.tsv'].map((name) => join(bundle, 'reduced', name)).filter((path) => existsSync(path));
  const points = readTsv(join(tablesOf(bundle), 'points.tsv'));
  const verdicts = tables.flatMap(readTsv).map((cells) => judgeRow(cells, precision?.level)).map((row) => judgeLoad(row, points));
  writeJson(join(bundle, 'verdict.json'), { experiment, profile, seed, claims: judgeClaims(verdicts, claims), verdicts });
  return verdicts;
}
