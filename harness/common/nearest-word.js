/** What a person meant who wrote a word that is not known. */
import { distance } from 'fastest-levenshtein';

/** A word is meant by another that so much of it differs from, at most. */
const NEAR_SHARE = 0.5;

/** @param {string} word @param {string[]} known @returns {string | undefined} the one that it is most like, if it is like any */
export function nearestWord(word, known) {
  const [nearest] = known.map((each) => ({ each, edits: distance(word, each) })).sort((a, b) => a.edits - b.edits);
  return nearest && nearest.edits <= NEAR_SHARE * Math.max(word.length, 2) ? nearest.each : undefined;
}
