/** The curve of one role in one trial of a sweep: cores in use against messages a second. */
import { max, min, range } from 'd3-array';
import { fitLine } from './lines.js';

/**
 * @typedef {{total_rate_hz: number, hz: number, cores: number, steps: number}} CurvePoint requested rate and what was measured at it
 */

/** Between these loads of a core, in cores, the curve is straight on logarithms. */
const MIDDLE = { least: 0.15, most: 0.85 };
/** A core counts as full from this load on. */
const FULL = 0.9;
/** Unanswered requests, in seconds at the step's rate. A garbage collection pauses for up to some tens of ms, which is no overload. */
const BACKLOG_MAX_S = 0.1;

/** A search for a rate: steps of its grid, and how near the bisection comes. */
const GRID_STEPS = 100;
const NEAR = 1e-4;

/** @param {string | number} backlog_s @returns {boolean} whether the role kept up: everything due was answered when the step ended */
export const stands = (backlog_s) => Number(backlog_s) < BACKLOG_MAX_S;

/**
 * @param {[low: number, high: number]} ends above 0, of which only the second is beyond @param {(value: number) => boolean} isBeyond
 * @param {number} near largest ratio of the ends found, less 1 @returns {number} the lower of them, by bisection of the logarithm
 */
export function bisect([low, high], isBeyond, near) {
  while (high / low > 1 + near) {
    const middle = Math.sqrt(low * high);
    if (isBeyond(middle)) high = middle;
    else low = middle;
  }
  return low;
}

/**
 * @param {[least: number, most: number]} ends above 0, of a range whose least is not beyond @param {(value: number) => boolean} isBeyond
 * @returns {number} where it first becomes so, to within NEAR of it; the most of the range if it never does
 */
export function firstBeyond([least, most], isBeyond) {
  const grid = range(GRID_STEPS + 1).map((step) => least * (most / least) ** (step / GRID_STEPS));
  const beyond = grid.findIndex(isBeyond);
  return beyond === -1 ? most : bisect([grid[beyond - 1], grid[beyond]], isBeyond, NEAR);
}

export class Curve {
  /** @type {CurvePoint[]} in ascending order of the requested rate */
  points = [];
  /** The fastest step that the role kept up with. @type {{hz: number, cores: number} | undefined} */
  stood = undefined;
  /** Rates at which the role filled its core and fell behind. @type {number[]} */
  fallen = [];

  /** @param {Record<string, string>[]} steps of one role @returns {Curve} */
  static of(steps) {
    const curve = new Curve();
    for (const { total_rate_hz, received_hz, cpu_cores } of steps) curve.add(Number(total_rate_hz), Number(received_hz), Number(cpu_cores));
    return curve;
  }

  /**
   * A sweep may pass a rate several times, up and down. The mean of these steps is one point.
   * @param {number} total_rate_hz @param {number} hz @param {number} cores
   */
  add(total_rate_hz, hz, cores) {
    const at = this.points.findIndex((point) => point.total_rate_hz >= total_rate_hz);
    const place = at === -1 ? this.points.length : at;
    if (this.points[place]?.total_rate_hz !== total_rate_hz) this.points.splice(place, 0, { total_rate_hz, hz: 0, cores: 0, steps: 0 });
    const point = this.points[place];
    point.steps++;
    point.hz += (hz - point.hz) / point.steps;
    point.cores += (cores - point.cores) / point.steps;
  }

  /**
   * Adds a step near a full core. A step that fell behind marks the role's limit only if the load's own core was not full.
   * @param {{due_hz: number, received_hz: number, cores: number, load_cores: number, backlog_s: number}} step
   */
  addFull({ due_hz, received_hz, cores, load_cores, backlog_s }) {
    if (!stands(backlog_s)) {
      if (cores >= FULL && load_cores < FULL) this.fallen.push(due_hz);
      return;
    }
    const hz = Math.min(received_hz, due_hz); // answers to the backlog of earlier steps do not count
    if (hz > (this.stood?.hz ?? 0)) this.stood = { hz, cores };
  }

  /** @returns {number} the largest measured load of the role, in cores */
  get loadReached() {
    return max(this.points, ({ cores }) => cores) ?? 0;
  }

