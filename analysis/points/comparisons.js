/** For each comparison of a claim, the mean of the ratios within blocks, with its interval. */
import { settingWithout } from '../../harness/common/setting.js';
import { cellOf } from '../digits.js';
import { findCentre } from '../statistics/intervals.js';
import { describeCentre } from './points.js';

/** @typedef {Record<string, string>} Row */

/** `error` is the standard error of the mean, on the scale: of scale "log" that of its logarithm. */
const NOTHING = { n: 0, mean: '-', low: '-', high: '-', scale: '-', degrees: '-', error: '-' };
/** Of rows that an experiment judges by its own tables. */
export const COMPARISON_COLUMNS = ['claim', 'era', 'workload', 'setting', 'metric', 'of', 'to', 'to_setting', 'to_metric', 'criterion'];
export const FOUND_COLUMNS = Object.keys(NOTHING);

/** @param {(string | undefined)[]} cells */
const keyOf = (...cells) => cells.join('\t');

/**
 * A ratio is free of most of what drifts from block to block. A block in which one of the two is missing gives no
 * ratio.
 * @param {Row[]} comparisons workload, setting, metric, of, to, and any others, such as claim, era, criterion. `of` and
 *   `to` are engines; `to` is
 *   "-" where the value itself is judged; to_setting and to_metric, where they are there, are the setting and the metric
 *   of `to`
 * @param {Row[]} trials of trials.tsv @param {number} [level] of the intervals
 * @returns {Record<string, string | number>[]} the same, with what was found. Of a criterion "reaches x" low and high
 *   are the least and the most of the trials (scale "range"): what is possible at all each trial shows by itself
 */
export function compare(comparisons, trials, level) {
  const value = new Map(trials.map((row) => [keyOf(row.engine, row.workload, row.setting, row.metric, row.block), Number(row.value)]));
  const blocks = [...new Set(trials.map(({ block }) => block))].sort((a, b) => Number(a) - Number(b));
  return comparisons.map((row) => {
    const values = blocks.flatMap((block) => compareWithin(block, row, value));
    if (values.length === 0) return { ...row, ...NOTHING };
    return { ...row, n: values.length, ...describe(values, /^reaches /.test(row.criterion ?? ''), level) };
  });
}

/** @param {string} block @param {Row} row @param {Map<string, number>} value @returns {number[]} one, or none */
function compareWithin(block, { of, to, workload, setting, metric, to_setting = setting, to_metric = metric }, value) {
  const own = value.get(keyOf(of, workload, setting, metric, block));
  if (own === undefined || to === '-') return own === undefined ? [] : [own];
  const other = value.get(keyOf(to, workload, to_setting, to_metric, block));
  return other !== undefined && other > 0 ? [own / other] : [];
}

/** @param {number[]} values @param {boolean} isPossible @param {number} [level] */
function describe(values, isPossible, level) {
  const centre = findCentre(values, level);
  if (!isPossible) return describeCentre(centre);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return { mean: cellOf(centre.mean), low: cellOf(low), high: cellOf(high), scale: 'range', degrees: '-', error: '-' };
}

/** Of two generators at the same point. */
const BY_GENERATOR = ['server_cpu_s_per_1k', 'client_cpu_s_per_1k', 'latency_p50_ms', 'latency_p99_ms'];
export const GENERATOR_COLUMNS = ['era', 'workload', 'setting', 'metric', 'of', 'to', 'to_setting'];

/** @param {Row[]} plan @returns {Row[]} for `compare`: each point that names a generator, beside the one that is the same but for that */
export function pairGenerators(plan) {
  const named = new Map(plan.filter((row) => 'setting.generator' in row).map((row) => [Number(row.point), row]));
  return [...named]
    .sort(([a], [b]) => a - b)
    .flatMap(([, row]) => {
      const { era, engine, workload, setting } = row;
      const to_setting = settingWithout(row, 'generator');
      return BY_GENERATOR.map((metric) => ({ era, workload, setting, metric, of: engine, to: engine, to_setting }));
    });
}
