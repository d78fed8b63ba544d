/** Surfaces as tables: cost per message at the loads of a design, in CPU time and as a multiple of the reference's. */
import { cellOf } from '../digits.js';
import { findCentre } from '../statistics/intervals.js';
import { fitSurfaces } from './surface.js';

/** @typedef {Record<string, string>} Row */
/** @import { At, Cost, Design, Surface } from './surface.js' */

/**
 * @param {{reference?: Row[], referenceSteps?: Row[]}} tables @param {any} spec
 * @returns {Surface | undefined} of the server that serves as reference
 */
export const fitReference = ({ reference = [], referenceSteps = [] }, spec) =>
  fitSurfaces({ trials: reference, steps: referenceSteps }, spec)[0]?.surfaces[0];

/**
 * @param {Cost[]} costs per message @param {Surface | undefined} reference @param {At} at
 * @returns {Cost[]} as multiples of the reference's in the same block; empty if it has none there
 */
export function multiplesOf(costs, reference, at) {
  const held = reference?.answer(at);
  if (!held || 'why' in held) return [];
  const logs = new Map(held.costs.map(({ block, log }) => [block, log]));
  return costs.flatMap(({ block, log }) => (logs.has(block) ? [{ block, log: log - Number(logs.get(block)) }] : []));
}

/** @param {Cost[]} multiples @param {number} level @returns {Record<string, string>} columns of X_COLUMNS */
export function describeMultiples(multiples, level) {
  const { mean: centre, low, high } = multiples.length ? findCentre(multiples.map(({ log }) => Math.exp(log)), level) : {};
  return { x_reference: cellOf(centre), x_low: cellOf(low), x_high: cellOf(high) };
}

/** Columns of the cost as a multiple of the reference's. */
export const X_COLUMNS = ['x_reference', 'x_low', 'x_high'];
export const SURFACE_COLUMNS = [
  'workload', 'setting', 'era', 'engine', 'connections', 'payload_b', 'is_usual', 'total_rate_hz', 'n', 'us_per_message', 'low', 'high', 'how',
  ...X_COLUMNS,
];

/**
 * @param {Design} design @param {Surface | undefined} reference @param {number[]} rates_hz @param {number} level of the intervals
 * @returns {Record<string, unknown>[]} of surface.tsv: a row per engine, cell and rate with a known cost
 */
export const tabulate = ({ surfaces, usual, ...labels }, reference, rates_hz, level) =>
  surfaces.flatMap((surface) => surface.cells.flatMap(({ connections, payload_b }) => rates_hz.flatMap((total_rate_hz) => {
    const at = { total_rate_hz, connections, payload_b };
    const found = surface.answer(at);
    if ('why' in found || found.how === 'extrapolated') return [];
    const { mean: centre, low, high } = findCentre(found.costs.map(({ log }) => Math.exp(log)), level);
    const is_usual = connections === usual.connections && payload_b === usual.payload_b ? 'yes' : 'no';
    return [{
      ...labels, era: surface.era, engine: surface.engine, connections, payload_b, is_usual, total_rate_hz, n: found.costs.length,
      us_per_message: cellOf(centre), low: cellOf(low), high: cellOf(high), how: found.how,
      ...describeMultiples(multiplesOf(found.costs, reference, at), level),
    }];
  })));
