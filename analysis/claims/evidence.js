/** How strongly a row supports or contradicts its criterion, and how many trials would decide it. */
import { parseCriterion, placeInterval, violatedBounds } from '../points/criterion.js';
import { LEVEL, intervalOf } from '../statistics/intervals.js';
import { probabilityOf } from '../statistics/tests.js';
import { digits } from '../../harness/common/format.js';

/** @typedef {import('./verdict.js').Row} Row */
/**
 * @typedef {object} Evidence
 * @property {(bound: number) => number} probabilityAt two-sided p-value of the row's distance from the bound
 * @property {(n: number) => [number, number]} intervalAfter its interval after n trials with the present mean and spread
 */

/** Nobody waits for more trials. */
const TRIALS_MAX = 100;

/** The logarithm; -Infinity for 0 or less. @param {number} x */
const log = (x) => (x > 0 ? Math.log(x) : -Infinity);

/**
 * @param {Row} row its scale is linear unless the table says "log", and without degrees of freedom it has those of a mean
 * @returns {Evidence | undefined} undefined without an interval or its standard error, or for a minimum and maximum
 */
function readEvidence({ n, mean, low, high, scale, degrees = n - 1, error, level = LEVEL }) {
  if (mean === null || low === null || high === null || scale === 'range' || degrees < 1 || error === undefined) return undefined;
  const [toScale, fromScale] = scale === 'log' ? [log, Math.exp] : [Number, Number];
  const centre = toScale(Number(mean));
  return {
    probabilityAt: (bound) => probabilityOf(centre - toScale(bound), { error, degrees }),
    intervalAfter(trials) {
      const after = { mean: centre, error: error * Math.sqrt(n / trials), degrees: degrees + trials - n };
      const [from, to] = intervalOf(after, level);
      return [fromScale(from), fromScale(to)];
    },
  };
}

/**
 * @param {Row} row
 * @returns {{side: 'inside' | 'outside', p: number}} the side of the criterion on which the mean lies, and the probability that
 *   chance alone would bring it there from the other side. p is 0 or 1 for a criterion that does not test a mean ("reaches",
 *   the inside of "holds"), and 1 for a row that needs more cores, lacked its load, or has blocks without a value that leave it open
 */
export function weigh(row) {
  const { mean, verdict } = row;
  const criterion = parseCriterion(row.criterion);
  const decided = { reproduced: 'inside', 'not reproduced': 'outside' }[String(verdict)];
  const evidence = readEvidence(row);
  const isNoMean = criterion.kind === 'reaches' || (criterion.kind === 'holds' && decided === 'inside');
  const isOpen = verdict === 'needs more cores' || row.unloaded || ((row.boundless || row.lacking) && !decided);
  if (mean === null || !evidence || isOpen || isNoMean) {
    return { side: decided === 'inside' ? 'inside' : 'outside', p: decided ? 0 : 1 };
  }
  const violated = criterion.kind === 'holds' ? criterion.bounds : violatedBounds(criterion, mean);
  const looks = (1 - LEVEL) / (1 - (row.level ?? LEVEL)); // correction for the number of looks
  const ps = (violated.length ? violated : criterion.bounds).map((bound) => Math.min(1, looks * evidence.probabilityAt(bound)));
  return violated.length ? { side: 'outside', p: Math.min(...ps) } : { side: 'inside', p: Math.max(...ps) };
}

/** @param {Row} row an inconclusive one @returns {string} how many trials would decide it, with the present mean and spread */
export function describeNeed(row) {
  if (row.scale === 'range') return 'some trials reach it, some do not: more do not decide it';
  const evidence = readEvidence(row);
  if (!evidence && row.low !== null) return 'no number of trials: its standard error is not known';
  if (!evidence) return row.n < 3 ? '3 trials or more' : 'no number of trials: it has no interval';
  for (let n = row.n + 1; n <= TRIALS_MAX; n++) {
    if (placeInterval(parseCriterion(row.criterion), ...evidence.intervalAfter(n)) !== 'across') return `${n} trials`;
  }
  return `more than ${TRIALS_MAX} trials${describeNearness(row)}`;
}

/**
 * @param {Row} row with a mean close to its criterion
 * @returns {string} for a criterion of equality, how far apart the two can be; otherwise how close the mean is to which bound
 */
function describeNearness({ criterion, to, scale, mean, low, high }) {
  const { kind, bounds } = parseCriterion(criterion);
  if (kind === 'holds') return '';
  const range = `${digits(low)} to ${digits(high)}`;
  if (bounds.length === 1 && bounds[0] === 1 && to !== '-') return `: the one is ${range} times the other`;
  if (bounds.length === 1 && bounds[0] === 0 && scale !== 'log') return `: 0 within ${range}`;
  const [nearest] = bounds.sort((a, b) => Math.abs(Number(mean) - a) - Math.abs(Number(mean) - b));
  const away = nearest === 0 ? digits(Math.abs(Number(mean))) : `${digits(100 * Math.abs(Number(mean) / nearest - 1))} %`;
  return `: the mean is ${away} from ${digits(nearest)}`;
}
