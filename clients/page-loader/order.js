/** The pages to load, and their order. */
import random from '../common/random.cjs';

/** @typedef {{scenario: string, x: number, workflow: string}} Load */

/** For a configuration without loads. @type {import('./config.js').Group[]} */
export const USUAL = [{ scenario: 'noop', x: [0], workflows: ['server', 'ajax', 'stream'] }];

/**
 * Lists every load, as often as its group says, in random order, so that drift during a trial affects all loads alike.
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

/** Default time for a load beyond that for its results, for a busy machine or a slow link. */
export const PATIENCE_S = 60;
/** Time of one of several sequential requests, over a link of 200 ms. */
const TURN_S = 0.25;
/** Time per parallel request: a browser has 6 connections to a host, and a request takes 2 s. */
const BATCH_S = 2 / 6;

/** @param {Load} load @param {number} [patience_s] @returns {number} s after which we give up */
export function limitOf({ scenario, x }, patience_s = PATIENCE_S) {
  if (scenario === 'series') return patience_s + x * TURN_S;
  if (scenario === 'parallel') return patience_s + 2 * x * BATCH_S;
  return patience_s + (scenario === 'timeouts' ? x / 1000 : 0);
}

/** @param {Load} load @returns {number} results on its page; a page without results counts as one */
export const countOf = ({ scenario, x }) => (scenario === 'series' || scenario === 'parallel' ? Math.max(1, x) : 1);

/** @param {Load} load @returns {string} */
export const nameOf = ({ scenario, x, workflow }) => `${workflow} ${scenario} ${x}`;

/**
 * @param {number} done @param {number | undefined} all undefined if only time limits the number of loads
 * @param {string} now the current load @param {number} [shown] its results so far, if it takes long
 * @returns {string} a line of progress
 */
export const tellProgress = (done, all, now, shown) =>
  `${done} of ${all ?? 'as many as there will be'} loads are done; now ${now}${shown === undefined ? '' : `, which has ${shown} results`}`;
