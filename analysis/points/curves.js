/** Cost per message against the rate, over the trials of a sweep. */
import { group, mean, sum } from 'd3-array';
import { cellOf, digitsOf } from '../digits.js';
import { findCentre } from '../statistics/intervals.js';
import { stands } from '../statistics/curve.js';
import { POINT, nameOfPoint } from './points.js';

/** @typedef {Record<string, string>} Row */

const ROLE = [...POINT, 'side', 'role'];
const MEANS = ['wakeups_hz', 'received_hz', 'latency_p50_ms', 'latency_p99_ms'];
const INTERVALS = ['cores', 'cores_low', 'cores_high', 'us_per_message', 'us_low', 'us_high'];
export const CURVE_COLUMNS = [...ROLE, 'total_rate_hz', 'batch', 'n', ...INTERVALS, ...MEANS];
export const SHARE_COLUMN = 'share';
/** Columns for multiples of a reference, if there is one. */
export const MULTIPLE_COLUMNS = ['x_reference', 'x_low', 'x_high'];

/** @param {Row} row */
export const isShare = ({ share = '-' }) => share !== '-';
/** Rates of 0 at the start and at the end of a sweep are two different steps. @param {Row} row @returns {string} key of its step */
const nameOfStep = (row) => {
  const step = [isShare(row) ? `share ${row.share}` : row.total_rate_hz, row.batch, Number(row.total_rate_hz) === 0 ? row.step : ''];
  return [...ROLE.map((column) => row[column]), ...step].join('\t');
};

/** Columns of centres that are not named as the ends of their interval. @type {Record<string, string>} */
const CENTRES = { us: 'us_per_message', x: 'x_reference' };

/** @param {number[]} values @param {string} name */
function intervalOf(values, name) {
  const { mean: centre, low, high } = findCentre(values);
  return { [CENTRES[name] ?? name]: cellOf(centre), [`${name}_low`]: cellOf(low), [`${name}_high`]: cellOf(high) };
}

/** @param {Row[]} rows @param {string} column @returns {string} "-" if a step has too few answers for the percentile */
const meanOf = (rows, column) =>
  rows.some((row) => row[column] === '-') ? '-' : digitsOf(Number(mean(rows, (row) => Number(row[column]))));

/**
 * @param {Row[][]} trials the steps of a rate and role @param {import('./multiples.js').Multiples} multiples
 * @returns {Record<string, string>} over the blocks with a reference; empty if it was not measured at the rate
 */
function describeMultiple(trials, multiples) {
  const values = trials.flatMap((own) => mean(own, (step) => multiples.ofStep(step)) ?? []);
  return values.length ? intervalOf(values, 'x') : {};
}

/** @param {Row[]} rows the steps of a rate and role, of all trials @param {import('./multiples.js').Multiples} [multiples] */
function describeStep(rows, multiples) {
  const sumOf = (/** @type {Row[]} */ own, /** @type {string} */ column) => sum(own, (row) => Number(row[column]));
  const trials = [...group(rows, ({ trial }) => trial).values()];
  const isAnswered = sumOf(trials[0], 'received_hz') > 0;
  return {
    ...rows[rows.length - 1],
    n: trials.length,
    total_rate_hz: isShare(rows[0]) ? digitsOf(Number(mean(rows, ({ total_rate_hz }) => Number(total_rate_hz)))) : rows[0].total_rate_hz,
    ...intervalOf(trials.map((own) => sumOf(own, 'cpu_cores') / own.length), 'cores'),
    ...(isAnswered
      ? intervalOf(trials.map((own) => (1e6 * sumOf(own, 'cpu_cores')) / sumOf(own, 'received_hz')), 'us')
      : { us_per_message: '-', us_low: '-', us_high: '-' }),
    ...(multiples && rows[0].side === 'server' && describeMultiple(trials, multiples)),
    ...Object.fromEntries(MEANS.map((column) => [column, meanOf(rows, column)])),
  };
}

/**
 * A sweep may pass a rate several times, up and down; we take the mean of these steps. If a server fell behind at a rate
 * in any trial, the rate is left out: the other trials would be a selection. Steps at a share of each trial's saturation
 * are grouped by share. Then total_rate_hz is the mean of their rates, and a point's steps are sorted by rate.
 * @param {Row[]} steps of steps.tsv @param {import('./multiples.js').Multiples} [multiples]
 * @returns {Record<string, string | number>[]} of curves.tsv
 */
export function computeCurves(steps, multiples) {
  const groups = [...group(steps, nameOfStep).values()];
  const curves = groups.filter((rows) => rows.every(({ backlog_s }) => stands(backlog_s))).map((rows) => describeStep(rows, multiples));
  if (!steps.some((row) => SHARE_COLUMN in row)) return curves;
  const points = [...group(/** @type {any[]} */ (curves), nameOfPoint).values()];
  return points.flatMap((rows) => rows.sort((a, b) => Number(a.total_rate_hz) - Number(b.total_rate_hz)));
}
