/** Where in a ramp latency leaves its level for good, and what is answered from there on. */
import { group, max, mean, median } from 'd3-array';
import { digitsOf } from '../../analysis/digits.js';

/** @typedef {Record<string, string>} Row */

/** Above the level by so much, latency has left it. */
const RISE_MIN = 10;
/** The fewest seconds in which there is a level. */
const SECONDS_MIN = 4;
export const METRIC_ROW = ['trial', 'block', 'era', 'engine', 'workload', 'setting', 'metric', 'value'];

/**
 * Of each trial level_p50_ms, the median of the medians of its first quarter, and has_knee. Where it is 1 also
 * knee_connections and knee_s, when the second of the knee began; knee_hz, due in it; due_to_knee, the most that fell
 * due in a second over that; plateau_hz, answered a second from the knee on; and knee_to_plateau, 1 where latency rises
 * when the server answers no more.
 *
 * The knee is the second after the last one whose median was within ten times the level. A pause of the server raises
 * single seconds, and is no knee: latency is back at its level after it.
 * @param {Row[]} seconds of seconds.tsv @returns {Row[]} of knees.tsv
 */
export function findKnees(seconds) {
  return [...group(seconds, ({ trial }) => trial).values()].flatMap((rows) => {
    const answered = rows.filter(({ latency_p50_ms }) => Number(latency_p50_ms) > 0);
    if (answered.length < SECONDS_MIN) return [];
    return Object.entries(findKnee(answered)).map(([metric, value]) => ({ ...rows[0], metric, value: digitsOf(value) }));
  });
}

/** @param {Row[]} seconds in which something was answered @returns {Record<string, number>} */
function findKnee(seconds) {
  const p50_ms = (/** @type {Row} */ row) => Number(row.latency_p50_ms);
  const level_p50_ms = Number(median(seconds.slice(0, Math.floor(seconds.length / 4)), p50_ms));
  const knee = 1 + seconds.findLastIndex((row) => p50_ms(row) <= RISE_MIN * level_p50_ms);
  if (knee === 0 || knee === seconds.length) return { level_p50_ms, has_knee: 0 };
  const after = seconds.slice(knee);
  const knee_hz = Number(after[0].due);
  const plateau_hz = Number(mean(after, ({ received }) => Number(received)));
  return {
    level_p50_ms,
    has_knee: 1,
    knee_connections: Number(seconds[knee - 1].connected),
    knee_s: Number(after[0].t_s),
    knee_hz,
    due_to_knee: Number(max(after, ({ due }) => Number(due))) / knee_hz,
    plateau_hz,
    knee_to_plateau: knee_hz / plateau_hz,
  };
}
