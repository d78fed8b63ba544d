/** A flag removes only the metrics that it concerns: late sends change no count of connections or bytes, nor what a store uses. */
import { isOfTime } from '../trials/validity.js';

/** @typedef {Record<string, string>} Row */

/** Counts of connections, and bytes of frames and headers. */
const COUNTED = /^(connected_share|connected_at_end|failed|dropped)$|^(frame|header|handshake|single|batched|corked)_.*_b(_|$)/;

/** CPU of processes that answers do not pass through. */
const ASIDE = /^(store|broker)_cpu_cores$/;

/** @param {string} metric @param {string} rule that flagged the trial */
const isUntouched = (metric, rule) => (COUNTED.test(metric) ? isOfTime(rule) : ASIDE.test(metric) && rule === 'late-sends');

/**
 * @param {Row[]} flagged of flagged.tsv @param {Row[]} dropped of dropped.tsv: a row per trial and rule that flagged it
 * @param {Row[]} trials of trials.tsv: if the block has a kept trial of the point, only that one counts
 * @returns {Row[]} metrics that no rule concerns which flagged their trial; claims about them use these rows too
 */
export function listSpared(flagged, dropped, trials) {
  const rules = Map.groupBy(dropped, ({ trial }) => trial);
  const isSpared = (/** @type {Row} */ { trial, metric }) => rules.get(trial)?.every(({ reason }) => isUntouched(metric, reason)) ?? false;
  const placeOf = (/** @type {Row} */ { block, engine, workload, setting }) => [block, engine, workload, setting].join('\t');
  const standing = new Set(trials.map(placeOf));
  return flagged.filter((row) => isSpared(row) && !standing.has(placeOf(row)));
}
