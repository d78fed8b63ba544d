/** CPU of each server role in a span of a trial, from samples of top: no accounts were read at the span's ends. */
import { group, sum } from 'd3-array';
import { digitsOf } from '../digits.js';

/** @typedef {Record<string, string>} Row */
/** @typedef {Record<string, [from_s: number, to_s: number]>} Spans by name, since the start of the load */

/**
 * @param {Row[]} series of series.tsv @param {(row: Row) => Spans} spansOf a trial
 * @returns {Row[]} further rows of trials.tsv: cores used by all processes of a role, such as "worker_ramp_cores"
 */
export function listSpans(series, spansOf) {
  const server = series.filter(({ side, quantity }) => side === 'server' && quantity === 'cpu_pct');
  return [...group(server, ({ trial }) => trial).values()].flatMap((rows) =>
    Object.entries(spansOf(rows[0])).flatMap(([name, [from_s, to_s]]) => {
      const within = rows.filter(({ t_s }) => Number(t_s) > from_s && Number(t_s) <= to_s); // a sample covers the second before it
      const samples = new Set(within.map(({ t_s }) => t_s)).size;
      return [...group(within, ({ process }) => process.split(' ')[0])].map(([role, own]) => (
        { ...rows[0], metric: `${role}_${name}_cores`, value: digitsOf(sum(own, ({ value }) => Number(value)) / samples / 100) }));
    }));
}
