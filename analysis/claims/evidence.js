/** How strongly a row of a table speaks for or against its criterion, and how many trials would decide it. */
import { tBeyond, tQuantile } from '../statistics/distributions.js';
import { LEVEL } from '../statistics/intervals.js';
import { digits } from '../../harness/common/format.js';

/** @typedef {import('./verdict.js').Row} Row */
/**
 * @typedef {object} Evidence
 * @property {(bound: number) => number} probabilityAt two-sided: how seldom chance alone would bring the row so far from the bound
 * @property {(n: number) => [number, number]} intervalAfter its interval, were n trials to come out as those that there are
 */

/** Beyond so many trials nobody waits. */
const TRIALS_MAX = 100;

/** A logarithm of what is 0 or less lies below everything. @param {number} x */
const log = (x) => (x > 0 ? Math.log(x) : -Infinity);

/** @param {Row} row @returns {Evidence | undefined} none where it has no interval, or one of the least and the most */
function readEvidence(row) {
  if (row.mean === null || row.low === null || row.high === null || row.scale === 'range') return undefined;
  return readMean(row);
}

/**
 * @param {Row} row of which the interval is Student's; the scale is that of the values unless the table says "log", and a row
 *   that does not name its degrees of freedom has those of a mean
 * @returns {Evidence | undefined}
 */
function readMean({ n, mean, low, high, scale, degrees = n - 1, error: told, level = LEVEL }) {
  if (degrees < 1) return undefined;
  const [toScale, fromScale] = scale === 'log' ? [log, Math.exp] : [Number, Number];
  const centre = toScale(Number(mean));
  // Older tables have the interval alone, in six digits
  const error = told ?? (toScale(Number(high)) - toScale(Number(low))) / 2 / tQuantile(degrees, level);
  return {
    probabilityAt(bound) {
      const distance = Math.abs(centre - toScale(bound));
      if (distance === 0) return 1;
      return error === 0 ? 0 : tBeyond(distance / error, degrees);
    },
    intervalAfter(trials) {
      const half = (tQuantile(degrees + trials - n, level) * error * Math.sqrt(n)) / Math.sqrt(trials);
      return [fromScale(centre - half), fromScale(centre + half)];
    },
  };
}

/** @param {string} criterion @returns {number[]} the numbers that it names */
export const boundsOf = (criterion) => criterion.replace(/^(>|<|holds |reaches )/, '').split(/\.\.| within /).map(Number);

/**
 * @param {Row} row
 * @returns {{side: 'inside' | 'outside', p: number}} on which side of the criterion the mean lies, and by what probability
 *   chance alone would bring it there from the other; 0 or 1 of a criterion that is no test of a mean ("reaches", the inside
 *   of "holds"), and 1 of a row that needs more cores, or whose load was not there, whatever was measured
 */
export function weigh(row) {
  const { criterion, mean, verdict } = row;
  const decided = { reproduced: 'inside', 'not reproduced': 'outside' }[String(verdict)];
  const evidence = readEvidence(row);
  if (mean === null || !evidence || verdict === 'needs more cores' || row.unloaded || criterion.startsWith('reaches ') || (criterion.startsWith('holds ') && decided === 'inside')) {
    return { side: decided === 'inside' ? 'inside' : 'outside', p: decided ? 0 : 1 };
  }
  const bounds = criterion.startsWith('holds ') ? boundsOf(criterion).slice(0, 1) : boundsOf(criterion);
  const violated = bounds.filter((bound, index) => {
    if (criterion.startsWith('holds ')) return true;
    return criterion.startsWith('>') || (bounds.length === 2 && index === 0) ? mean <= bound : mean >= bound;
  });
  const looks = (1 - LEVEL) / (1 - (row.level ?? LEVEL)); // a chance for each
  const ps = (violated.length ? violated : bounds).map((bound) => Math.min(1, looks * evidence.probabilityAt(bound)));
  return violated.length ? { side: 'outside', p: Math.min(...ps) } : { side: 'inside', p: Math.max(...ps) };
}

/**
 * @param {Row} row an inconclusive one
 * @param {(criterion: string, n: number, low: number, high: number) => string} judge
 * @returns {string} how many trials would decide it, were they to spread as those that there are about the same centre
 */
export function describeNeed(row, judge) {
  if (row.scale === 'range') return 'some trials reach it, some do not: more do not decide it';
  const evidence = readEvidence(row);
  if (!evidence) return row.n < 3 ? '3 trials or more' : 'no number of trials: it has no interval';
  for (let n = row.n + 1; n <= TRIALS_MAX; n++) {
    if (judge(row.criterion, n, ...evidence.intervalAfter(n)) !== 'inconclusive') return `${n} trials`;
  }
  return `more than ${TRIALS_MAX} trials${describeNearness(row)}`;
}

/**
 * @param {Row} row whose mean lies close to its criterion
 * @returns {string} where that is equality, how far from it the two can be; else how near to which bound
 */
function describeNearness({ criterion, to, scale, mean, low, high }) {
  if (criterion.startsWith('holds ')) return '';
  const bounds = boundsOf(criterion);
  const range = `${digits(low)} to ${digits(high)}`;
  if (bounds.length === 1 && bounds[0] === 1 && to !== '-') return `: the one is ${range} times the other`;
  if (bounds.length === 1 && bounds[0] === 0 && scale !== 'log') return `: 0 within ${range}`;
  const [nearest] = bounds.sort((a, b) => Math.abs(Number(mean) - a) - Math.abs(Number(mean) - b));
  const away = nearest === 0 ? digits(Math.abs(Number(mean))) : `${digits(100 * Math.abs(Number(mean) / nearest - 1))} %`;
  return `: the mean is ${away} from ${digits(nearest)}`;
}
