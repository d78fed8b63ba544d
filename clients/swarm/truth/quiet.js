/** Decides whether measured times can be judged. Counts always can. */
import { OTHERS_MAX } from './company.js';

/** @typedef {import('./bench.js').Found} Found */
/** @typedef {{rule: string, text: string}} Doubt of swarm about its own run */

/** @param {Doubt[]} doubts @returns {string} */
export const nameRules = (doubts) => [...new Set(doubts.map(({ rule }) => rule))].join(', ');

/** @param {Found[]} runs @returns {string | undefined} why their times can't be judged; undefined if they can */
export function findNoise(...runs) {
  const others = Math.max(...runs.map((run) => run.others));
  const rules = nameRules(runs.flatMap(({ summary }) => summary.doubts));
  if (others > OTHERS_MAX) return `others took ${Math.round(others * 100)} % of the cores meanwhile; run it again on an idle machine`;
  return rules && `swarm itself doubts the run; give it an idle machine (${rules})`;
}