  /** @param {number} to index of a point @returns {number} cores per message a second, from the previous point */
  #slope(to) {
    const [from, end] = [this.points[to - 1], this.points[to]];
    return (end.cores - from.cores) / (end.hz - from.hz);
  }

  /**
   * Interpolates linearly between steps. Beyond the last step a message is assumed to cost as much as there. This errs on
   * the high side: costs fall with the rate.
   * @param {number} hz @returns {number} cores in use
   */
  coresAt(hz) {
    const last = this.points[this.points.length - 1];
    if (hz >= last.hz) return (last.cores * hz) / last.hz;
    const next = Math.max(1, this.points.findIndex((point, index) => index > 0 && point.hz >= hz));
    const from = this.points[next - 1];
    return from.cores + this.#slope(next) * (hz - from.hz);
  }

  /** @param {number} cores @returns {number | undefined} the lowest rate with this load, interpolated between steps */
  hzBetween(cores) {
    const next = this.points.findIndex((point, index) => index > 0 && point.cores >= cores);
    if (next === -1 || this.points[next - 1].cores > cores) return undefined;
    return this.points[next - 1].hz + (cores - this.points[next - 1].cores) / this.#slope(next);
  }

  /** @returns {number | undefined} the lowest rate at which the role fell behind, above its fastest step */
  get #fallenAbove() {
    return min(this.fallen.filter((hz) => hz > (this.stood?.hz ?? 0)));
  }

  /**
   * The rate that the role sustains at a full core. It is higher than the rate that first fills the core: an event loop
   * that never sleeps takes a larger batch at each turn, and each message costs less. The limit lies between the fastest
   * step that the role kept up with and the next one where it filled its core and fell behind. As in the search for
   * saturation, we take their geometric mean.
   * @returns {number} 0 if no step filled the core
   */
  get fullHz() {
    if (!this.stood) return 0;
    const fallen = this.#fallenAbove;
    if (fallen) return Math.sqrt(this.stood.hz * fallen);
    return this.stood.cores >= FULL ? this.stood.hz / this.stood.cores : 0;
  }

  /** @returns {boolean} whether `fullHz` is a lower bound: the role filled its core but never fell behind */
  get isAtLeast() {
    return this.fullHz > 0 && !this.#fallenAbove;
  }

  /**
   * Between loads of 0.15 and 0.85 the rate comes from a least-squares line through the logarithms of the steps, if there
   * are three. Two steps alone say little: a step of a second may or may not contain a garbage collection. Outside that
   * range, single steps may lie off the line. So the rate above is at least the line's at its upper end, and the rate
   * below at most the line's at its lower end. At a full core it is the limit that was found; without one, the larger of
   * `fullHz` and the curve's rate. At lower loads it is at most a limit that was found.
   * @param {number} cores @returns {number} the highest rate with this load; 0 for a curve of fewer than two points
   */
  rateFor(cores) {
    const hz = this.#rateOnCurve(cores);
    if (!hz) return hz;
    const limit_hz = this.fullHz;
    const isFound = limit_hz > 0 && this.#fallenAbove !== undefined;
    if (cores !== 1) return isFound ? Math.min(hz, limit_hz) : hz;
    return limit_hz > hz || isFound ? limit_hz : hz;
  }

  /** @param {number} cores */
  #rateOnCurve(cores) {
    if (this.points.length < 2) return 0;
    const line = this.#fitMiddle();
    const onLine = (/** @type {number} */ at) => (line ? Math.exp((Math.log(at) - line.level) / line.slope) : undefined);
    const most = Math.min(MIDDLE.most, this.loadReached);
    if (cores < MIDDLE.least) return Math.min(this.#rateBetweenSteps(cores), onLine(MIDDLE.least) ?? Infinity);
    if (cores > most) return Math.max(this.#rateBetweenSteps(cores), onLine(most) ?? 0);
    return onLine(cores) ?? this.#rateBetweenSteps(cores);
  }

  /** @param {number} cores @returns {number} the highest rate with this load, interpolated between steps; 0 if all use more */
  #rateBetweenSteps(cores) {
    const last = this.points[this.points.length - 1];
    if (last.cores <= cores) return (last.hz * cores) / last.cores;
    const from = this.points.findLastIndex((point, index) => index < this.points.length - 1 && point.cores <= cores);
    return from === -1 ? 0 : this.points[from].hz + (cores - this.points[from].cores) / this.#slope(from + 1);
  }

  /** @returns {{slope: number, level: number} | undefined} line through the logarithms of three or more middle steps, if it rises */
  #fitMiddle() {
    const middle = this.points.filter(({ cores }) => cores >= MIDDLE.least && cores <= MIDDLE.most);
    if (middle.length < 3) return undefined;
    const line = fitLine(middle.map(({ hz, cores }) => [Math.log(hz), Math.log(cores)]));
    return line.slope > 0 ? line : undefined;
  }
}
