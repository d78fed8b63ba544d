/** Where in a ramp latency leaves its level for good, and where the server answers no more. */
import { group, max, mean, median, range } from 'd3-array';
import { digitsOf } from '../../analysis/digits.js';

/** @typedef {Record<string, string>} Row */

/** Above the level by so much, latency has left it. */
const RISE_MIN = 2;
/** Of what is answered in the best seconds, so many of them together, the server answers this share: it answers no more. */
const PLATEAU = { seconds: 10, share: 0.95 };
/** So much longer than up to there a ramp goes on, or what it would have answered is not known. */
const GOES_ON_MIN = 1.5;
export const METRIC_ROW = ['trial', 'block', 'era', 'engine', 'workload', 'setting', 'metric', 'value'];

/**
 * Of each trial level_p50_ms, the median of the medians of the first third of its ramp; peak_hz, the highest mean of
 * ten seconds of what is answered; has_knee, has_plateau, and knee_and_plateau where both are 1. Where they are, also
 * knee_s and plateau_s, when their seconds began, with knee_connections and plateau_connections, and where both are
 * knee_to_plateau, the one time over the other.
 *
 * The knee is the first second from which the median stays above twice the level. A pause of the server raises single
 * seconds, and is no knee. The plateau is the first second in which 95 % of peak_hz are answered, if the ramp goes
 * on for half as long again.
 * @param {Row[]} seconds of seconds.tsv @param {number} ramp_s @returns {Row[]} of knees.tsv
 */
export function findKnees(seconds, ramp_s) {
  return [...group(seconds, ({ trial }) => trial).values()].flatMap((rows) => {
    const answered = rows.filter(({ latency_p50_ms }) => Number(latency_p50_ms) > 0);
    if (!answered.some(({ t_s }) => Number(t_s) < ramp_s / 3)) return [];
    return Object.entries(describeRamp(answered, ramp_s)).map(([metric, value]) => ({ ...rows[0], metric, value: digitsOf(value) }));
  });
}

/** @param {Row[]} seconds in which something was answered @param {number} ramp_s @returns {Record<string, number>} */
function describeRamp(seconds, ramp_s) {
  const p50_ms = (/** @type {Row} */ row) => Number(row.latency_p50_ms);
  const level_p50_ms = Number(median(seconds.filter(({ t_s }) => Number(t_s) < ramp_s / 3), p50_ms));
  const knee = seconds[1 + seconds.findLastIndex((row) => p50_ms(row) <= RISE_MIN * level_p50_ms)];
  const peak_hz = findHighest(seconds.map(({ received }) => Number(received)));
  const first = seconds.find(({ received }) => Number(received) >= PLATEAU.share * peak_hz);
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

/** @param {number[]} values of seconds @returns {number} the highest mean of ten in a row, or of all where there are fewer */
function findHighest(values) {
  const starts = range(Math.max(1, values.length - PLATEAU.seconds + 1));
  return Number(max(starts, (start) => mean(values.slice(start, start + PLATEAU.seconds))));
}
