/** Which pages are loaded, and in which order. */
import random from '../common/random.cjs';

/** @typedef {{scenario: string, x: number, workflow: string}} Load */

/** Where a configuration names none. @type {import('./config.js').Group[]} */
export const USUAL = [{ scenario: 'noop', x: [0], workflows: ['server', 'ajax', 'stream'] }];

/**
 * Every load, once or as often as its group says, in random order: what drifts while a trial goes on falls on all alike.
 * @param {import('./config.js').Group[]} groups @param {number} seed
 * @returns {Load[]} the same for the same seed
 */
export function drawOrder(groups, seed) {
  const loads = groups.flatMap(({ scenario, x: list, workflows, times = 1 }) =>
    list.flatMap((x) => workflows.flatMap((workflow) => Array.from({ length: times }, () => ({ scenario, x, workflow })))));
  const draw = random.createGenerator(seed, 0);
  for (let last = loads.length - 1; last > 0; last--) { // Fisher and Yates
    const other = Math.floor(draw() * (last + 1));
    [loads[last], loads[other]] = [loads[other], loads[last]];
  }
  return loads;
}

/** What a load may take beside its results: a busy machine, a slow link. */
const PATIENCE_S = 60;
/** Requests in turn over a link of 200 ms. */
const TURN_S = 0.25;
/** A browser has six connections to a host, and a parallel request takes 2 s. */
const BATCH_S = 2 / 6;

/** @param {Load} load @returns {number} s after which it will never be complete */
export function limitOf({ scenario, x }) {
  if (scenario === 'series') return PATIENCE_S + x * TURN_S;
  if (scenario === 'parallel') return PATIENCE_S + 2 * x * BATCH_S;
  return PATIENCE_S + (scenario === 'timeouts' ? x / 1000 : 0);
}

/** @param {Load} load @returns {string} */
export const nameOf = ({ scenario, x, workflow }) => `${workflow} ${scenario} ${x}`;
