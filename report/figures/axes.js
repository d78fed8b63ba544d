/** Axes: their ends, and as many ticks as have room for their labels. */
import { extent, pairs } from 'd3-array';
import { formatTick, widthOf } from './words.js';

/**
 * @typedef {object} AxisRequest what a chart asks of an axis
 * @property {string} title with its unit; '' for none
 * @property {boolean} [isLog]
 * @property {number} [from] its start, if not set by the data
 * @property {number} [to]
 * @property {Tick[]} [ticks] instead of computed ones
 */
/** @typedef {{at: number, words: string}} Tick */
/** @typedef {{title: string, isLog: boolean, from: number, to: number, ticks: Tick[]}} Axis */

/** Patterns of ticks for a logarithmic axis, densest first: stride and offset in decades, and mantissas. */
const LADDER = /** @type {[stride: number, offset: number, mantissas: number[]][]} */ ([
  [1, 0, [1, 2, 5]],
  [1, 0, [1, 3]],
  [1, 0, [1]],
  ...[2, 3].flatMap((stride) => Array.from({ length: stride }, (_, offset) => [stride, offset, [1]])),
]);
/** Space between the labels of two ticks, in units. */
const BETWEEN = 8;
const LINE = 12;
/** If the minimum is above this share of the maximum, the axis need not include 0. */
const NEAR = 0.5;
/** Data that begin within this share of the axis are on its edge. */
const ON_EDGE = 0.01;

/**
 * @param {AxisRequest} request @param {number[]} values all that is drawn along it @param {number} length in units
 * @param {'across' | 'down'} way @returns {Axis}
 */
export function makeAxis(request, values, length, way) {
  const finite = values.filter((value) => Number.isFinite(value) && (!request.isLog || value > 0));
  const isLog = Boolean(request.isLog) && finite.length > 0;
  const [least = 0, most = 1] = extent(finite);
  const { from, to } = isLog ? spanLog(least, most) : spanLinear(least, most, way);
  const ends = { from: request.from ?? from, to: request.to ?? to };
  const scale = (/** @type {number} */ value) => (isLog ? Math.log(value) : value);
  const placeOf = (/** @type {number} */ at) => (length * (scale(at) - scale(ends.from))) / (scale(ends.to) - scale(ends.from));
  const sizeOf = (/** @type {Tick} */ { words }) => (way === 'across' ? widthOf(words) : LINE);
  const room = (/** @type {Tick[]} */ ticks) =>
    pairs(ticks).every(([a, b]) => placeOf(b.at) - placeOf(a.at) >= BETWEEN + (sizeOf(a) + sizeOf(b)) / 2);
  const own = request.ticks?.filter(({ at }) => at >= ends.from && at <= ends.to);
  const ticks = own ? fitTicks(own, room) : isLog ? tickLog(ends, room) : tickLinear(ends, room);
  return { title: request.title, isLog, ...ends, ticks };
}

/** @param {Tick[]} ticks in order @param {Room} hasRoom @returns {Tick[]} without those whose label would touch the previous one */
const fitTicks = (ticks, hasRoom) =>
  ticks.reduce((kept, tick) => (hasRoom([...kept.slice(-1), tick]) ? [...kept, tick] : kept), /** @type {Tick[]} */ ([]));

/** @param {number} least @param {number} most */
function spanLog(least, most) {
  const pad = Math.max(1.08, (most / least) ** 0.04);
  return { from: least / pad, to: most * pad };
}

/** @param {number} least @param {number} most @param {'across' | 'down'} way */
function spanLinear(least, most, way) {
  const from = least > NEAR * most && least < most ? least - 0.15 * (most - least || most) : Math.min(least, 0);
  const pad = 0.05 * (most - from || Math.abs(most) || 1);
  const isOnEdge = way === 'across' && least - from < ON_EDGE * (most - from); // else a whisker would cover the other axis
  return { from: from < 0 || isOnEdge ? from - pad / (from < 0 ? 1 : 2) : from, to: most + pad };
}

/** @typedef {{from: number, to: number}} Ends */
/** @typedef {(ticks: Tick[]) => boolean} Room do no two labels touch? */

/** @param {number[]} places @returns {Tick[]} */
const asTicks = (places) => places.map((at) => ({ at, words: formatTick(at) }));

/** @param {Ends} ends @param {Room} hasRoom */
function tickLog(ends, hasRoom) {
  for (const [stride, offset, mantissas] of LADDER) {
    const ticks = asTicks(listLog(ends, mantissas, stride, offset));
    if (ticks.length >= 2 && hasRoom(ticks)) return ticks;
  }
  return tickLinear(ends, hasRoom); // less than a decade may not have two such ticks
}

/** @param {Ends} ends @param {number[]} mantissas @param {number} stride @param {number} offset @returns {number[]} */
function listLog({ from, to }, mantissas, stride, offset) {
  const places = [];
  for (let decade = Math.floor(Math.log10(from) / stride) * stride - offset; 10 ** decade <= to; decade += stride) {
    for (const mantissa of mantissas) places.push(Number((mantissa * 10 ** decade).toPrecision(6)));
  }
  return places.filter((at) => at >= from && at <= to);
}

/** @param {Ends} ends @param {Room} hasRoom */
function tickLinear(ends, hasRoom) {
  const { from, to } = ends;
  for (let power = Math.floor(Math.log10(to - from)) - 1; ; power++) {
    for (const mantissa of [1, 2, 2.5, 5]) {
      const step = mantissa * 10 ** power;
      const first = Math.ceil(from / step - 1e-9);
      const count = Math.floor(to / step + 1e-9) - first + 1;
      if (count < 2) return tickEnds(ends);
      if (count > 12) continue;
      const ticks = asTicks(Array.from({ length: count }, (_, k) => Number(((first + k) * step).toPrecision(10))));
      if (hasRoom(ticks)) return ticks;
    }
  }
}

/** For an axis too short for round numbers: its ends, rounded inwards to as many digits as tell them apart. @param {Ends} ends */
function tickEnds({ from, to }) {
  for (let digits = 2; ; digits++) {
    const [first, last] = [roundTowards(1, from, digits), roundTowards(-1, to, digits)];
    if (first < last) return asTicks([first, last]);
  }
}

/** @param {1 | -1} way up or down @param {number} at @param {number} digits @returns {number} the next that way of so many digits */
function roundTowards(way, at, digits) {
  const nearest = Number(at.toPrecision(digits));
  if (way * (nearest - at) >= 0) return nearest;
  const unit = 10 ** (Math.floor(Math.log10(Math.abs(at))) + 1 - digits);
  return Number((nearest + way * unit).toPrecision(digits));
}
