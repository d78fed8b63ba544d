/**
 * Splits a role's CPU into idling, a cost per wake-up and a cost per message, by least squares over the steps of a sweep.
 */
import { group, max } from 'd3-array';
import { digitsOf } from '../digits.js';
import { fitNonNegative } from '../statistics/least-squares.js';
import { rootMeanSquare } from '../statistics/spread.js';
import { stands } from '../statistics/curve.js';
import { POINT } from './points.js';

/** @typedef {Record<string, string>} Row */

const ROLE = [...POINT, 'side', 'role'];
export const PART_COLUMNS = [...ROLE, 'n', 'idle_cores', 'wakeup_us', 'message_us', 'residual_rms', 'residual_max'];
const PARTS = 3;
/** Floor for weights: steps with almost no CPU would dominate a fit of relative errors. */
const CORES_MIN = 0.005;

/** @param {Row[]} rows @returns {{x: number[], y: number}[]} relative to the cores in use, as errors are */
const weigh = (rows) => rows.map(({ cpu_cores, wakeups_hz, received_hz }) => {
  const weight = 1 / Math.max(Number(cpu_cores), CORES_MIN);
  return { x: [weight, (Number(wakeups_hz) * weight) / 1e6, (Number(received_hz) * weight) / 1e6], y: Number(cpu_cores) * weight };
});

/**
 * @param {Row[]} steps of steps.tsv
 * @returns {Record<string, string | number>[]} of parts.tsv: the set with the smallest residuals, among those without a negative part
 */
export function computeParts(steps) {
  const roles = group(steps.filter(({ backlog_s }) => stands(backlog_s)), (row) => ROLE.map((column) => row[column]).join('\t'));
  return [...roles.values()].filter((rows) => rows.length > PARTS).flatMap((rows) => {
    const equations = weigh(rows);
    const best = fitNonNegative(equations.map(({ x }) => x), equations.map(({ y }) => y));
    if (!best) return [];
    const [idle_cores, wakeup_us, message_us] = best.values.map((value) => digitsOf(value, 4));
    const residual_rms = digitsOf(rootMeanSquare(best.residuals), 3);
    const residual_max = digitsOf(Number(max(best.residuals, Math.abs)), 3);
    return [{ ...rows[0], n: rows.length, idle_cores, wakeup_us, message_us, residual_rms, residual_max }];
  });
}
