/**
 * Places means and intervals on one scale, in per cent, for a figure of plain HTML that fits any width. It imports nothing, since the
 * report's page runs these functions, too.
 */

/** @typedef {{mean: number | null, low: number | null, high: number | null}} Estimate */
/** @typedef {{toPercent: (x: number) => number}} Scale */

/** If the maximum is more than so many times the minimum, the scale is logarithmic. */
const LINEAR_TIMES_MAX = 4;
/** Space beyond the outermost values, as a share of their span. */
const MARGIN = 0.06;

/** @param {number} x */
const toHundredths = (x) => Number(x.toFixed(2));

/** @param {(number | null)[]} values @returns {Scale} that shows all of them */
export function makeScale(values) {
  const known = values.filter((value) => value !== null && Number.isFinite(value)).map(Number);
  const [least, most] = known.length ? [Math.min(...known), Math.max(...known)] : [0, 1];
  const isLog = least > 0 && most / least > LINEAR_TIMES_MAX;
  const toScale = isLog ? Math.log : Number;
  const room = (toScale(most) - toScale(least) || Math.abs(toScale(most)) || 1) * MARGIN;
  const [from, to] = [toScale(least) - room, toScale(most) + room];
  const toShare = (/** @type {number} */ x) => ((isLog && x <= 0 ? from : toScale(x)) - from) / (to - from);
  return { toPercent: (x) => toHundredths(100 * Math.min(1, Math.max(0, toShare(x)))) };
}

/** @param {Estimate} estimate @param {Scale} scale @returns {{mean: number, left: number, width: number} | undefined} */
export function placeEstimate({ mean, low, high }, { toPercent }) {
  if (mean === null) return undefined;
  const [left, right] = [low ?? mean, high ?? mean].map(toPercent);
  return { mean: toPercent(mean), left, width: toHundredths(right - left) };
}
