/** Suggests a known word for an unknown one. */
import { distance } from 'fastest-levenshtein';

/** Maximum edit distance, as a share of the word's length. */
const NEAR_SHARE = 0.5;

/** @param {string} word @param {string[]} known @returns {string | undefined} the most similar one, if it is similar enough */
export function nearestWord(word, known) {
  const [nearest] = known.map((each) => ({ each, edits: distance(word, each) })).sort((a, b) => a.edits - b.edits);
  return nearest && nearest.edits <= NEAR_SHARE * Math.max(word.length, 2) ? nearest.each : undefined;
}
