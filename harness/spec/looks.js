/**
 * To look at a run several times gives chance several occasions: the intervals of such a run are therefore of level 1 - 0.05 / looks
 * (Bonferroni).
 */

/**
 * @typedef {object} Precision `[precision]` of a manifest
 * @property {number} ratio_half_width half the width of an interval that is wide no longer, as a share of its middle
 * @property {number[]} looks after so many blocks; the first is the profile's `repeats`
 * @property {number} budget_min all trials of the run together take no longer than so many minutes, by estimate
 * @property {number} level of the claims' intervals, for which all looks together are wrong in 5 % of cases at most
 */

const ERROR = 0.05; // what may go wrong in all looks together

/** @param {Omit<Precision, 'level'>} asked @returns {Precision} */
export const withLevel = (asked) => ({ ...asked, level: 1 - ERROR / asked.looks.length });
