/**
 * Means with their intervals on one scale, as places in per cent: a figure of HTML alone, which any width and any device shows. It imports
 * nothing: the report's page has these functions too.
 */

/** @typedef {{mean: number | null, low: number | null, high: number | null}} Estimate */
/** @typedef {{toPercent: (x: number) => number}} Scale */

/** More than so many times the least is shown on a scale of logarithms. */
const LINEAR_TIMES_MAX = 4;
/** Room beside the outermost, of the whole. */
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
