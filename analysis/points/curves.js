/** Cost per message against the rate, over the trials of a sweep. */
import { group, mean, sum } from 'd3-array';
import { digitsOf } from '../digits.js';
import { stands } from '../statistics/curve.js';
import { MULTIPLE_COLUMNS } from './multiples.js';
import { POINT, centreCells, nameOfPoint } from './points.js';

/** @typedef {Record<string, string>} Row */

const ROLE = [...POINT, 'side', 'role'];
const MEANS = ['wakeups_hz', 'received_hz', 'latency_p50_ms', 'latency_p99_ms'];
const CORES = ['cores', 'cores_low', 'cores_high'];
const COST = ['us_per_message', 'us_low', 'us_high'];
export const CURVE_COLUMNS = [...ROLE, 'total_rate_hz', 'batch', 'n', ...CORES, ...COST, ...MEANS];
export const SHARE_COLUMN = 'share';

/** @param {Row} row */
export const isShare = ({ share = '-' }) => share !== '-';
/** Rates of 0 at the start and at the end of a sweep are two different steps. @param {Row} row @returns {string} key of its step */
const nameOfStep = (row) => {
  const step = [isShare(row) ? `share ${row.share}` : row.total_rate_hz, row.batch, Number(row.total_rate_hz) === 0 ? row.step : ''];
  return [...ROLE.map((column) => row[column]), ...step].join('\t');
};

/** @param {Row[]} rows @param {string} column @returns {string} "-" if a step has too few answers for the percentile */
const meanOf = (rows, column) =>
  rows.some((row) => row[column] === '-') ? '-' : digitsOf(Number(mean(rows, (row) => Number(row[column]))));

/** @param {Row[]} rows the steps of a rate and role, of all trials @param {import('./multiples.js').Multiples} [multiples] */
function describeStep(rows, multiples) {
  const sumOf = (/** @type {Row[]} */ own, /** @type {string} */ column) => sum(own, (row) => Number(row[column]));
  const trials = [...group(rows, ({ trial }) => trial).values()];
  const answered = sumOf(trials[0], 'received_hz') > 0 ? trials : [];
  const ofBlocks = multiples && rows[0].side === 'server' ? trials.flatMap((own) => mean(own, (step) => multiples.ofStep(step)) ?? []) : [];
  return {
    ...rows[rows.length - 1],
    n: trials.length,
    total_rate_hz: isShare(rows[0]) ? digitsOf(Number(mean(rows, ({ total_rate_hz }) => Number(total_rate_hz)))) : rows[0].total_rate_hz,
    ...centreCells(trials.map((own) => sumOf(own, 'cpu_cores') / own.length), CORES),
    ...centreCells(answered.map((own) => (1e6 * sumOf(own, 'cpu_cores')) / sumOf(own, 'received_hz')), COST),
    ...centreCells(ofBlocks, MULTIPLE_COLUMNS), // over the blocks whose reference was measured at the rate
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
