/** Words that one stage writes and another reads. */

/** Columns of raw/host.tsv after mark and clocks: /proc/stat's first line, in ticks. */
export const HOST_TICKS = ['user', 'nice', 'system', 'idle', 'iowait', 'irq', 'softirq', 'steal'];

/** The variable that carries a run's id, by which its processes are known, and killed by a keeper (harness/agent/keeper.js). */
export const RUN_MARK = 'WSCALE_RUN';

/** A word is meant by another that so much of it differs from, at most. */
const NEAR_SHARE = 0.5;

/** @param {string} word @param {string[]} known @returns {string | undefined} the one that it is most like, if it is like any */
export function nearestWord(word, known) {
  const [nearest] = known.map((each) => ({ each, edits: countEdits(word, each) })).sort((a, b) => a.edits - b.edits);
  return nearest && nearest.edits <= NEAR_SHARE * Math.max(word.length, 2) ? nearest.each : undefined;
}

/**
 * V. I. Levenshtein, Binary codes capable of correcting deletions, insertions, and reversals, Soviet Physics Doklady 10(8), 1966.
 * @param {string} a @param {string} b @returns {number} letters to insert, leave out or replace
 */
function countEdits(a, b) {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const letter of a) {
    const next = [row[0] + 1];
    for (let at = 0; at < b.length; at++) next.push(Math.min(next[at] + 1, row[at + 1] + 1, row[at] + (letter === b[at] ? 0 : 1)));
    row = next;
  }
  return row[b.length];
}

/** Settings of a link; all others of a network are sysctls of its two ends. */
const LINK_SETTINGS = ['rtt_us', 'rate_mbit'];

/** @param {Record<string, string>} settings @returns {boolean} has it a rate or a delay of its own? */
export const isSlow = (settings) => LINK_SETTINGS.some((name) => name in settings);
