/** The samples of page and worker, and the metrics computed from them. This module does not use the browser. */

/**
 * @typedef {object} Sample
 * @property {number} t_s since the start
 * @property {number} page_count shown by the page
 * @property {number} worker_count the worker's own
 * @property {number} page_answers shown by the page so far
 * @property {number} page_falls how often the page's count fell
 */

/** We take one sample in each period. */
export const PERIOD_S = 0.25;
export const COLUMNS = /** @type {const} */ (['t_s', 'page_count', 'worker_count', 'page_answers', 'page_falls']);

/**
 * Draws the sampling times: one in each period, at a random time within it. The page also pings 4 times a second, so equidistant
 * samples would all see it the same time after its last ping.
 * @param {() => number} draw uniform in [0, 1)
 * @param {number} end_s
 * @returns {number[]} seconds since the start
 */
export function drawTimes(draw, end_s) {
  const periods = Math.ceil(end_s / PERIOD_S - 1e-9);
  return Array.from({ length: periods }, (_, k) => (k + draw()) * PERIOD_S).filter((t_s) => t_s < end_s);
}

/**
 * How long the page's count has been out of date: the time since the worker's count had that value, by linear interpolation
 * between two samples.
 * @param {Sample[]} samples in order of time
 * @param {number} at index of the sample
 * @returns {number} ms
 */
export function findLag_ms(samples, at) {
  const { t_s, page_count, worker_count } = samples[at];
  if (worker_count <= page_count) return 0;
  let before = at;
  while (before > 0 && samples[before].worker_count > page_count) before--;
  const [from, to] = [samples[before], samples[before + 1] ?? samples[before]];
  if (from.worker_count > page_count) return (t_s - from.t_s) * 1000; // lower bound: it was out of date before the first sample
  const share = (page_count - from.worker_count) / (to.worker_count - from.worker_count);
  return (t_s - from.t_s - share * (to.t_s - from.t_s)) * 1000;
}

/**
 * @param {number[]} values
 * @param {number} p in (0, 1]
 * @returns {number | undefined} by the nearest rank; undefined for too few values, such as fewer than 100 for the 99th
 */
export function findPercentile(values, p) {
  if (values.length * Math.min(p, 1 - p) < 1) return undefined;
  return values.toSorted((a, b) => a - b)[Math.ceil(p * values.length) - 1];
}

/**
 * @param {Sample[]} samples of the whole run, in order of time
 * @param {{from_s: number, to_s: number}} window
 * @param {{page_count: number, worker_count: number, page_answers: number}} last once both counts are final
 * @returns {[string, number][]} metric and value
 */
export function reckon(samples, { from_s, to_s }, last) {
  const inWindow = samples.map((sample, at) => ({ ...sample, at })).filter(({ t_s }) => t_s >= from_s && t_s < to_s);
  const [first, end] = [inWindow[0], inWindow[inWindow.length - 1]];
  const lags = inWindow.map(({ page_count, worker_count }) => Math.max(0, worker_count - page_count));
  const lags_ms = inWindow.map(({ at }) => findLag_ms(samples, at));
  const rises = inWindow.length > 1 && samples.every(({ page_falls }) => page_falls === 0) && end.page_count > first.page_count;
  /** @type {[string, number | undefined][]} */
  const metrics = [
    ['page_pings', last.page_answers],
    ['page_count_last', last.page_count],
    ['worker_count_last', last.worker_count],
    ['page_worker_difference', last.page_count - last.worker_count],
    ['page_lag_p50', findPercentile(lags, 0.5)],
    ['page_lag_p99', findPercentile(lags, 0.99)],
    ['page_lag_max', inWindow.length ? Math.max(...lags) : undefined],
    ['page_lag_p50_ms', findPercentile(lags_ms, 0.5)],
    ['page_lag_p99_ms', findPercentile(lags_ms, 0.99)],
    ['page_lag_max_ms', inWindow.length ? Math.max(...lags_ms) : undefined],
    ['page_updates_hz', inWindow.length > 1 ? (end.page_answers - first.page_answers) / (end.t_s - first.t_s) : undefined],
    ['page_rises', rises ? 1 : 0],
  ];
  return /** @type {[string, number][]} */ (metrics.filter(([, value]) => value !== undefined));
}
