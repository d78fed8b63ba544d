/** Estimates how often a comparison raises an alarm, from thousands of comparisons resampled from measured blocks. */
import { findAlarms, computeShifts } from './shifts.js';
import { FALSE_ALARMS_MAX } from './sameness.js';
import { meanOf } from '../statistics/spread.js';

/** @typedef {import('./shifts.js').Shift} Shift */
/**
 * @typedef {{name: string, engine: string, blocks: string[], logs: number[], isSame: boolean}} Measured A version compared with the plain
 *   one: log(B / A) of each block
 */

/**
 * Resample a comparison: each engine's mean plus the residuals of drawn blocks. A block is drawn for all engines at once, which keeps what
 * they have in common, and with a random sign, so that a residual is as often slower as faster. Residuals from an estimated mean are too
 * small, so they are scaled by sqrt(N / (N - 1)).
 * @param {Measured[]} measured one per engine, with the same blocks @param {number} size blocks of the comparison
 * @param {() => number} random @returns {import('./shifts.js').Pair[]}
 */
export function drawComparison(measured, size, random) {
  const count = measured[0].logs.length;
  const stretch = Math.sqrt(count / (count - 1));
  const centred = measured.map(({ engine, logs, isSame }) => ({ engine, logs, mean: meanOf(logs), centre: isSame ? 0 : meanOf(logs) }));
  return Array.from({ length: size }, (_, block) => {
    const drawn = Math.floor(random() * count);
    const way = random() < 0.5 ? stretch : -stretch;
    return centred.map(({ engine, logs, mean, centre }) =>
      ({ engine, point: engine, block: String(block), log: centre + way * (logs[drawn] - mean) }));
  }).flat();
}

/** @param {Measured[]} measured @returns {Measured[]} only with blocks that all of them have */
export function keepCommonBlocks(measured) {
  const isCommon = (/** @type {string} */ block) => measured.every(({ blocks }) => blocks.includes(block));
  return measured.map((one) => ({
    ...one, logs: one.logs.filter((_, index) => isCommon(one.blocks[index])), blocks: one.blocks.filter(isCommon),
  }));
}

/**
 * @param {Measured[]} measured @param {(alarm: Shift) => boolean} isWanted @param {{size: number, times: number, random: () => number}} how
 * @returns {number} the share of comparisons with such an alarm
 */
export function alarmRate(measured, isWanted, { size, times, random }) {
  let found = 0;
  for (let i = 0; i < times; i++) {
    const alarms = findAlarms(computeShifts(drawComparison(measured, size, random)), FALSE_ALARMS_MAX);
    if (alarms.some(isWanted)) found++;
  }
  return found / times;
}
