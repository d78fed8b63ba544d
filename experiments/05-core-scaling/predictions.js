/** What one process of each role carries, and mixes of them, over blocks, beside what was measured whole. */
import { group } from 'd3-array';
import { cellOf, digitsOf } from '../../analysis/digits.js';
import { findCentre } from '../../analysis/statistics/intervals.js';

/** @typedef {Record<string, string>} Row */

export const PREDICTION_COLUMNS = [
  'era',
  'engine',
  'kind',
  'what',
  'load',
  'n',
  'total_rate_hz',
  'low',
  'high',
  'us_per_message',
  'us_low',
  'us_high',
  'extrapolated',
  'at_least',
  'measured_n',
  'measured_hz',
  'measured_low',
  'measured_high',
  'error_pct',
];
/** A load that was reached to so much of it was not extrapolated. */
const REACHED_SHARE = 0.98;

/**
 * @param {Row[]} capacities of capacities.tsv
 * @param {Row[]} trials
 * @returns {Map<string, number[]>} what was measured whole: by engine, kind and what
 */
function mapMeasured(capacities, trials) {
  const whole = capacities
    .filter(({ kind }) => kind === 'whole')
    .map(({ era, engine, total_rate_hz }) => ({ name: `${era}\t${engine}\tone\t-`, hz: Number(total_rate_hz) }));
  const isSwept = new Set(whole.map(({ name }) => name));
  const searched = trials
    .filter(({ metric }) => metric === 'saturation_hz')
    .flatMap(({ era, engine, setting, value, 'setting.cores': cores, 'setting.processes': processes }) => {
      const mix = cores === 'own' ? processes : undefined;
      const name = setting === 'cores=one' ? `${era}\t${engine}\tone\t-` : `${era}\t${engine}\tmix\t${mix}`;
      return isSwept.has(name) || (setting !== 'cores=one' && !mix) ? [] : [{ name, hz: Number(value) }];
    });
  return new Map([...group([...whole, ...searched], ({ name }) => name)].map(([name, rows]) => [name, rows.map(({ hz }) => hz)]));
}

/**
 * @param {Row[]} capacities
 * @param {Row[]} trials
 * @param {number} level
 * @returns {Record<string, unknown>[]} of predictions.tsv
 */
export function predictRates(capacities, trials, level) {
  const measured = mapMeasured(capacities, trials);
  const shown = capacities.filter(({ kind }) => kind !== 'whole');
  return [...group(shown, ({ era, engine, kind, what, load }) => [era, engine, kind, what, load].join('\t')).values()].map((rows) => {
    const { era, engine, kind, what, load } = rows[0];
    const { mean, low, high } = findCentre(
      rows.map(({ total_rate_hz }) => Number(total_rate_hz)),
      level,
    );
    const us = (/** @type {number | undefined} */ rate) =>
      kind !== 'role' || rate === undefined ? '-' : digitsOf((1e6 * Number(load)) / Number(digitsOf(rate)), 4);
    const found = measured.get([era, engine, kind === 'one-by-rate' ? 'one' : kind, what].join('\t'));
    const whole = found && findCentre(found, level);
    return {
      era,
      engine,
      kind,
      what,
      load,
      n: rows.length,
      total_rate_hz: cellOf(mean),
      low: cellOf(low),
      high: cellOf(high),
      us_per_message: us(mean),
      us_low: us(high),
      us_high: us(low),
      extrapolated: rows.some(({ reached }) => Number(reached) < Number(load) * REACHED_SHARE) ? 'yes' : 'no',
      at_least: rows.some(({ at_least }) => at_least === 'yes') ? 'yes' : 'no',
      measured_n: found?.length ?? 0,
      measured_hz: cellOf(whole?.mean),
      measured_low: cellOf(whole?.low),
      measured_high: cellOf(whole?.high),
      error_pct: whole ? digitsOf(100 * (mean / whole.mean - 1), 3) : '-',
    };
  });
}
