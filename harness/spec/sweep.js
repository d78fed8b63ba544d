/**
 * A sweep: one trial takes one running server through a staircase of rates over lasting connections. It yields the cost of a message as a
 * curve against the rate and against a core's load.
 */

/**
 * @typedef {{total_rate_hz: number, share?: number, batch?: number}} Step The rate is over all connections; `batch` messages fall due
 *   together, on average. A manifest may give a share of the saturation found by a search instead of the rate
 */
/** @typedef {{kind: 'staircase', step_s: number, lead_s: number, steps: Step[]}} Staircase `lead_s`: part of a step before its window */
/** @typedef {{step: number, total_rate_hz: number, batch: number, share?: number, from_s: number, to_s: number}} StepWindow */

export const STEP_COLUMNS = ['step', 'total_rate_hz', 'batch', 'share', 'from_s', 'to_s'];

/** @param {import('./spec.js').Arrivals} arrivals @returns {Staircase | undefined} undefined for other arrivals */
export const staircaseOf = (arrivals) => (arrivals.kind === 'staircase' ? /** @type {Staircase} */ (/** @type {unknown} */ (arrivals)) : undefined);

/**
 * The load to measure after the search has found the server's saturation.
 * @template {Pick<import('./points.js').Conditions, 'arrivals' | 'search' | 'connections'>} C
 * @param {C} conditions @param {number} saturation_hz @returns {C} with a sweep: steps given as shares get rates, and rates beyond the
 *   search's `step_share_max` are lowered to that share. Without a sweep: messages at random times, at the search's `measured_share`
 */
export function atSaturation(conditions, saturation_hz) {
  const { arrivals, search, connections } = conditions;
  const staircase = staircaseOf(arrivals);
  const atShare = (/** @type {number} */ share) => ({ share, total_rate_hz: Number((share * saturation_hz).toFixed(1)) });
  if (!staircase) return { ...conditions, arrivals: { kind: 'poisson', rate_hz_per_connection: (saturation_hz * (search?.measured_share ?? 1)) / connections } };
  const most = search?.step_share_max ?? Infinity;
  const steps = staircase.steps.map((step) => {
    if (step.share !== undefined) return { ...step, ...atShare(step.share) };
    return step.total_rate_hz > most * saturation_hz ? { ...step, ...atShare(most) } : step;
  });
  return { ...conditions, arrivals: { ...staircase, steps } };
}

/** @param {import('./spec.js').Arrivals} arrivals @returns {number | undefined} seconds of all steps of a sweep */
export function lengthOf(arrivals) {
  const staircase = staircaseOf(arrivals);
  return staircase && staircase.step_s * staircase.steps.length;
}

/** @param {Staircase} staircase @param {number} from_s when the first step begins @returns {StepWindow[]} */
export function listSteps({ step_s, lead_s, steps }, from_s) {
  return steps.map(({ total_rate_hz, batch = 1, share }, index) => ({
    step: index + 1, total_rate_hz, batch, share, from_s: from_s + index * step_s + lead_s, to_s: from_s + (index + 1) * step_s,
  }));
}

/**
 * The staircase in a client's configuration (clients/CONTRACT.md): rates per connection, and messages due on a grid. The load of the first
 * step begins in the time to settle, if this is as long as a step (0/s, too): in the first second over new connections a server in Java
 * spends up to 1.9 times as much on a message (experiment 16, Netty).
 * @param {Staircase} staircase @param {number} connections @param {number} opened_s when all connections are up
 * @param {number} settle_s from then to the first step
 */
export function tellClient({ step_s, steps }, connections, opened_s, settle_s) {
  const lead = settle_s >= step_s ? steps.slice(0, 1) : [];
  const rates = [...lead, ...steps].map(({ total_rate_hz, batch = 1 }) => ({
    rate_hz_per_connection: total_rate_hz / connections, ...(batch > 1 && { grid_ms: (1000 * batch) / total_rate_hz }),
  }));
  return { kind: 'staircase', from_s: opened_s + settle_s - lead.length * step_s, step_s, steps: rates };
}

/** @param {StepWindow[]} steps @returns {[string, number][]} marks with times in s; the last step ends with the window */
export function listMarks(steps) {
  /** @type {[string, number][]} */
  const marks = steps.flatMap(({ step, from_s, to_s }) => [[`step_${step}_from`, from_s], [`step_${step}_to`, to_s]]);
  return marks.slice(0, -1);
}
