/**
 * The reference: a server that does the least possible, measured in each block beside the engines. The cost of a message can then be given
 * as a multiple of the reference's cost on the machine at that hour (analysis/points/multiples.js). Neither claims nor rankings include it.
 */
import { listPoints, resolveConditions } from './points.js';

/** @typedef {import('./spec.js').Spec} Spec */
/** @typedef {import('./points.js').Point} Point */
/** @typedef {Point & {serves: string[]}} ReferencePoint `serves`: workloads whose trials are compared with it */
/**
 * @typedef {{engine: string, shown?: string[], points: (import('./points.js').Group & {workload: string[], serves?: string[]})[]}}
 *   Reference `[reference]` of a manifest; `shown`: multiples reported over several runs (report/runs.js); a group without `serves` is for
 *   trials of its own workload
 */

/** @param {Spec} spec @returns {Spec[]} one per group of the reference, with nothing else, to check its points */
export function listReferenceSpecs(spec) {
  if (!spec.reference) return [];
  const { engine, points } = spec.reference;
  return points.map((group) => ({ ...spec, only: undefined, axes: { engine: [engine], workload: group.workload }, points: [group] }));
}

/** @param {Spec} spec @returns {ReferencePoint[]} of the spec's profile */
export const listReferences = (spec) => listReferenceSpecs(spec).flatMap((alone) =>
  listPoints(alone).map((point) => ({ ...point, serves: alone.points?.[0].serves ?? [point.workload] })));

/**
 * Same connections from the same generator. A behaviour the reference lacks is replaced by echo, with messages of the manifest's size.
 * @param {import('./points.js').Conditions} one @param {import('./points.js').Conditions} other
 */
const isSameLoad = (one, other) => one.connections === other.connections && one.generator === other.generator
  && (one.behaviour !== other.behaviour || one.payload.bytes === other.payload.bytes);

/** @param {Spec} spec @param {Pick<Point, 'engine' | 'workload' | 'setting'>} point of an engine @returns {ReferencePoint | undefined} */
export function findReference(spec, point) {
  const conditions = resolveConditions(spec, point);
  return listReferences(spec).find((reference) =>
    reference.serves.includes(point.workload) && isSameLoad(resolveConditions(spec, reference), conditions));
}

/** @param {Spec} spec @returns {Point[]} all points to measure: the engines', and the reference's needed by them, as often */
export function listMeasured(spec) {
  const points = listPoints(spec);
  if (!spec.reference) return points;
  const nameOf = (/** @type {Point | undefined} */ point) => `${point?.workload} ${point?.setting}`;
  const served = Map.groupBy(points, (point) => nameOf(findReference(spec, point)));
  return [...points, ...listReferences(spec).filter((point) => served.has(nameOf(point))).map(({ serves: _, ...point }) => {
    const most = Math.max(...(served.get(nameOf(point)) ?? []).map(({ repeats_max = Infinity }) => repeats_max));
    return { ...point, ...(Number.isFinite(most) && { repeats_max: most }) };
  })];
}
