/** Decides whether measured times can be judged. Counts always can. */
import { OTHERS_MAX } from './company.js';

/** @typedef {import('./bench.js').Found} Found */
/** @typedef {{rule: string, text: string}} Warning of swarm about its own run */

/** @param {Warning[]} warnings @returns {string} */
export const nameRules = (warnings) => [...new Set(warnings.map(({ rule }) => rule))].join(', ');

/** @param {Found[]} runs @returns {string | undefined} why their times can't be judged; undefined if they can */
export function findNoise(...runs) {
  const others = Math.max(...runs.map((run) => run.others));
  const rules = nameRules(runs.flatMap(({ summary }) => summary.warnings));
  if (others > OTHERS_MAX) return `others took ${Math.round(others * 100)} % of the cores meanwhile; run it again on an idle machine`;
  return rules && `swarm itself warns of the run; give it an idle machine (${rules})`;
}
