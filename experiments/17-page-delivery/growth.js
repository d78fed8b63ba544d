/**
 * H9: does the stream's time grow with the logarithm of the number of requests, or linearly? Both laws have two parameters, so
 * their AIC over n steps differs by n times the logarithm of the ratio of their residual sums of squares.
 */
import { group, mean, sum } from 'd3-array';
import { cellOf } from '../../analysis/digits.js';
import { medianRank } from '../../analysis/statistics/order-statistics.js';
import { fitLine } from '../../analysis/statistics/lines.js';
import { intervalOf } from '../../analysis/statistics/intervals.js';
import { bootstrapError } from '../../analysis/statistics/spread.js';
import random from '../../clients/common/random.cjs';

/** @typedef {Record<string, string>} Row */
/** @typedef {[x: number, ms: number][]} Curve */

const METRIC = 'aic_line_less_logarithm';
const PREFIX = 'load_ms_stream_series_';
const LOAD = new RegExp(`^${PREFIX}[0-9]+$`);
/** A law with two parameters always nearly fits three points. */
const STEPS_MIN = 4;
const SEED = 1;

/** @param {Curve} curve @returns {number} residual sum of squares of the fitted line */
function leftOf(curve) {
  const { slope, level } = fitLine(curve);
  return sum(curve, ([x, y]) => (y - level - slope * x) ** 2);
}

/** @param {Curve} curve @returns {number} AIC of the line less that of the logarithm: above 0, the logarithm fits better */
export const compareLaws = (curve) => curve.length * Math.log(leftOf(curve) / leftOf(curve.map(([x, y]) => [Math.log(x), y])));

/** @param {Curve[]} blocks @returns {Curve} */
const average = (blocks) => blocks[0].map(([x], step) => [x, Number(mean(blocks, (block) => block[step][1]))]);

/**
 * @param {Curve[]} blocks
 * @returns {{n: number, mean: number, low?: number, high?: number, error?: number}} the error by a bootstrap over blocks, none with fewer
 *   than six
 */
export function resample(blocks) {
  const found = { n: blocks.length, mean: compareLaws(average(blocks)) };
  if (!medianRank(blocks.length)) return found;
  const error = bootstrapError(blocks, (drawn) => compareLaws(average(drawn)), random.createGenerator(SEED, 0));
  const [low, high] = intervalOf({ mean: found.mean, error, degrees: blocks.length - 1 });
  return { ...found, low, high, error };
}

/** @param {Row} row @returns {[x: number, ms: number]} */
const pointOf = ({ metric, value }) => [Number(metric.slice(PREFIX.length)), Number(value)];

/** @param {Row[]} trials of trials.tsv @param {string[]} workloads @returns {Record<string, unknown>[]} rows of judged.tsv */
export function judgeGrowth(trials, workloads) {
  const loads = trials.filter(({ workload, setting, metric }) => setting === '-' && workloads.includes(workload) && LOAD.test(metric));
  return [...group(loads, ({ engine, workload }) => `${engine} ${workload}`).values()].flatMap((rows) => {
    const all = [...group(rows, ({ trial }) => trial).values()].map((own) => own.map(pointOf).sort(([a], [b]) => a - b));
    const steps = Math.max(...all.map(({ length }) => length));
    if (steps < STEPS_MIN) return [];
    const blocks = all.filter(({ length }) => length === steps); // leave out trials with missing steps
    const { era, workload, engine: of } = rows[0];
    const { n, ...found } = resample(blocks);
    const cells = Object.fromEntries(Object.entries(found).map(([name, value]) => [name, cellOf(value)]));
    return [{ claim: 'H9', era, workload, setting: '-', metric: METRIC, of, to: '-', to_setting: '-', to_metric: '-', criterion: '>0', n, ...cells }];
  });
}
