/**
 * Adds metrics of the transport to each trial, such as bytes on the wire per update (clients/CONTRACT.md, Reduction).
 */
import { group } from 'd3-array';
import { digitsOf } from '../../analysis/digits.js';

/** @typedef {Record<string, string>} Row */

const OWN = [
  'server_cpu_us_per_client_s',
  'wire_up_b_per_client_s',
  'wire_down_b_per_client_s',
  'wire_b_per_client_s',
  'wire_b_per_update',
  'wire_b_per_poll',
];

/**
 * Bytes on the wire in both directions, unless the name says up (client to server) or down. Leaves out bytes per update
 * if there was no update, and bytes per poll unless every request was an empty poll. Without a capture there is only CPU.
 * @param {Map<string, number>} value of a trial's metrics @param {number} window_s @returns {[string, number][]}
 */
function describe(value, window_s) {
  const of = (/** @type {string} */ name) => value.get(name) ?? 0;
  const client_s = of('connections') * window_s;
  if (!(client_s > 0)) return [];
  const cpu = /** @type {[string, number]} */ (['server_cpu_us_per_client_s', (1e6 * of('server_cpu_cores')) / of('connections')]);
  if (!value.has('wire_up_b')) return [cpu];
  const wire_b = of('wire_up_b') + of('wire_down_b');
  const isPolled = of('polls_empty') > 0 && of('polls_empty') === of('requests');
  return [
    cpu,
    ['wire_up_b_per_client_s', of('wire_up_b') / client_s],
    ['wire_down_b_per_client_s', of('wire_down_b') / client_s],
    ['wire_b_per_client_s', wire_b / client_s],
    ...(of('updates_received') > 0 ? [/** @type {[string, number]} */ (['wire_b_per_update', wire_b / of('updates_received')])] : []),
    ...(isPolled ? [/** @type {[string, number]} */ (['wire_b_per_poll', wire_b / of('requests')])] : []),
  ];
}

/**
 * @param {Row[]} trials of trials.tsv
 * @param {Row[]} plan
 * @returns {Row[]} the same, with the derived metrics after the rows of each trial
 */
export function derive(trials, plan) {
  const window_s = new Map(plan.map(({ trial, from_s, to_s }) => [trial, Number(to_s) - Number(from_s)]));
  const others = trials.filter(({ metric }) => !OWN.includes(metric));
  return [...group(others, ({ trial }) => trial)].flatMap(([trial, rows]) => {
    const value = new Map(rows.map(({ metric, value: text }) => [metric, Number(text)]));
    return [
      ...rows,
      ...describe(value, window_s.get(trial) ?? 0).map(([metric, number]) => ({ ...rows[0], metric, value: digitsOf(number) })),
    ];
  });
}
