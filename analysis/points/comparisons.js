/** Mean of the ratios within blocks, with its interval, for each comparison of a claim. */
import { settingWithout } from '../../harness/common/setting.js';
import { parseCriterion } from './criterion.js';
import { cellOf } from '../digits.js';
import { findCentre } from '../statistics/intervals.js';
import { describeCentre } from './points.js';

/** @typedef {Record<string, string>} Row */

/** `error`: standard error of the mean, for scale "log" of its logarithm. */
const NOTHING = { n: 0, mean: '-', low: '-', high: '-', scale: '-', degrees: '-', error: '-' };
export const COMPARISON_COLUMNS = ['claim', 'era', 'workload', 'setting', 'metric', 'of', 'to', 'to_setting', 'to_metric', 'criterion'];
export const FOUND_COLUMNS = Object.keys(NOTHING);
/** Blocks whose trials stand but give no value: columns that a table has only if a row has such blocks. */
export const OPEN_COLUMNS = ['boundless', 'lacking'];
/** @param {Record<string, unknown>[]} rows found by `compare` @returns {string[]} the columns of what was found */
export const foundColumns = (rows) => [...FOUND_COLUMNS, ...OPEN_COLUMNS.filter((column) => rows.some((row) => column in row))];
/** @param {Record<string, unknown>[]} rows that an experiment judges by its own tables @returns {string[]} columns of judged.tsv */
export const judgedColumns = (rows) => [...COMPARISON_COLUMNS, ...foundColumns(rows)];

/** @param {(string | undefined)[]} cells */
const keyOf = (...cells) => cells.join('\t');

/**
 * Ratios within a block cancel most of the drift between blocks. A block without a standing trial of each side is left out.
 * @param {Row[]} comparisons workload, setting, metric, of, to, and any others, such as claim, era, criterion. `of` and
 *   `to` are engines; with `to` "-" the value itself is judged; to_setting and to_metric are the setting and the metric
 *   of `to`, if they differ
 * @param {Row[]} trials of trials.tsv @param {number} [level] of the intervals
 * @param {Row[]} [spared] rows of trials that need not have every metric: of flagged ones those that no flag concerns (spared.js)
 * @returns {Record<string, string | number>[]} the same, with the results. For a criterion "reaches x", low and high are
 *   the minimum and maximum of the trials (scale "range"): a single trial shows whether something is possible.
 *   `boundless`, if any: number of blocks without a ratio because the divisor is 0 or less; `lacking`: because a standing
 *   trial has no such metric, such as a percentile after lost answers: the other blocks are then a selection
 */
export function compare(comparisons, trials, level, spared = []) {
  const rows = [...trials, ...spared];
  const measured = new Map(rows.map((row) => [keyOf(row.engine, row.workload, row.setting, row.metric, row.block), Number(row.value)]));
  const standing = new Set(trials.map((row) => keyOf(row.engine, row.workload, row.setting, row.block)));
  const blocks = [...new Set(rows.map(({ block }) => block))].sort((a, b) => Number(a) - Number(b));
  return comparisons.map((row) => {
    const found = blocks.map((block) => compareWithin(block, row, measured, standing));
    const values = found.filter((each) => typeof each === 'number');
    const open = Object.fromEntries(OPEN_COLUMNS.filter((why) => found.includes(why)).map((why) =>
      [why, found.filter((each) => each === why).length]));
    if (values.length === 0) return { ...row, ...NOTHING, ...open };
    return { ...row, n: values.length, ...describe(values, parseCriterion(row.criterion ?? '').kind === 'reaches', level), ...open };
  });
}

/**
 * @param {string} block @param {Row} row @param {Map<string, number>} measured @param {Set<string>} standing
 * @returns {number | string | undefined} the value; why it is open; undefined without a standing trial of each side
 */
function compareWithin(block, { of, to, workload, setting, metric, to_setting = setting, to_metric = metric }, measured, standing) {
  const sides = [[of, setting, metric], ...(to === '-' ? [] : [[to, to_setting, to_metric]])];
  const values = sides.map(([engine, at, what]) => measured.get(keyOf(engine, workload, at, what, block)));
  const [own, other] = values;
  if (values.includes(undefined)) {
    const isWhole = sides.every(([engine, at], index) => values[index] !== undefined || standing.has(keyOf(engine, workload, at, block)));
    return isWhole ? 'lacking' : undefined;
  }
  if (other === undefined) return own;
  return other > 0 ? Number(own) / other : 'boundless';
}

/** @param {number[]} values @param {boolean} isPossible @param {number} [level] */
function describe(values, isPossible, level) {
  const centre = findCentre(values, level);
  if (!isPossible) return describeCentre(centre);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return { mean: cellOf(centre.mean), low: cellOf(low), high: cellOf(high), scale: 'range', degrees: '-', error: '-' };
}

/** Metrics to compare two generators at the same point. */
const BY_GENERATOR = ['server_cpu_s_per_1k', 'client_cpu_s_per_1k', 'latency_p50_ms', 'latency_p99_ms'];
export const GENERATOR_COLUMNS = ['era', 'workload', 'setting', 'metric', 'of', 'to', 'to_setting'];

/** @param {Row[]} plan @returns {Row[]} for `compare`: each point that names a generator, against the same point without it */
export function pairGenerators(plan) {
  const named = new Map(plan.filter((row) => 'setting.generator' in row).map((row) => [Number(row.point), row]));
  return [...named].sort(([a], [b]) => a - b).flatMap(([, row]) => {
    const { era, engine, workload, setting } = row;
    const to_setting = settingWithout(row, 'generator');
    return BY_GENERATOR.map((metric) => ({ era, workload, setting, metric, of: engine, to: engine, to_setting }));
  });
}
