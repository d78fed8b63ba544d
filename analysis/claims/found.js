/** How a verdict was found: on the source's own load or on less, by computation, on software that had to be rebuilt. */
import { resolveConditions } from '../../harness/spec/points.js';
import { digits } from '../../harness/common/format.js';

/** @typedef {import('./verdict.js').Verdict} Verdict */
/** @typedef {import('../../harness/spec/spec.js').Spec} Spec */
/** @typedef {'connections' | 'connect_rate_hz' | 'hold_s'} Part of a load */

export const WHOLE = 'whole';
/** Of a claim of which nothing was run. */
const NOTHING = '-';
const REDUCED = 'reduced load';
/**
 * What may be other than the source's: what that is called, its unit, and whether it is so.
 * @type {[part: Part, way: string, unit: string, isOther: (here: number, there: number) => boolean][]}
 */
const PARTS = [
  ['connections', REDUCED, ' connections', (here, there) => here < there],
  ['connect_rate_hz', 'faster opening', ' a second', (here, there) => here > there],
  ['hold_s', 'shorter window', ' s', (here, there) => here < there],
];

/**
 * @param {Spec} spec
 * @param {Verdict[]} rows of one claim and era
 * @returns {string} such as "rebuilt software (a: its master); reduced load (600 connections, source 2400)", or "whole"; "-" where
 *   nothing was run
 */
export function describeFound(spec, rows) {
  if (rows.every(({ n }) => n === 0)) return NOTHING;
  const { computed, reduced } = spec.claims.find(({ id }) => id === rows[0].claim) ?? {};
  const rebuilt = listRebuilt(spec, rows);
  const ways = [
    ...(computed ? [`computed (${computed})`] : []), ...(rebuilt.length ? [`rebuilt software (${rebuilt.join(', ')})`] : []),
    ...listOther(spec, rows, spec.profile === 'paper' ? undefined : reduced),
  ];
  return ways.join('; ') || WHOLE;
}

/** @param {Spec} spec @param {Verdict[]} rows @returns {string[]} engines, each with what of it is no package of its time */
function listRebuilt({ engines }, rows) {
  const names = new Set(rows.flatMap(({ of, to }) => [of, to]));
  return Object.entries(engines).filter(([name, { rebuilt }]) => rebuilt && names.has(name)).map(([name, { rebuilt }]) => `${name}: ${rebuilt}`);
}

/**
 * @param {Spec} spec @param {Verdict[]} rows @param {string} [reduced] what the claim says of its load, in the place of its connections
 * @returns {string[]} such as "reduced load (600 connections, source 2400)"
 */
function listOther(spec, rows, reduced) {
  const source = { ...spec, phases: spec.source_phases };
  const points = rows.filter(({ n }) => n > 0).flatMap(({ workload, setting, of, to, to_setting = setting }) => [
    { engine: of, workload, setting }, ...(to === '-' ? [] : [{ engine: to, workload, setting: to_setting }]),
  ]).filter(({ engine, workload }) => engine in spec.engines && workload in spec.workloads);
  const loads = points.map((point) => [resolveConditions(spec, point), resolveConditions(source, point)]);
  return PARTS.flatMap(([part, way, unit, isOther]) => {
    if (way === REDUCED && reduced) return [`${REDUCED} (${reduced})`];
    const other = loads.filter(([here, there]) => isOther(here[part], there[part]));
    const words = other.map(([here, there]) => `${digits(here[part])}${unit}, source ${digits(there[part])}`);
    return words.length ? [`${way} (${[...new Set(words)].join(' or ')})`] : [];
  });
}
