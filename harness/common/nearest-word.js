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

/** @param {string} word @param {string[]} known @param {string} next such as "use" @returns {string} such as "did you mean ws? Use" */
export function suggest(word, known, next) {
  const near = nearestWord(word, known);
  return near ? `did you mean ${near}? ${next[0].toUpperCase()}${next.slice(1)}` : next;
}

/** @param {string} what option, in capitals @param {string[]} wanted @param {string[]} known @throws {UserError} if one is not known */
export function checkKnown(what, wanted, known) {
  const strange = wanted.find((each) => !known.includes(each));
  if (strange !== undefined) throw new UserError(`${what}: "${strange}" is not in this run; ${suggest(strange, known, 'use')} one of ${[...new Set(known)].sort().join(', ')}`);
}
