/**
 * Judges what the suite reported about each planted fault, with a function per part that takes only that part's measurements. `passed` is
 * null if these can't tell: too few blocks, or a machine kept busy by others.
 */
import { max, median, min, sum } from 'd3-array';
import { digits, formatInterval, numberOrNull } from '../../common/format.js';
import { FALSE_ALARMS_MAX, formatShift, judgeEach, judgePairs } from '../../../analysis/compare/sameness.js';
import { findBounds } from '../../../analysis/compare/shifts.js';
import { percentileOfStall } from '../../common/stall.js';
import { binomialAtLeast } from '../../../analysis/statistics/distributions.js';
import { intervalOf } from '../../../analysis/statistics/intervals.js';

/** @typedef {import('../../../analysis/compare/shifts.js').Pair} Pair */
/** @typedef {import('../../../analysis/compare/shifts.js').Shift} Shift */
/**
 * @typedef {{label: string, expected: number, found: number, low?: number, high?: number, other?: number}} Mark a line of a figure: as
 *   planted and as found; `low` and `high`: of the 95 % interval, or of all values; `other`: for comparison, see the part's `figure`
 */
/** @typedef {{passed: boolean | null, said: string, columns: string[], rows: string[][], marks: Mark[]}} Outcome `said`: one sentence */

/** @param {(boolean | null)[]} parts @returns {boolean | null} */
const allOf = (parts) => (parts.includes(false) ? false : parts.length === 0 || parts.includes(null) ? null : true);

/** @param {Shift} shift @returns {Required<Pick<Mark, 'found' | 'low' | 'high'>>} */
function markOf({ log, error, degrees }) {
  const [low, high] = intervalOf({ mean: log, error, degrees }).map(Math.exp);
  return { found: Math.exp(log), low, high };
}

/** @param {number} p */
const formatP = (p) => (p < 1e-4 ? '< 0.0001' : p.toFixed(4));

/** False alarms fail only if chance would raise as many with a lower probability than this. */
const CHANCE_MIN = 0.05;

/**
 * Twins are judged alone, like the slower copies, and all at once, as in `make duet`. Nothing differs, so every alarm is false. Few false
 * alarms of single twins may be chance: then the outcome is open. More of them fail, and so does any alarm of all at once.
 * @param {{pairs: Pair[]}} measured each engine against its twin @returns {Outcome}
 */
export function judgeSame({ pairs }) {
  const { shifts, alarms } = judgePairs(pairs);
  const each = judgeEach(pairs);
  const bounds = findBounds(shifts, FALSE_ALARMS_MAX);
  const nameOf = (/** @type {Shift} */ { of, name }) => `all at once: ${of === 'all' ? 'everything' : `${name}, beyond everything`}`;
  const together = each.length > 1 ? shifts : []; // the same with one engine
  const compared = [
    ...each.map(({ name, shift, isAlarm }) => ({ label: `${name} by itself`, shift, bound: FALSE_ALARMS_MAX, isAlarm })),
    ...together.map((shift) => ({ label: nameOf(shift), shift, bound: Number(bounds.get(shift)), isAlarm: alarms.includes(shift) })),
  ];
  const alone = each.filter(({ isAlarm }) => isAlarm).length;
  const wrong = together.length > 0 && alarms.length > 0 ? 1 : 0;
  const tried = each.length + (together.length ? 1 : 0);
  const isChance = wrong === 0 && binomialAtLeast(alone, each.length, FALSE_ALARMS_MAX) >= CHANCE_MIN;
  return {
    passed: tried > 0 && alone + wrong === 0 ? true : isChance ? null : false,
    said: describeFalse(alone + wrong, tried),
    columns: ['compared', 'blocks', 'twin / engine [95 %]', 'p', 'alarm up to', 'the suite says'],
    rows: compared.map(({ label, shift, bound, isAlarm }) => (
      [label, String(shift.n), formatShift(shift), formatP(shift.p), formatP(bound), isAlarm ? 'differs: a false alarm' : 'no difference'])),
    marks: compared.map(({ label, shift }) => ({ label, expected: 1, ...markOf(shift) })),
  };
}

/** @param {number} falsely @param {number} tried comparisons between identical engines @returns {string} */
function describeFalse(falsely, tried) {
  if (tried === 0) return 'nothing: too few trials stand';
  const found = falsely ? `${falsely} of ${tried} comparisons raised a false alarm, ${digits((100 * falsely) / tried)} %` : `no false alarm in ${tried} comparison${tried > 1 ? 's' : ''}`;
  return `${found}; ${100 * FALSE_ALARMS_MAX} % are to be expected`;
}

