/**
 * A trial in which nothing was connected, sent or answered says nothing about a server, so it fails. If there was load, losses by the
 * server are a result.
 */
import { join } from 'node:path';
import { readTrial } from '../../harness/common/bundle.js';
import { TrialError } from '../../harness/common/failure.js';
import { readJson } from '../../harness/common/files.js';

/**
 * @typedef {{connections: {asked: number, opened: number, failed_local: number}, errors?: Record<string, number>,
 *   window: {due: number, sent: number, received: number}}} Summary of a client
 */
/** @typedef {{behaviour: string, hold_s: number, arrivals: {kind: string, period_ms?: number}}} Told the client's orders */

/** Updates are made at random times. If this many are expected, none is made with a probability of e^-20. */
const UPDATES_MIN = 20;

/** @param {string} folder of a trial @throws {TrialError} if there was no load on a host that should have made some */
export function refuseNothing(folder) {
  const raw = join(folder, 'raw');
  const { client, hosts, engine } = readTrial(folder);
  const makers = (hosts ?? []).filter((/** @type {any} */ { connections }) => connections).map((/** @type {any} */ { name }) => name);
  const folders = makers.length ? makers.map((/** @type {string} */ name) => [` on ${name}`, join(raw, 'hosts', name)]) : [['', raw]];
  for (const [place, own] of folders) {
    const why = whyNothing(readJson(join(own, 'client', 'summary.json')), client);
    if (why) throw new TrialError(`${why}${place}; see whether the server takes connections and answers: make check-server ENGINE=${engine}`);
  }
}

/** @param {Told} told @param {Summary['window']} window @returns {boolean} should there be messages and answers? */
function asksForMessages({ behaviour, hold_s, arrivals: { kind, period_ms = 0 } }, { due }) {
  if (behaviour === 'idle') return false;
  if (kind === 'updates') return period_ms > 0 && (1000 * hold_s) / period_ms >= UPDATES_MIN;
  return due > 0 || (kind === 'closed' && behaviour !== 'broadcast'); // in a broadcast one connection sends, on one host
}

/** @param {Summary} summary @param {Told} told @returns {string | undefined} what was missing; undefined if there was load */
export function whyNothing({ connections: { asked, opened, failed_local }, window, errors = {} }, told) {
  if (asked > 0 && opened === 0) {
    const most = Object.entries(errors).sort(([, a], [, b]) => b - a)[0];
    const by = failed_local > 0 ? ', some by limits of this host (./wscale doctor)' : '';
    return `none of ${asked} connections came up${by}${most ? ` ("${most[0]}", ${most[1]} times)` : ''}`;
  }
  if (!asksForMessages(told, window)) return undefined;
  const { due, sent, received } = window;
  if (told.arrivals.kind === 'updates') return received === 0 ? 'none of the updates of the window arrived' : undefined;
  if (sent === 0) return `none of ${due} messages that were due in the window was sent`;
  return received === 0 ? `none of ${sent} messages that were sent in the window was answered` : undefined;
}
