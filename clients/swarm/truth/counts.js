/** Checks of counts. */
import { findNoise } from './quiet.js';

/** @typedef {import('./bench.js').Found} Found */
/** @typedef {import('./verdicts.js').Verdicts} Verdicts */

/**
 * Checks that the counts of both sides agree, and that only the named counters counted anything.
 * @param {Verdicts} verdicts @param {string} fault @param {Found} found @param {Record<string, number>} faults by swarm's counter
 */
export function checkCounts(verdicts, fault, found, faults) {
  const { summary: { window, totals }, counts } = found;
  verdicts.equal(`${fault}: sent (received by the server)`, counts.received, totals.sent);
  verdicts.equal(`${fault}: received (answered by the server)`, counts.answered, totals.received);
  const expected = { missing: counts.received - counts.answered, duplicate: 0, out_of_order: 0, wrong: 0, unasked: 0, ...faults };
  for (const [counter, value] of Object.entries(expected)) verdicts.equal(`${fault}: ${counter}`, value, totals[counter]);
  // Only in the window: before it, connections may not be up yet, and messages may fall due on them.
  const what = `${fault}: due in the window (sent, or lost to the server)`;
  const noise = findNoise(found);
  if (noise && window.sent + window.unsent_remote < window.due) verdicts.skip(what, noise); // handshakes may have lasted into the window
  else verdicts.equal(what, window.sent + window.unsent_remote, window.due);
}

/** @param {Verdicts} verdicts @param {string} run @param {Found} found */
export function checkAllAnswered(verdicts, run, { summary: { totals } }) {
  const { missing, duplicate, out_of_order: outOfOrder, wrong } = totals;
  verdicts.equal(`${run}: missing, duplicate, out of order, wrong`, [0, 0, 0, 0], [missing, duplicate, outOfOrder, wrong]);
}

/** @param {Verdicts} verdicts @param {string} run @param {Found} found @param {number} connections */
export function checkSecured(verdicts, run, { summary: { tls } }, connections) {
  const counts = /** @type {number[]} */ (Object.values(tls.agreed));
  const found = [counts.reduce((sum, count) => sum + count, 0), tls.verified];
  verdicts.equal(`${run}: handshakes that swarm verified`, [connections, true], found);
}

/**
 * Checks that all connections agreed on the same, and that the server read as many bytes as swarm compressed.
 * @param {Verdicts} verdicts @param {string} run @param {Found} found
 */
export function checkDeflated(verdicts, run, { summary, counts }) {
  const { agreed, declined, sent_b: sentB } = summary.deflate;
  verdicts.equal(`${run}: declined, and kinds of agreement`, [0, 1], [declined, Object.keys(agreed).length]);
  verdicts.equal(`${run}: bytes before compression (read by the server)`, counts.received_b, sentB);
  verdicts.show(`${run}: agreed on`, Object.keys(agreed).join(' | '));
}
