/** Are two versions the same? Their trials in pairs, the shifts that these show, and which of them are more than chance. */
import { intervalOf } from '../statistics/intervals.js';
import { BLOCKS_MIN, computeShifts, findAlarms, findBounds } from './shifts.js';
import { tQuantile } from '../statistics/distributions.js';
import { digits, formatTable } from '../../harness/common/format.js';

/** @typedef {import('./shifts.js').Shift} Shift */
/** @typedef {import('./shifts.js').Pair} Pair */
/** @typedef {Record<string, string>} Row of trials.tsv */

/** What is judged: the metrics of a point rise and fall together, and all of them would count one chance several times. */
export const JUDGED = 'server_cpu_s_per_1k';
/**
 * Of comparisons in which nothing differs, so many may say that something does. A variance that is borrowed from unlike ones
 * misleads a little: 4 % are aimed at, so that 5 % hold.
 */
export const FALSE_ALARMS_MAX = 0.04;

/**
 * Trials of one point and block, of which both cost something.
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
 * Each engine by itself, as who reads its line alone does.
 * @param {Pair[]} pairs @returns {{name: string, shift: Shift, isAlarm: boolean}[]} of those with enough blocks
 */
export const judgeEach = (pairs) => [...Map.groupBy(pairs, ({ engine }) => engine)].flatMap(([name, own]) => {
  const { shifts: [shift], alarms } = judgePairs(own);
  return shift ? [{ name, shift, isAlarm: alarms.length > 0 }] : [];
});

/** @param {Shift} shift @returns {string} the ratio with its 95 % interval, which is of this shift alone */
export function formatShift({ log, error, degrees }) {
  const [low, high] = intervalOf({ mean: log, error, degrees });
  return `${digits(Math.exp(log))} [${digits(Math.exp(low))}, ${digits(Math.exp(high))}]`;
}

/** @param {Shift} shift @returns {string} */
export const describeAlarm = (shift) => `${nameShift(shift)}, costs ${formatShift(shift)} times as much in B as in A`;

/** @param {Shift} shift @returns {string} */
const nameShift = ({ of, name }) => (of === 'all' ? 'everything' : `${name}, beyond everything`);

/** @param {Shift} shift @param {boolean} isAlarm @returns {string} a shift of everything may be the machine's, and is no less there */
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

/** What a run "would have found" it finds in four of five runs, what it "would not" in one of five at most. */
const FOUND = { often: 0.8, seldom: 0.2 };

/**
 * By the spread that a run saw: its shift divided by its standard error lies round the true one as Student's t, and is an alarm from the
 * bound on (the noncentral t is not far from that where there are ten degrees or more).
 * @param {Shift} shift @param {number} p to which it would be an alarm
 * @returns {{found: number, missed: number}} ratios less 1: a difference that would have been found, and one that would not
 */
export function findPower({ error, degrees }, p) {
  const bound = tQuantile(degrees, 1 - p);
  const beyond = (/** @type {number} */ share) => Math.sign(share - 0.5) * tQuantile(degrees, Math.abs(2 * share - 1));
  const [found, missed] = [FOUND.often, FOUND.seldom].map((share) => Math.expm1(error * (bound + beyond(share))));
  return { found, missed };
}

/** @param {number} share @param {(x: number) => number} round @returns {string} in whole percent, or halves below 5 */
const inPercent = (share, round) => `${share < 0.05 ? round(200 * share) / 2 : round(100 * share)} %`;

/** @param {Shift[]} shifts @param {Shift[]} alarms @returns {string[]} of each where no difference was seen, which one would have been */
export function describePower(shifts, alarms) {
  const bounds = findBounds(shifts, FALSE_ALARMS_MAX);
  const unseen = shifts.filter((shift) => !alarms.includes(shift));
  if (unseen.length === 0) return [];
  return [...unseen.map((shift) => {
    const { found, missed } = findPower(shift, Number(bounds.get(shift)));
    return `${nameShift(shift)}: no difference seen; one of ${inPercent(found, Math.ceil)} would have been, one of ${inPercent(missed, Math.floor)} not`;
  }), `("would have been": in ${100 * FOUND.often} of 100 such runs, by the spread of this one; "not": in ${100 * FOUND.seldom} of 100 or fewer)`];
}