/** Largest extra cost of a copy, as a share of a message's cost: it counts messages and reads a clock with each. */
const COPYING_MAX = 0.1;

/**
 * A slowdown is found if there is an alarm in the right direction with the right size: the interval overlaps the range from the planted
 * slowdown to COPYING_MAX above it. It is missed if the interval excludes it; otherwise there were too few blocks.
 * @param {{planted: {name: string, percent: number, pairs: Pair[]}[]}} measured @returns {Outcome}
 */
export function judgeSlowdowns({ planted }) {
  const found = planted.flatMap(({ name, percent, pairs }) => {
    const { shifts: [shift], alarms } = judgePairs(pairs);
    if (!shift) return [];
    const mark = { label: `${name}, ${percent} % planted`, expected: 1 + percent / 100, ...markOf(shift) };
    const isFound = alarms.length > 0 && shift.log > 0;
    const isOfSize = mark.high >= mark.expected && mark.low <= mark.expected + COPYING_MAX;
    const passed = isFound ? isOfSize : mark.high >= mark.expected ? null : false;
    const verdict = isFound ? (isOfSize ? 'costs more' : 'costs more, by another amount') : passed === null ? 'can not tell: too few blocks' : 'no difference';
    return [{ mark, passed, cells: [name, `${percent} %`, String(shift.n), formatShift(shift), formatP(shift.p), verdict] }];
  });
  const count = found.filter(({ passed }) => passed).length;
  return {
    passed: allOf(found.map(({ passed }) => passed)),
    said: found.length ? `${count} of ${found.length} copies cost more; their intervals meet what was planted, to ${digits(100 * COPYING_MAX)} % beyond` : 'nothing: too few trials stand',
    columns: ['engine', 'planted', 'blocks', 'copy / engine [95 %]', 'p', 'the suite says'],
    rows: found.map(({ cells }) => cells), marks: found.map(({ mark }) => mark),
  };
}

/** The shares of the window and of the whole run differ by messages in flight at the window's ends. */
const SHARE_TOLERANCE = 0.002;

/**
 * @typedef {{trial: string, flags: string[], came: number, dropped: number, missing: number, answered_share: number}} Loss `came` and
 *   `dropped`: the server's counts; `missing`: the generator's, over the whole run; `answered_share`: of the window, from the tables
 */
/** @param {{trials: Loss[]}} measured @returns {Outcome} */
export function judgeLosses({ trials }) {
  const judged = trials.map((trial) => {
    const expected = trial.came ? 1 - trial.dropped / trial.came : NaN;
    const isShare = Math.abs(trial.answered_share - expected) <= SHARE_TOLERANCE;
    return { ...trial, expected, isRight: isShare && trial.missing === trial.dropped };
  });
  return {
    passed: judged.some(({ dropped }) => dropped > 0) ? judged.every(({ isRight }) => isRight) : null,
    said: `${sum(judged, ({ missing }) => missing)} messages were never answered; the servers dropped ${sum(judged, ({ dropped }) => dropped)}`,
    columns: ['trial', 'messages that came', 'dropped by the server', 'missing, says the suite', 'answered share, expected', 'in the tables', 'flagged'],
    rows: judged.map((trial) => [
      trial.trial, String(trial.came), String(trial.dropped), String(trial.missing), trial.expected.toFixed(4),
      trial.answered_share.toFixed(4), trial.flags.join(', ') || '-',
    ]),
    marks: judged.map((trial) => ({ label: trial.trial, expected: 100 * (1 - trial.expected), found: 100 * (1 - trial.answered_share) })),
  };
}

/**
 * @typedef {{total_rate_hz: number, burn_us: number, percent: number, original: string, copy: string,
 *   rows: Record<string, string>[]}} Ranked
 *   `original` and `copy` are names; `rows` are from ranks.tsv
 */
/**
 * A copy passes if it ranks below its original. If the ranks are equal, there were too few trials; but if even the far ends of both
 * intervals are closer than the planted difference, it fails.
 * @param {Ranked} measured @returns {Outcome}
 */
