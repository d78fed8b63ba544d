/** A flag removes only the metrics that it concerns: late sends change no count of connections or bytes. */
import { isOfTime } from '../trials/validity.js';

/** @typedef {Record<string, string>} Row */

/** Counts of connections, and bytes of frames and headers. */
const COUNTED = /^(connected_share|connected_at_end|failed|dropped)$|^(frame|header|handshake|single|batched|corked)_.*_b(_|$)/;

/**
 * @param {Row[]} flagged of flagged.tsv @param {Row[]} dropped of dropped.tsv: a row per trial and rule that flagged it
 * @param {Row[]} trials of trials.tsv: if the block has a kept trial of the point, only that one counts
 * @returns {Row[]} counts from trials that were flagged only by rules about time; claims about counts use them too
 */
export function listSpared(flagged, dropped, trials) {
  const rules = Map.groupBy(dropped, ({ trial }) => trial);
  const isSpared = (/** @type {Row} */ { trial }) => rules.get(trial)?.every(({ reason }) => isOfTime(reason)) ?? false;
  const placeOf = (/** @type {Row} */ { block, engine, workload, setting }) => [block, engine, workload, setting].join('\t');
  const standing = new Set(trials.map(placeOf));
  return flagged.filter((row) => COUNTED.test(row.metric) && isSpared(row) && !standing.has(placeOf(row)));
}
