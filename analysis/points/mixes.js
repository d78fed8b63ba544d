/**
 * Predicts the cost per message of a mixed load from a sweep. The source ran the mix as a whole: it opened connections,
 * held them and exchanged messages (mixes.tsv of an experiment).
 */
import { cross, group, range, sum } from 'd3-array';
import { digitsOf } from '../digits.js';
import { Curve, stands } from '../statistics/curve.js';
import { openingOf } from './shares.js';

/** @typedef {Record<string, string>} Row */

/** Slices of the ramp; within each the rate is taken as constant. */
const SLICES = 240;

/**
 * @param {Row} mix connections, connect_rate_hz, hold_s, rate_hz_per_connection @param {Curve} curve @param {number} opening_s
 * @returns {number} CPU seconds per 1,000 messages
 */
function costOf(mix, curve, opening_s) {
  const columns = ['connections', 'connect_rate_hz', 'hold_s', 'rate_hz_per_connection'];
  const [connections, connect_rate_hz, hold_s, rate_hz] = columns.map((column) => Number(mix[column]));
  const ramp_s = connections / connect_rate_hz;
  const ramp_cpu_s = sum(range(SLICES), (slice) => (ramp_s / SLICES) * curve.coresAt(((slice + 0.5) / SLICES) * connections * rate_hz));
  const cpu_s = connections * opening_s + hold_s * curve.coresAt(connections * rate_hz) + ramp_cpu_s;
  return (1000 * cpu_s) / (connections * rate_hz * (ramp_s / 2 + hold_s));
}

/** @param {Row[]} steps of one trial and side without backlog, a row per role @returns {Curve} of all its roles together */
const curveOf = (steps) => Curve.of([...group(steps, ({ step }) => step).values()].map((rows) =>
  ({ ...rows[rows.length - 1], cpu_cores: String(sum(rows, ({ cpu_cores }) => Number(cpu_cores))) })));

/** @param {Row[]} mixes @param {Row[]} trials of trials.tsv @param {Row[]} steps @returns {Row[]} further rows of trials.tsv */
export function computeMixes(mixes, trials, steps) {
  const metrics = group(trials, ({ trial }) => trial);
  // the role server is the sum of the others
  const roles = steps.filter(({ batch, role }) => Number(batch) === 1 && role !== 'server');
  return [...group(roles, ({ trial }) => trial)].flatMap(([trial, own]) => cross(mixes, ['server', 'client']).flatMap(([mix, side]) => {
    const standing = own.filter((row) => row.side === side && stands(row.backlog_s));
    const first = standing.filter(({ step }) => step === standing[0].step);
    const opening_ms = openingOf(metrics.get(trial) ?? [], first.map(({ role }) => role));
    if (new Set(standing.map(({ step }) => step)).size < 2 || opening_ms === undefined) return [];
    const value = digitsOf(costOf(mix, curveOf(standing), opening_ms / 1000));
    return [{ ...own[0], metric: `${side}_cpu_s_per_1k_at_${mix.mix}`, value }];
  }));
}