export function judgeRanked({ total_rate_hz, burn_us, percent, original, copy, rows }) {
  const columns = ['rank', 'engine', 'planted', 'trials', `CPU, us a message at ${total_rate_hz} a second [95 %]`];
  const [own, slowed] = [original, copy].map((name) => rows.find(({ engine }) => engine === name));
  if (!own || !slowed || own.rank === '-' || slowed.rank === '-') {
    return { passed: null, said: 'nothing: too few trials stand, or one did not come to the rate', columns, rows: [], marks: [] };
  }
  const below = Math.sign(Number(slowed.rank) - Number(own.rank));
  const isImpossible = Number(slowed.high) < Number(own.low) * (1 + percent / 100);
  const us = (/** @type {Record<string, string>} */ row) => Number(row.us_per_message);
  return {
    passed: below > 0 ? true : below < 0 || isImpossible ? false : null,
    said: `${below > 0 ? 'the copy ranks below its original' : below < 0 ? 'the copy ranks above its original' : 'the two are equal'}: ${digits(us(slowed) / us(own))} times the CPU`,
    columns,
    rows: rows.map(({ rank, is_shared, engine, n, us_per_message, low, high }) => [
      `${rank}${is_shared === 'yes' ? ' =' : ''}`, engine, engine === copy ? `${percent} %: ${digits(burn_us)} us` : 'nothing', n,
      formatInterval({ mean: numberOrNull(us_per_message), low: numberOrNull(low), high: numberOrNull(high) }),
    ]),
    marks: [[own, us(own)], [slowed, us(own) * (1 + percent / 100)]].map(([row, expected]) => {
      const { engine, us_per_message, low, high } = /** @type {Record<string, string>} */ (row);
      return { label: engine, expected: Number(expected), found: Number(us_per_message), ...(low !== '-' && { low: Number(low), high: Number(high) }) };
    }),
  };
}

/** Relative tolerance of a percentile: messages that waited through a stall are answered one after the other at its end. */
const STALL_TOLERANCE = 0.05;
/** Without a stall, latencies must be below this share of the stall. */
const CALM_SHARE = 0.25;

/**
 * @typedef {{percentile: number, calm_ms: number, open_ms: number, closed_ms: number}} Percentile `calm`: without a stall; `closed`: with a
 *   load that waits for each answer
 */
/** @param {{stall_ms: number, percentiles: Percentile[], flags: string[]}} measured @returns {Outcome} */
export function judgeStall({ stall_ms, percentiles, flags }) {
  const baseUs = 1000 * (percentiles[0]?.calm_ms ?? NaN);
  const judged = percentiles.map(({ percentile, calm_ms, open_ms, closed_ms }) => {
    const expected_ms = percentileOfStall(percentile, { stallUs: 1000 * stall_ms, baseUs }) / 1000;
    const isRight = Math.abs(open_ms - expected_ms) <= Math.max(STALL_TOLERANCE * expected_ms, 2) && calm_ms < CALM_SHARE * stall_ms;
    return { percentile, calm_ms, open_ms, closed_ms, expected_ms, isRight };
  });
  const top = judged.at(-1);
  const isRight = judged.length > 0 && judged.every((each) => each.isRight);
  return {
    passed: isRight ? true : judged.length === 0 || flags.length ? null : false,
    said: top ? `the p${top.percentile} is ${digits(top.open_ms)} ms; a load that waits for each answer would have said ${digits(top.closed_ms)} ms` : 'nothing: too few trials stand',
    columns: ['percentile', 'without a stall, ms', 'expected, ms', 'found, ms', 'by a closed load, ms'],
    rows: judged.map((each) => [`p${each.percentile}`, ...[each.calm_ms, each.expected_ms, each.open_ms, each.closed_ms].map(digits)]),
    marks: judged.map((each) => ({ label: `p${each.percentile}`, expected: each.expected_ms, found: each.open_ms, other: each.closed_ms })),
  };
}

/** Rules that flag an overloaded generator. */
const OF_GENERATOR = ['generator-cpu', 'generator-warnings', 'late-sends', 'offered-rate'];

