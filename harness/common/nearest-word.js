/** Suggests a known word for an unknown one. */
import { distance } from 'fastest-levenshtein';
import { UserError } from './failure.js';

/** Maximum edit distance, as a share of the word's length. */
const NEAR_SHARE = 0.5;

/** @param {string} word @param {string[]} known @returns {string | undefined} the most similar one, if it is similar enough */
export function nearestWord(word, known) {
  const [nearest] = known.map((each) => ({ each, edits: distance(word, each) })).sort((a, b) => a.edits - b.edits);
  return nearest && nearest.edits <= NEAR_SHARE * Math.max(word.length, 2) ? nearest.each : undefined;
}

/** @param {string} what option, in capitals @param {string[]} wanted @param {string[]} known @throws {UserError} if one is not known */
export function checkKnown(what, wanted, known) {
  for (const name of wanted.filter((each) => !known.includes(each))) {
    const near = nearestWord(name, known);
    throw new UserError(`${what}: "${name}" is not in this run; ${near ? `did you mean ${near}? Use` : 'use'} one of ${[...new Set(known)].sort().join(', ')}`);
  }
}
