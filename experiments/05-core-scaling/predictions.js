/** What one process of each role carries, and mixes of them, over blocks, beside what was measured whole. */
import { group, rollup } from 'd3-array';
import { digitsOf } from '../../analysis/digits.js';
import { centreCells } from './cells.js';

/** @typedef {Record<string, string>} Row */

export const PREDICTION_COLUMNS = [
  'era', 'engine', 'kind', 'what', 'load', 'n', 'total_rate_hz', 'low', 'high', 'us_per_message', 'us_low', 'us_high', 'extrapolated', 'at_least',
  'measured_n', 'measured_hz', 'measured_low', 'measured_high', 'error_pct',
];
/** A load that was reached to so much of it was not extrapolated. */
const REACHED_SHARE = 0.98;

/**
 * @param {Row[]} capacities of capacities.tsv @param {Row[]} trials
 * @returns {Map<string, number[]>} what was measured whole: by engine, kind and what
 */
function mapMeasured(capacities, trials) {
  const whole = capacities.filter(({ kind }) => kind === 'whole')
    .map(({ era, engine, total_rate_hz }) => ({ name: `${era}\t${engine}\tone\t-`, hz: Number(total_rate_hz) }));
  const isSwept = new Set(whole.map(({ name }) => name));
  const searched = trials.filter(({ metric }) => metric === 'saturation_hz').flatMap((row) => {
    const { era, engine, setting, value } = row;
    const mix = row['setting.cores'] === 'own' ? row['setting.processes'] : undefined;
    const name = setting === 'cores=one' ? `${era}\t${engine}\tone\t-` : `${era}\t${engine}\tmix\t${mix}`;
    return isSwept.has(name) || (setting !== 'cores=one' && !mix) ? [] : [{ name, hz: Number(value) }];
  });
  return rollup([...whole, ...searched], (rows) => rows.map(({ hz }) => hz), ({ name }) => name);
}

/** @param {Row[]} capacities @param {Row[]} trials @param {number} level @returns {Record<string, unknown>[]} of predictions.tsv */
export function predictRates(capacities, trials, level) {
  const measured = mapMeasured(capacities, trials);
  const shown = capacities.filter(({ kind }) => kind !== 'whole');
  return [...group(shown, ({ era, engine, kind, what, load }) => [era, engine, kind, what, load].join('\t')).values()].map((rows) => {
    const { era, engine, kind, what, load } = rows[0];
    const rates = centreCells(rows.map(({ total_rate_hz }) => Number(total_rate_hz)), level, ['total_rate_hz', 'low', 'high']);
    const us = (/** @type {string} */ rate) => (kind !== 'role' || rate === '-' ? '-' : digitsOf((1e6 * Number(load)) / Number(rate), 4));
    const found = measured.get([era, engine, kind === 'one-by-rate' ? 'one' : kind, what].join('\t')) ?? [];
    const whole = centreCells(found, level, ['measured_hz', 'measured_low', 'measured_high']);
    return {
      era, engine, kind, what, load, n: rows.length, ...rates,
      us_per_message: us(rates.total_rate_hz), us_low: us(rates.high), us_high: us(rates.low),
      extrapolated: rows.some(({ reached }) => Number(reached) < Number(load) * REACHED_SHARE) ? 'yes' : 'no',
      at_least: rows.some(({ at_least }) => at_least === 'yes') ? 'yes' : 'no', measured_n: found.length, ...whole,
      error_pct: errorOf(rates.total_rate_hz, whole.measured_hz),
    };
  });
}

/** @param {string} predicted a cell @param {string} found @returns {string} per cent */
export const errorOf = (predicted, found) =>
  (predicted === '-' || found === '-' ? '-' : digitsOf(100 * (Number(predicted) / Number(found) - 1), 3));
