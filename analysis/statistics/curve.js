/** The curve of one role in one trial of a sweep: cores in use against messages a second. */
import { max, min } from 'd3-array';
import { fitLine } from './lines.js';

/**
 * @typedef {{total_rate_hz: number, hz: number, cores: number, steps: number}} CurvePoint a rate that was asked for, and what came of it
 */

/** Loads of a core between which a curve is straight on logarithms. */
const MIDDLE = { least: 0.15, most: 0.85 };
/** From here on a core is full. */
const FULL = 0.9;
/**
 * What is out then would be answered in so many seconds at the step's rate: a pause to collect garbage takes up to some
 * tens of ms, and is no overload.
 */
const BACKLOG_MAX_S = 0.1;

/** @param {string | number} backlog_s @returns {boolean} was what fell due answered when the step ended? */
export const stands = (backlog_s) => Number(backlog_s) < BACKLOG_MAX_S;

export class Curve {
  /** @type {CurvePoint[]} in ascending order of the rate that was asked for */
  points = [];
  /** The fastest step that it kept up with. @type {{hz: number, cores: number} | undefined} */
  stood = undefined;
  /** Rates of steps that it filled its core at, and fell behind. @type {number[]} */
  fallen = [];

  /** @param {Record<string, string>[]} steps of one role @returns {Curve} */
  static of(steps) {
    const curve = new Curve();
    for (const { total_rate_hz, received_hz, cpu_cores } of steps) curve.add(Number(total_rate_hz), Number(received_hz), Number(cpu_cores));
    return curve;
  }

  /**
   * A rate that a sweep goes through several times, up and down, is one point: the mean of its steps.
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
   * A step at a full core, or up to it. One at which the load's own core was full is no limit of the role.
   * @param {{due_hz: number, received_hz: number, cores: number, load_cores: number, backlog_s: number}} step
   */
  addFull({ due_hz, received_hz, cores, load_cores, backlog_s }) {
    if (!stands(backlog_s)) {
      if (cores >= FULL && load_cores < FULL) this.fallen.push(due_hz);
      return;
    }
    const hz = Math.min(received_hz, due_hz); // what was left over from steps before does not count
    if (hz > (this.stood?.hz ?? 0)) this.stood = { hz, cores };
  }

  /** @returns {number} the largest load of the role that was measured */
  get loadReached() {
    return max(this.points, ({ cores }) => cores) ?? 0;
  }

  /** @param {number} to index of a point @returns {number} cores a message a second, from the point before */
  #slope(to) {
    const [from, end] = [this.points[to - 1], this.points[to]];
    return (end.cores - from.cores) / (end.hz - from.hz);
  }

  /**
   * Between two steps on the line that joins them. Beyond the last one a message is taken to cost what it cost there,
   * which is too much rather than too little: costs fall with the rate.
   * @param {number} hz @returns {number} cores that the role uses
   */
  coresAt(hz) {
    const last = this.points[this.points.length - 1];
    if (hz >= last.hz) return (last.cores * hz) / last.hz;
    const next = Math.max(
      1,
      this.points.findIndex((point, index) => index > 0 && point.hz >= hz),
    );
    const from = this.points[next - 1];
    return from.cores + this.#slope(next) * (hz - from.hz);
  }

  /** @param {number} cores @returns {number | undefined} the rate at which its line first reaches them, between two steps */
  hzBetween(cores) {
    const next = this.points.findIndex((point, index) => index > 0 && point.cores >= cores);
    if (next === -1 || this.points[next - 1].cores > cores) return undefined;
    return this.points[next - 1].hz + (cores - this.points[next - 1].cores) / this.#slope(next);
  }

  /** @returns {number | undefined} the first step above the fastest that stands that the role fell behind at */
  get #fallenAbove() {
    return min(this.fallen.filter((hz) => hz > (this.stood?.hz ?? 0)));
  }

  /**
   * What the role carries at a full core is more than what first fills it: a loop that never sleeps takes ever more
   * messages at each turn, and each costs less. The limit lies between the fastest step that stands and the next one
   * above it that filled the core and does not. As in a search for saturation it is taken for the geometric mean of the
   * two.
   * @returns {number} 0 where no step filled it
   */
  get fullHz() {
    if (!this.stood) return 0;
    const fallen = this.#fallenAbove;
    if (fallen) return Math.sqrt(this.stood.hz * fallen);
    return this.stood.cores >= FULL ? this.stood.hz / this.stood.cores : 0;
  }

  /** @returns {boolean} a role that filled its core, and whose limit was not found: it carries that much at least */
  get isAtLeast() {
    return this.fullHz > 0 && !this.#fallenAbove;
  }

  /**
   * Between loads of 0.15 and 0.85 it is that of the line of least squares through the logarithms of the steps there,
   * where there are three: a step of a second holds a collection of garbage, or it does not, so that two steps alone
   * say little. Above that range it is no less, and below it no more, than the line gives at its end: two steps may lie off
   * it. At a full core it is what the role carries there: the limit that was found, and where none was, no less than its
   * curve says. Of less than a full core it is no more than a limit that was found.
   * @param {number} cores @returns {number} the highest rate at which the role uses so many; 0 where its curve has no two steps
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

  /** @param {number} cores @returns {number} where the steps, joined by lines, last use so few; 0 where they never do */
  #rateBetweenSteps(cores) {
    const last = this.points[this.points.length - 1];
    if (last.cores <= cores) return (last.hz * cores) / last.cores;
    const from = this.points.findLastIndex((point, index) => index < this.points.length - 1 && point.cores <= cores);
    return from === -1 ? 0 : this.points[from].hz + (cores - this.points[from].cores) / this.#slope(from + 1);
  }

  /** @returns {{slope: number, level: number} | undefined} of the logarithms of the steps of middling load, where three or more rise */
  #fitMiddle() {
    const middle = this.points.filter(({ cores }) => cores >= MIDDLE.least && cores <= MIDDLE.most);
    if (middle.length < 3) return undefined;
    const line = fitLine(middle.map(({ hz, cores }) => [Math.log(hz), Math.log(cores)]));
    return line.slope > 0 ? line : undefined;
  }
}
