/** The verdict stage: what was measured, held against the criterion of each claim. */
import { join } from 'node:path';
import { readJson, readTsv, writeJson } from './files.js';
import { PLAIN } from './setting.js';

/** @typedef {import('./spec.js').Spec} Spec */
/** @typedef {'reproduced' | 'not reproduced' | 'inconclusive' | 'not run'} Word */
/**
 * @typedef {object} Verdict one comparison of a claim
 * @property {string} claim
 * @property {string} era
 * @property {string} workload
 * @property {string} setting
 * @property {string} metric
 * @property {string} of
 * @property {string} to "-" when the value itself is judged, not a ratio
 * @property {string} criterion such as ">1"
 * @property {number} n trials, or blocks for a ratio
 * @property {number | null} median
 * @property {number | null} low of the 95 % interval; null when there are too few trials for one
 * @property {number | null} high
 * @property {Word} verdict
 */

export const COMPARISON_COLUMNS = ['claim', 'era', 'workload', 'setting', 'metric', 'of', 'to', 'criterion'];

/**
 * @param {Spec} spec
 * @returns {Record<string, string>[]} rows of comparisons.tsv: each claim's comparisons by workload, with the generator of the sources
 */
export function listComparisons({ claims, axes }) {
  return claims.flatMap(({ id, metric, above, below, compare }) =>
    compare.flatMap(({ era, of, to = '-', metric: own }) => axes.workload.map((workload) => ({
      claim: id, era, workload, setting: PLAIN, metric: own ?? metric ?? '', of, to, criterion: above === undefined ? `<${below}` : `>${above}`,
    }))));
}

/**
 * The interval wholly on the claim's side: reproduced. Wholly on the other: not. Astride, or no interval: inconclusive.
 * @param {string} criterion such as ">1" or "<0.05"
 * @param {number} n @param {number | null} low @param {number | null} high
 * @returns {Word}
 */
export function judge(criterion, n, low, high) {
  if (n === 0) return 'not run';
  if (low === null || high === null) return 'inconclusive';
  const bound = Number(criterion.slice(1));
  const [inside, outside] = criterion[0] === '>' ? [low > bound, high < bound] : [high < bound, low > bound];
  if (inside) return 'reproduced';
  return outside ? 'not reproduced' : 'inconclusive';
}

/** @param {string} text of a table @returns {number | null} */
export const numberOrNull = (text) => (text === '-' ? null : Number(text));

/** @param {Record<string, string>} row of reduced/compared.tsv @returns {Verdict} */
function judgeRow({ n, median, low, high, ...row }) {
  const [lowest, highest] = [numberOrNull(low), numberOrNull(high)];
  const verdict = judge(row.criterion, Number(n), lowest, highest);
  return /** @type {Verdict} */ ({ ...row, n: Number(n), median: numberOrNull(median), low: lowest, high: highest, verdict });
}

/** Write verdict.json. @param {string} bundle @returns {Verdict[]} */
export function judgeBundle(bundle) {
  const { experiment, profile, seed } = readJson(join(bundle, 'spec.json'));
  const verdicts = readTsv(join(bundle, 'reduced', 'compared.tsv')).map(judgeRow);
  writeJson(join(bundle, 'verdict.json'), { experiment, profile, seed, verdicts });
  return verdicts;
}
