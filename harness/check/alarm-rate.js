/** How often a comparison raises an alarm: thousands of comparisons, drawn from the blocks of one that was measured. */
import { findAlarms, computeShifts } from '../../analysis/compare/shifts.js';
import { FALSE_ALARMS_MAX } from '../../analysis/compare/sameness.js';
import { meanOf } from './coverage.js';

/** @typedef {import('../../analysis/compare/shifts.js').Shift} Shift */
/**
 * @typedef {{name: string, engine: string, blocks: string[], logs: number[], isSame: boolean}} Measured a version against the plain one:
 *   log(B / A) of each of its blocks
 */

/**
 * A comparison that might have been: of each engine its centre, and what drawn blocks were off it. A block is drawn for all engines at
 * once, so that what they had in common in it stays, and either way round, as often slower as faster by that much. What is off a mean is
 * less than what is off the truth: it is drawn out by sqrt(N / (N - 1)).
 * @param {Measured[]} measured one an engine, with the same blocks @param {number} size blocks of the comparison
 * @param {() => number} random @returns {import('../../analysis/compare/shifts.js').Pair[]}
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

/** @param {Measured[]} measured @returns {Measured[]} without the blocks that one of them lacks */
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
