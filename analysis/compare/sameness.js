/** Are two versions the same? Pairs their trials, computes the shifts, and finds the significant ones. */
import { intervalOf } from '../statistics/intervals.js';
import { BLOCKS_MIN, computeShifts, findAlarms, findBounds } from './shifts.js';
import { distanceFound } from '../statistics/tests.js';
import { digits, formatTable } from '../../harness/common/format.js';

/** @typedef {import('./shifts.js').Shift} Shift */
/** @typedef {import('./shifts.js').Pair} Pair */
/** @typedef {Record<string, string>} Row of trials.tsv */

/** The only metric to judge: metrics of a point are correlated, so several would count one chance effect more than once. */
export const JUDGED = 'server_cpu_s_per_1k';
/**
 * Share of comparisons that may raise an alarm although nothing differs. Borrowing variance from unlike series adds some false
 * alarms: we aim at 4 % to stay within 5 %.
 */
export const FALSE_ALARMS_MAX = 0.04;

/**
 * Pairs trials of the same point and block, if both costs are above 0.
 * @param {Row[]} a @param {Row[]} b of trials.tsv @returns {Pair[]}
 */
export function pairTrials(a, b) {
  const keyOf = (/** @type {Row} */ { engine, workload, setting, block }) => [engine, workload, setting, block].join('\t');
  const others = new Map(b.filter(({ metric }) => metric === JUDGED).map((row) => [keyOf(row), Number(row.value)]));
  return a.filter((row) => row.metric === JUDGED && Number(row.value) > 0 && (others.get(keyOf(row)) ?? 0) > 0).map((row) => ({
    engine: row.engine, block: row.block, log: Math.log(Number(others.get(keyOf(row))) / Number(row.value)),
    point: [row.engine, row.workload, ...(row.setting === '-' ? [] : [row.setting])].join(' '),
  }));
}

/** @param {Pair[]} pairs @returns {boolean} are there enough blocks? */
export const canJudge = (pairs) => new Set(pairs.map(({ block }) => block)).size >= BLOCKS_MIN;

/**
 * @param {Pair[]} pairs @param {{drift?: number, alpha?: number}} [options] see computeShifts and findAlarms
 * @returns {{shifts: Shift[], alarms: Shift[]}}
 */
export function judgePairs(pairs, { drift = 0, alpha = FALSE_ALARMS_MAX } = {}) {
  const shifts = computeShifts(pairs, drift);
  return { shifts, alarms: findAlarms(shifts, alpha) };
}

/**
 * Judges each engine by itself, for a reader of its line alone.
 * @param {Pair[]} pairs @returns {{name: string, shift: Shift, isAlarm: boolean}[]} engines with enough blocks
 */
export const judgeEach = (pairs) => [...Map.groupBy(pairs, ({ engine }) => engine)].flatMap(([name, own]) => {
  const { shifts: [shift], alarms } = judgePairs(own);
  return shift ? [{ name, shift, isAlarm: alarms.length > 0 }] : [];
});

/** @param {Shift} shift @returns {string} the ratio with its 95 % interval, not corrected for other shifts */
export function formatShift({ log, error, degrees }) {
  const [low, high] = intervalOf({ mean: log, error, degrees });
  return `${digits(Math.exp(log))} [${digits(Math.exp(low))}, ${digits(Math.exp(high))}]`;
}

/** @param {Shift} shift @returns {string} */
export const describeAlarm = (shift) => `${nameShift(shift)}, costs ${formatShift(shift)} times as much in B as in A`;

/** @param {Shift} shift @returns {string} */
const nameShift = ({ of, name }) => (of === 'all' ? 'everything' : `${name}, beyond everything`);

/** @param {Shift} shift @param {boolean} isAlarm @returns {string} a mark; a shift of everything within the drift is noted, too */
function describeShift({ of, log, error, degrees, p }, isAlarm) {
  if (isAlarm) return 'DIFFERS';
  const isForgiven = of === 'all' && p === 1 && intervalOf({ mean: Math.abs(log), error, degrees })[0] > 0;
  return isForgiven ? 'moved, as a machine may: `./wscale duet` tells' : '';
}

/** @param {Shift[]} shifts @param {Shift[]} alarms @returns {string} a table */
export function describeShifts(shifts, alarms) {
  const lines = shifts.map((shift) => [
    nameShift(shift), String(shift.n), formatShift(shift), String(shift.degrees), shift.p < 1e-4 ? '< 0.0001' : shift.p.toFixed(4),
    describeShift(shift, alarms.includes(shift)),
  ]);
  return formatTable([`shift of ${JUDGED}`, 'blocks', 'B / A [95 %]', 'degrees', 'p', ''], lines);
}

/** A difference that a run "would have found" is found in four of five runs; one that it "would not", in at most one of five. */
const FOUND = { often: 0.8, seldom: 0.2 };

/**
 * Power from the spread within the run.
 * @param {Shift} shift @param {number} p highest p of an alarm
 * @returns {{found: number, missed: number}} ratios minus 1: a difference that would have been found, and one that would not
 */
export function findPower(shift, p) {
  const [found, missed] = [FOUND.often, FOUND.seldom].map((share) => Math.expm1(distanceFound(shift, p, share)));
  return { found, missed };
}

/** @param {number} share @param {(x: number) => number} round @returns {string} in whole percent, or halves below 5 */
const inPercent = (share, round) => `${share < 0.05 ? round(200 * share) / 2 : round(100 * share)} %`;

/** @param {Shift[]} shifts @param {Shift[]} alarms @returns {string[]} by shift without alarm, which difference would have given one */
export function describePower(shifts, alarms) {
  const bounds = findBounds(shifts, FALSE_ALARMS_MAX);
  const unseen = shifts.filter((shift) => !alarms.includes(shift));
  if (unseen.length === 0) return [];
  return [...unseen.map((shift) => {
    const { found, missed } = findPower(shift, Number(bounds.get(shift)));
    return `${nameShift(shift)}: no difference seen; one of ${inPercent(found, Math.ceil)} would have been, one of ${inPercent(missed, Math.floor)} not`;
  }), `("would have been": in ${100 * FOUND.often} of 100 such runs, by the spread of this one; "not": in ${100 * FOUND.seldom} of 100 or fewer)`];
}
