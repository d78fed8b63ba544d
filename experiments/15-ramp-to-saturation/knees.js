/** Finds the knee of a ramp, where latency rises for good, and the plateau, where throughput stops growing. */
import { group, max, mean, median, range } from 'd3-array';
import { digitsOf } from '../../analysis/digits.js';

/** @typedef {Record<string, string>} Row */

/** The knee needs a latency of this many times the level. */
const RISE_MIN = 2;
/** The plateau starts at this share of the best mean throughput over this many seconds. */
const PLATEAU = { seconds: 10, share: 0.95 };
/** The ramp must last this many times as long as until the plateau; otherwise throughput might have grown further. */
const GOES_ON_MIN = 1.5;

/**
 * Metrics of each trial: level_p50_ms, the median of the median latencies in the first third of the ramp; peak_hz, the highest
 * mean throughput over 10 s; has_knee, has_plateau and knee_and_plateau (both), 0 or 1. If they exist, also knee_s and
 * plateau_s (the start of their seconds), knee_connections and plateau_connections; if both exist, knee_to_plateau, the ratio
 * of the two times.
 *
 * The knee is the first second from which the median latency stays above twice the level. A pause of the server raises only
 * single seconds, so it is no knee; what it held back comes in one second, so that is no plateau. The plateau is the
 * first second with 95 % of peak_hz, alone and in the mean of the 10 s that it begins, if the ramp lasts at least 1.5 times as long.
 * @param {Row[]} seconds of seconds.tsv @param {number} ramp_s @returns {Row[]} of knees.tsv
 */
export function findKnees(seconds, ramp_s) {
  return [...group(seconds, ({ trial }) => trial).values()].flatMap((rows) => {
    const answered = rows.filter(({ latency_p50_ms }) => Number(latency_p50_ms) > 0);
    if (!answered.some(({ t_s }) => Number(t_s) < ramp_s / 3)) return [];
    return Object.entries(describeRamp(answered, ramp_s)).map(([metric, value]) => ({ ...rows[0], metric, value: digitsOf(value) }));
  });
}

/** @param {Row[]} seconds with answers @param {number} ramp_s @returns {Record<string, number>} */
function describeRamp(seconds, ramp_s) {
  const p50_ms = (/** @type {Row} */ row) => Number(row.latency_p50_ms);
  const level_p50_ms = Number(median(seconds.filter(({ t_s }) => Number(t_s) < ramp_s / 3), p50_ms));
  const knee = seconds[1 + seconds.findLastIndex((row) => p50_ms(row) <= RISE_MIN * level_p50_ms)];
  const received = seconds.map((row) => Number(row.received));
  const means_hz = averageAhead(received);
  const peak_hz = Number(max(means_hz));
  const first = seconds[means_hz.findIndex((hz, second) => Math.min(hz, received[second]) >= PLATEAU.share * peak_hz)];
  const plateau = first && ramp_s >= GOES_ON_MIN * Number(first.t_s) ? first : undefined;
  return {
    level_p50_ms,
    peak_hz,
    has_knee: Number(Boolean(knee)),
    has_plateau: Number(Boolean(plateau)),
    knee_and_plateau: Number(Boolean(knee && plateau)),
    ...(knee && { knee_s: Number(knee.t_s), knee_connections: Number(knee.connected) }),
    ...(plateau && { plateau_s: Number(plateau.t_s), plateau_connections: Number(plateau.connected) }),
    ...(knee && plateau && { knee_to_plateau: Number(knee.t_s) / Number(plateau.t_s) }),
  };
}

/** @param {number[]} values of seconds @returns {number[]} the mean of each 10 consecutive seconds, or of all if there are fewer */
const averageAhead = (values) =>
  range(Math.max(1, values.length - PLATEAU.seconds + 1)).map((start) => Number(mean(values.slice(start, start + PLATEAU.seconds))));
