/** How a verdict was found: at the source's load or a reduced one, by computation, with rebuilt software. */
import { resolveConditions } from '../../harness/spec/points.js';
import { digits } from '../../harness/common/format.js';

/** @typedef {import('./verdict.js').Verdict} Verdict */
/** @typedef {import('../../harness/spec/spec.js').Spec} Spec */
/** @typedef {import('../../harness/spec/spec.js').SourceLoad} SourceLoad */

export const WHOLE = 'whole';
/** For a claim without any run. */
const NOTHING = '-';
export const REDUCED = 'reduced load';
/** @param {Record<string, number>} counts @returns {string} such as "2+2+1" */
const mixOf = (counts) => Object.values(counts).join('+');

/**
 * A condition that may differ from the source's: `way` names the difference, `isOther` tests for it, `words` describes it.
 * @typedef {{way: string, read: (made: import('../../harness/spec/points.js').Conditions) => any,
 *   isOther: (here: any, there: any) => boolean, words: (here: any, there: any) => string}} Part
 */
/** @type {Record<keyof SourceLoad, Part>} */
const PARTS = {
  connections: {
    way: REDUCED, read: (made) => made.connections, isOther: (here, there) => here < there,
    words: (here, there) => `${digits(here)} connections, source ${digits(there)}`,
  },
  period_ms: {
    way: REDUCED, read: ({ arrivals }) => arrivals.period_ms, isOther: (here, there) => here > there,
    words: (here, there) => `a message each ${digits(here / 1000)} s, source ${digits(there / 1000)} s`,
  },
  connect_rate_hz: {
    way: 'faster opening', read: (made) => made.connect_rate_hz, isOther: (here, there) => here > there,
    words: (here, there) => `${digits(here)} a second, source ${digits(there)}`,
  },
  hold_s: {
    way: 'shorter window', read: (made) => made.hold_s, isOther: (here, there) => here < there,
    words: (here, there) => `${digits(here)} s, paper ${digits(there)}`, // few sources give one, so it is the profile's
  },
  generator: {
    way: 'other clients', read: (made) => made.generator, isOther: (here, there) => here !== there,
    words: (here, there) => `${here}, source ${there}`,
  },
  client_processes: {
    way: 'other clients', read: (made) => made.client_processes, isOther: (here, there) => here < there,
    words: (here, there) => `${here} ${here === 1 ? 'process' : 'processes'}, source ${there}`,
  },
  processes: { // an engine with other roles than the source's runs its own processes
    way: 'other processes', read: (made) => mixOf(made.processes), words: (here, there) => `${here}, source ${there}`,
    isOther: (here, there) => here !== there && here.split('+').length === there.split('+').length,
  },
};
export const REBUILT = 'rebuilt software';
/** In the order of output. */
const WAYS = [WHOLE, 'computed', REBUILT, ...new Set(Object.values(PARTS).map(({ way }) => way))];
/** One way, with its words in brackets, which may have brackets of their own. */
const WAY = new RegExp(`(${WAYS.join('|')}) \\(([^()]*(?:\\([^()]*\\)[^()]*)*)\\)`, 'g');

/** @param {string} found as describeFound tells it @returns {{way: string, words: string}[]} `words` is empty for "whole" */
export const splitFound = (found) =>
  (WAYS.includes(found) ? [{ way: found, words: '' }] : [...found.matchAll(WAY)].map(([, way, words]) => ({ way, words })));

/**
 * @param {Spec} spec @param {Verdict[]} rows of one claim and era
 * @returns {string} such as "rebuilt software (a: its master); reduced load (600 connections, source 2400)", or "whole"; "-" if
 *   nothing was run
 */
export function describeFound(spec, rows) {
  if (rows.every(({ n }) => n === 0)) return NOTHING;
  const { computed, reduced, reduced_in_paper, source, any_load } = spec.claims.find(({ id }) => id === rows[0].claim) ?? {};
  const rebuilt = listRebuilt(spec, rows);
  const told = spec.profile === 'paper' && !reduced_in_paper ? undefined : reduced;
  const ways = [
    ...(computed ? [`computed (${computed})`] : []), ...(rebuilt.length ? [`${REBUILT} (${rebuilt.join(', ')})`] : []),
    ...(told ? [`${REDUCED} (${told})`] : []), ...(any_load ? [] : listOther(spec, rows, source)).filter((way) => !told || !way.startsWith(REDUCED)),
  ];
  return ways.join('; ') || WHOLE;
}

/** @param {Spec} spec @param {Verdict[]} rows @returns {string[]} engines, each with the part that is no package of its time */
function listRebuilt({ engines }, rows) {
  const names = new Set(rows.flatMap(({ of, to }) => [of, to]));
  return Object.entries(engines).filter(([name, { rebuilt }]) => rebuilt && names.has(name)).map(([name, { rebuilt }]) => `${name}: ${rebuilt}`);
}

/**
 * @param {Spec} spec @param {Verdict[]} rows @param {SourceLoad} [source] the source's load, as the claim states it
 * @returns {string[]} such as "reduced load (600 connections, source 2400)"
 */
function listOther(spec, rows, source = {}) {
  const points = rows.filter(({ n }) => n > 0).flatMap(({ workload, setting, of, to, to_setting = setting }) => [
    { engine: of, workload, setting }, ...(to === '-' ? [] : [{ engine: to, workload, setting: to_setting }]),
  ]).filter(({ engine, workload }) => engine in spec.engines && workload in spec.workloads);
  const atSource = { ...spec, phases: spec.source_phases };
  const loads = points.map((point) => [resolveConditions(spec, point), resolveConditions(atSource, point)]);
  return Object.entries(PARTS).flatMap(([name, { way, read, isOther, words }]) => {
    const pairs = loads.map(([here, there]) => [read(here), Reflect.get(source, name) ?? read(there)]);
    const other = pairs.filter(([here, there]) => here !== undefined && isOther(here, there)).map(([here, there]) => words(here, there));
    return other.length ? [`${way} (${[...new Set(other)].join(' or ')})`] : [];
  });
}
