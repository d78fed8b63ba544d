/** What is sampled beside the load, and the numbers that it comes to. Nothing here knows a browser. */

/**
 * @typedef {object} Sample
 * @property {number} t_s since the start
 * @property {number} page_count that the page showed
 * @property {number} worker_count the worker's own
 * @property {number} page_answers that the page had shown
 * @property {number} page_falls of the count
 */

/** One sample in each such period. */
export const PERIOD_S = 0.25;
export const COLUMNS = /** @type {const} */ (['t_s', 'page_count', 'worker_count', 'page_answers', 'page_falls']);

/**
 * When to sample: once in each period, at a random time of it. The page pings four times a second as well: at equal distances every
 * sample would see it the same time after its last ping.
 * @param {() => number} draw uniform in [0, 1)
 * @param {number} end_s
 * @returns {number[]} seconds since the start
 */
export function drawTimes(draw, end_s) {
  const periods = Math.ceil(end_s / PERIOD_S - 1e-9);
  return Array.from({ length: periods }, (_, k) => (k + draw()) * PERIOD_S).filter((t_s) => t_s < end_s);
}

/**
 * For how long the page has shown what the worker has passed: since the worker's count was what the page shows, between two
 * samples on the straight line.
 * @param {Sample[]} samples in order of time
 * @param {number} at index of one
 * @returns {number} ms
 */
export function findLag_ms(samples, at) {
  const { t_s, page_count, worker_count } = samples[at];
  if (worker_count <= page_count) return 0;
  let before = at;
  while (before > 0 && samples[before].worker_count > page_count) before--;
  const [from, to] = [samples[before], samples[before + 1] ?? samples[before]];
  if (from.worker_count > page_count) return (t_s - from.t_s) * 1000; // older than the first sample
  const share = (page_count - from.worker_count) / (to.worker_count - from.worker_count);
  return (t_s - from.t_s - share * (to.t_s - from.t_s)) * 1000;
}

/**
 * @param {number[]} values
 * @param {number} p in (0, 1]
 * @returns {number | undefined} by the nearest rank; none where the 99th would be any but the largest of too few
 */
export function findPercentile(values, p) {
  if (values.length * Math.min(p, 1 - p) < 1) return undefined;
  return values.toSorted((a, b) => a - b)[Math.ceil(p * values.length) - 1];
}

/**
 * @param {Sample[]} samples of the whole run, in order of time
 * @param {{from_s: number, to_s: number}} window
 * @param {{page_count: number, worker_count: number, page_answers: number}} last when all was quiet, and each ping of the page answered
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