/** @typedef {{rule: string, value: string, bound: string, passed: string}} Checked A row of validity.tsv */
/** @param {{quota: number, free: Checked[][], starved: Checked[][], why?: string}} measured rules of each trial @returns {Outcome} */
export function judgeStarved({ quota, free, starved, why }) {
  const columns = ['rule', 'bound', 'with its core', `with ${quota} of a core`, 'flagged'];
  if (why) return { passed: null, said: `nothing: ${why}`, columns, rows: [], marks: [] };
  const isCaught = (/** @type {Checked[]} */ trial) => trial.some(({ rule, passed }) => OF_GENERATOR.includes(rule) && passed === 'no');
  const caught = starved.filter(isCaught).length;
  const falsely = free.filter(isCaught).length;
  const valueOf = (/** @type {Checked[][]} */ trials, /** @type {string} */ rule) =>
    Math.max(...trials.flatMap((trial) => trial.filter((each) => each.rule === rule).map(({ value }) => Number(value))));
  const listed = OF_GENERATOR.flatMap((rule) => starved[0]?.find((each) => each.rule === rule) ?? []);
  const rows = listed.map(({ rule, bound }) => {
    const [own, confined] = [valueOf(free, rule), valueOf(starved, rule)];
    return { rule, bound, own, confined, isFlagged: starved.some((trial) => trial.some((each) => each.rule === rule && each.passed === 'no')) };
  });
  const isSure = starved.length > 0 && caught === starved.length;
  return {
    passed: starved.length === 0 ? null : !isSure ? false : falsely === 0 ? true : null,
    said: `${caught} of ${starved.length} trials of a starved generator are flagged, and ${falsely} of ${free.length} of one with a core of its own`,
    columns,
    rows: rows.map(({ rule, bound, own, confined, isFlagged }) => [rule, bound, digits(own), digits(confined), isFlagged ? 'yes' : 'no']),
    marks: rows.filter(({ bound }) => Number(bound) > 0).map(({ rule, bound, own, confined }) => (
      { label: rule, expected: 100, found: (100 * confined) / Number(bound), other: (100 * own) / Number(bound) })),
  };
}

/** Smallest value to draw: a logarithmic axis has no 0. */
const LEAST_DRAWN = 1e-9;

/** @typedef {{what: string, numbers: number, difference: number, tolerance: number}} Compared `difference`: the largest relative one */
/** @param {{compared: Compared[]}} measured @returns {Outcome} */
export function judgeRecomputed({ compared }) {
  const all = sum(compared, ({ numbers }) => numbers);
  const wrong = compared.filter(({ difference, tolerance }) => !(difference <= tolerance));
  return {
    passed: all === 0 ? null : wrong.length === 0,
    said: all === 0 ? 'nothing: there are no trials' : wrong.length
      ? `otherwise than the recomputation: ${wrong.map(({ what }) => what).join(', ')}` : `the same, in all of ${all} numbers`,
    columns: ['number', 'how many', 'greatest difference', 'tolerance'],
    rows: compared.map(({ what, numbers, difference, tolerance }) => (
      [what, String(numbers), difference.toExponential(1), tolerance.toExponential(0)])),
    marks: compared.map(({ what, difference, tolerance }) => (
      { label: what, expected: tolerance, found: Math.max(difference, LEAST_DRAWN) })),
  };
}

/** With fewer answers, a share of 9 in 10 means little. */
const ANSWERS_MIN = 10;

/** @param {{answers: import('./held-out.js').Answer[], within: number, share: number}} measured @returns {Outcome} */
export function judgeHeld({ answers, within, share }) {
  const judged = answers.flatMap(({ engine, total_rate_hz, answered, measured, apart }) =>
    (answered === undefined ? [] : [{ engine, total_rate_hz, off: answered / measured - 1, apart }]));
  const refused = answers.length - judged.length;
  const near = judged.filter(({ off }) => Math.abs(off) <= within).length;
  return {
    passed: answers.length < ANSWERS_MIN ? null : near >= share * answers.length,
    said: `${near} of ${answers.length} answers are within ${Math.round(100 * within)} % of what was measured then${refused ? `, and ${refused} were refused` : ''}`,
    columns: ['messages a second', 'answers', `within ${Math.round(100 * within)} %`, 'off by, at the middle', 'at the most', 'loads whose own trials are so near'],
    rows: [...Map.groupBy(judged, ({ total_rate_hz: rate }) => rate)].sort(([one], [other]) => one - other).map(([total_rate_hz, own]) => {
      const offs = own.map(({ off }) => Math.abs(off));
      const repeated = own.flatMap(({ apart = NaN }) => (Number.isFinite(apart) ? [apart] : []));
      const counts = [total_rate_hz, own.length, offs.filter((off) => off <= within).length];
      return [
        ...counts.map(String), ...[median(offs), max(offs)].map((off) => `${(100 * Number(off)).toFixed(0)} %`),
        `${repeated.filter((apart) => apart <= within).length} of ${repeated.length}`,
      ];
    }),
    marks: [...Map.groupBy(judged, ({ engine, total_rate_hz }) => `${engine}, ${total_rate_hz} a second`)].map(([label, own]) => {
      const ratios = own.map(({ off }) => 1 + off);
      return { label, expected: 1, found: Number(median(ratios)), low: min(ratios), high: max(ratios) };
    }),
  };
}
