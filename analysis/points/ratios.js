/** Two runs of the same points compared: for each point and metric, B / A. */
import { group } from 'd3-array';
import { centreCells, nameOfPoint, pointOf } from './points.js';

/** @typedef {Record<string, string>} Row */

/**
 * @param {Row[]} rows of one point @param {string} metric
 * @returns {Map<string, number> | undefined} by block; undefined if a trial of the point lacks it
 */
function valuesOf(rows, metric) {
  const values = new Map(rows.filter((row) => row.metric === metric).map(({ block, value }) => [block, Number(value)]));
  return values.size && values.size === new Set(rows.map(({ block }) => block)).size ? values : undefined;
}

/** 0 against 0 counts as equal; anything else against 0 is Infinity. @param {number} a @param {number} b */
const ratioOf = (a, b) => (a === b ? 1 : b / a);

/**
 * Trials of the same block form a pair; a trial without a partner is ignored. A metric that any trial of either run lacks
 * is left out.
 * @param {Row[]} a trials of trials.tsv @param {Row[]} b @param {string[]} metrics
 * @returns {Record<string, string>[]} the centre of the ratios within pairs, with its interval
 */
export function computeRatios(a, b, metrics) {
  const [inA, inB] = [a, b].map((rows) => group(rows, nameOfPoint));
  return [...inA].flatMap(([point, rows]) => metrics.flatMap((metric) => {
    const [first, second] = [valuesOf(rows, metric), valuesOf(inB.get(point) ?? [], metric)];
    if (!first || !second) return [];
    const ratios = [...first].flatMap(([block, value]) => (second.has(block) ? [ratioOf(value, Number(second.get(block)))] : []));
    if (ratios.length === 0) return [];
    const labels = { ...pointOf(rows[0]), metric, n: String(ratios.length) };
    if (ratios.includes(Infinity)) return [{ ...labels, ratio: 'Infinity', low: '-', high: '-' }];
    return [{ ...labels, ...centreCells(ratios, ['ratio', 'low', 'high']) }];
  }));
}
