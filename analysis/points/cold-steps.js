/**
 * Up to form 3, a sweep at shares of its saturation began with its full rate on connections that had carried nothing yet. There Cowboy
 * and most servers in Java spent 1.1 to 1.9 times as much on a message as later. So that step leaves steps.tsv, as a disturbed one does; it
 * stays in the percentiles of the whole window, which only captures could tell without it.
 */
import { hasOldNumbers } from '../../harness/common/bundle.js';
import { columnsOf } from '../../harness/common/files.js';
import { DISTURBED_COLUMNS } from '../trials/bundle.js';
import { isShare } from './curves.js';

/** @typedef {Record<string, string>} Row */

/** The reason in disturbed.tsv. */
export const COLD_CONNECTIONS = 'cold-connections';
/** `value` and `bound`: messages that each connection had carried before, and should have. */
const COLD = { leaves: 'all', reason: COLD_CONNECTIONS, value: 0, bound: 1 };

/**
 * Tables that have lost these steps already stay as they are.
 * @param {any} spec of a bundle @param {Pick<import('./tables.js').Tables, 'read' | 'write'>} tables of it
 */
export function leaveOutColdSteps(spec, { read, write }) {
  if (!hasOldNumbers(spec)) return;
  for (const name of ['steps', 'flagged-steps']) {
    const rows = read(name);
    const sweeps = new Set(rows.filter(isShare).map(({ trial }) => trial));
    const isCold = (/** @type {Row} */ { trial, step }) => Number(step) === 1 && sweeps.has(trial);
    const cold = rows.filter(isCold);
    if (cold.length === 0) continue;
    write(name, columnsOf(rows), rows.filter((row) => !isCold(row)));
    if (name === 'steps') noteLeft(cold, { read, write });
  }
}

/** @param {Row[]} cold steps @param {Pick<import('./tables.js').Tables, 'read' | 'write'>} tables */
function noteLeft(cold, { read, write }) {
  const wholly = cold.filter(({ side, role }) => side === 'server' && role === 'server');
  write('disturbed', DISTURBED_COLUMNS, [...read('disturbed'), ...wholly.map((row) => ({ ...row, ...COLD }))]);
}
