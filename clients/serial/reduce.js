/**
 * The metrics of generator.toml for a trial in rounds (clients/CONTRACT.md, Reduction). Samples that began outside the
 * window are left out. An echo of up to 100 kB takes longer than 20 ms only if something waits, such as a timer of TCP.
 */
import { group, median } from 'd3-array';
import { join } from 'node:path';
import { readTsv } from '../../harness/common/files.js';

/** @typedef {{quantity: string, size_b: number, t_s: number, us: number}} Sample */

const SLOW_US = 20_000;
const SLOW_SIZE_MAX_B = 100_000;

/** @param {Sample[]} samples */
const medianOf = (samples) => Number(median(samples, ({ us }) => us));

/** @param {string} name @param {Sample[]} samples @param {number} middle_s @returns {[string, number][]} */
function driftOf(name, samples, middle_s) {
  const [first, second] = [samples.filter(({ t_s }) => t_s < middle_s), samples.filter(({ t_s }) => t_s >= middle_s)];
  return first.length && second.length ? [[name, Math.abs(medianOf(second) / medianOf(first) - 1)]] : [];
}

/**
 * @param {Record<string, string>[]} rows of serial.tsv
 * @param {{from_s: number, to_s: number}} window
 * @returns {[string, number][]} metrics
 */
export function computeRounds(rows, { from_s, to_s }) {
  const samples = rows.map(({ quantity, size_b, t_s, us }) => ({ quantity, size_b: Number(size_b), t_s: Number(t_s), us: Number(us) }));
  const window = samples.filter(({ t_s }) => t_s >= from_s && t_s < to_s);
  const connects = window.filter(({ quantity }) => quantity === 'connect');
  const sizes = [
    ...group(
      window.filter(({ quantity }) => quantity !== 'connect'),
      ({ size_b }) => size_b,
    ),
  ].sort(([a], [b]) => a - b);
  const middle_s = (from_s + to_s) / 2;
  return [
    ...(connects.length ? [/** @type {[string, number]} */ (['connect_us', medianOf(connects)])] : []),
    ...sizes.map(([size_b, own]) => /** @type {[string, number]} */ ([`echo_us_${size_b}`, medianOf(own)])),
    ...sizes
      .filter(([size_b]) => size_b <= SLOW_SIZE_MAX_B)
      .map(
        ([size_b, own]) =>
          /** @type {[string, number]} */ ([`echo_slow_share_${size_b}`, own.filter(({ us }) => us > SLOW_US).length / own.length]),
      ),
    ...driftOf('warm_drift', sizes[0]?.[1] ?? [], middle_s),
    ...driftOf('connect_drift', connects, middle_s),
  ];
}

/**
 * @param {import('../../analysis/trials/own.js').Given} given
 * @returns {import('../../analysis/trials/own.js').Reduced}
 */
export function reduce({ raw, ...window }) {
  const rows = readTsv(join(raw, 'client/serial.tsv'));
  return rows.length ? { metrics: computeRounds(rows, window) } : {};
}
