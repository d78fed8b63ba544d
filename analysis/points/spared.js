/** A flag takes away only what it bears on: late sends change no number of connections, nor of bytes. */
import { isOfTime } from '../trials/validity.js';

/** @typedef {Record<string, string>} Row */

/** Connections that are held, and bytes of frames and headers. */
const COUNTED = /^(connected_share|connected_at_end|failed|dropped)$|^(frame|header|handshake|single|batched|corked)_.*_b(_|$)/;

/**
 * @param {Row[]} flagged of flagged.tsv @param {Row[]} dropped of dropped.tsv: trial, and the rule that flagged it, a row each
 * @param {Row[]} trials of trials.tsv: where a trial of the same block stands, that is judged alone
 * @returns {Row[]} counts of trials that rules about time alone flagged: claims about them are judged by these too
 */
export function listSpared(flagged, dropped, trials) {
  const rules = Map.groupBy(dropped, ({ trial }) => trial);
  const isSpared = (/** @type {Row} */ { trial }) => rules.get(trial)?.every(({ reason }) => isOfTime(reason)) ?? false;
  const placeOf = (/** @type {Row} */ { block, engine, workload, setting }) => [block, engine, workload, setting].join('\t');
  const standing = new Set(trials.map(placeOf));
  return flagged.filter((row) => COUNTED.test(row.metric) && isSpared(row) && !standing.has(placeOf(row)));
}
