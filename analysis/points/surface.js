/**
 * Cost per message of an engine's server by rate, number of connections and size: a surface fitted to the steps of its sweeps.
 *
 * The logarithm of the cost is a polynomial in the logarithms of the three, fitted by least squares to each block separately. So the spread
 * between blocks is the spread of repeated measurements. A block that lacks a cell of the design gets the surface of all blocks, with its
 * own level. A variable without variation in the design has no terms; a single curve depends on the rate alone.
 */
import { extent, group, groups, max, min, sum } from 'd3-array';
import { resolveConditions } from '../../harness/spec/points.js';
import { settingWithout } from '../../harness/common/setting.js';
import { firstBeyond, stands } from '../statistics/curve.js';
import { interpolateWithin } from '../statistics/hull.js';
import { solveLeastSquares } from '../statistics/least-squares.js';
import { geometricMean } from '../statistics/spread.js';

/** @typedef {Record<string, string>} Row */
/** @typedef {{total_rate_hz: number, connections: number, payload_b: number}} At the load of a server */
/** @typedef {At & {row: Row, log: number}} Datum a step of a trial */
/**
 * @typedef {{connections: number, payload_b: number, least_hz: number, most_hz: number, saturation_hz?: number, isAtLeast?: boolean}} Cell
 *   of the design, with the range of measured rates and the saturation
 */
/** @typedef {(at: At) => number} Law the logarithm of the cost */
/** @typedef {'measured' | 'interpolated' | 'extrapolated'} How */
/** @typedef {{block: string, log: number}} Cost per message, as a logarithm */
/** @typedef {{how: How, costs: Cost[]} | {why: string, isFar?: true}} Answer `costs`: one per block */

/** CPU time of the server's processes a message of a step, µs. @param {Row} step @returns {number} */
export const costOf = ({ cpu_cores, received_hz }) => (1e6 * Number(cpu_cores)) / Number(received_hz);

/** Origin of the logarithms; without it the terms would be nearly collinear. */
const ORIGIN = { total_rate_hz: 5000, connections: 1000, payload_b: 512 };
/** Values that differ by less than this share count as equal. */
const SAME_SHARE = 0.02;
/** A law is extrapolated beyond its measured rates by at most this factor. */
const BEYOND_MAX = 2;
/** The same for a design's connections and sizes: cost grows far less with the first. */
const FAR_MAX = { connections: 10, payload_b: 2 };
/** A sweep needs this many rates for a cubic term. */
const RATES_OF_CUBIC = 8;

/** @param {At} at @returns {[r: number, c: number, s: number]} */
const logsOf = ({ total_rate_hz, connections, payload_b }) =>
  [Math.log(total_rate_hz / ORIGIN.total_rate_hz), Math.log(connections / ORIGIN.connections), Math.log(payload_b / ORIGIN.payload_b)];

/** @param {number} a @param {number} b */
const isSame = (a, b) => Math.abs(Math.log(a / b)) < SAME_SHARE;

/** @param {number[]} values @returns {number} how many are different */
const countDifferent = (values) => new Set(values.map((value) => Math.round(Math.log(value) / SAME_SHARE))).size;

/**
 * Terms that a design can estimate: curvature for a variable with three values, interactions for variables that vary together.
 * @param {Datum[]} data @returns {number[][]} powers of the three logarithms, per term
 */
function chooseTerms(data) {
  const cells = groups(data, ({ connections, payload_b }) => `${connections} ${payload_b}`).map(([, [first]]) => first);
  const [connections, sizes] = [countDifferent(data.map((each) => each.connections)), countDifferent(data.map((each) => each.payload_b))];
  const rates = max(groups(data, ({ row }) => row.trial), ([, own]) => countDifferent(own.map((each) => each.total_rate_hz))) ?? 0;
  const isCrossed = cells.length > connections + sizes - 1;
  return [
    [0, 0, 0], [1, 0, 0],
    ...(rates > 2 ? [[2, 0, 0]] : []), ...(rates >= RATES_OF_CUBIC ? [[3, 0, 0]] : []),
    ...(connections > 1 ? [[0, 1, 0], [1, 1, 0]] : []), ...(connections > 2 ? [[0, 2, 0]] : []),
    ...(sizes > 1 ? [[0, 0, 1], [1, 0, 1]] : []), ...(isCrossed ? [[0, 1, 1]] : []),
  ];
}

/** @param {number[]} term @param {At} at @returns {number} */
function valueOfTerm(term, at) {
  const logs = logsOf(at);
  return term.reduce((product, power, axis) => product * logs[axis] ** power, 1);
}

/**
 * @param {Datum[]} data @param {number[][]} terms
 * @returns {Map<string, Law>} by block, each with its own level; empty if the data do not determine them
 */
function fitLaws(data, [, ...terms]) {
  const blocks = [...new Set(data.map(({ row }) => row.block))];
  if (data.length < blocks.length + terms.length) return new Map();
  const rowOf = (/** @type {Datum} */ datum) =>
    [...blocks.map((block) => Number(block === datum.row.block)), ...terms.map((term) => valueOfTerm(term, datum))];
  const values = solveLeastSquares(data.map(rowOf), data.map(({ log }) => log));
  return new Map(values && blocks.map((block, index) => [
    block, (at) => values[index] + sum(terms, (term, place) => values[blocks.length + place] * valueOfTerm(term, at))]));
}

export class Surface {
  /** @param {Datum[]} data of one engine @param {Cell[]} cells */
  constructor(data, cells) {
    const [{ row: { engine, era } }] = data;
    const terms = chooseTerms(data);
    const whole = fitLaws(data, terms);
    this.engine = engine;
    this.era = era;
    this.data = data;
    this.cells = cells;
    /** @type {Map<string, Law>} by block */
    this.laws = new Map(groups(data, ({ row }) => row.block).flatMap(([block, own]) => {
      const law = fitLaws(own, terms).get(block) ?? whole.get(block);
      return law ? [[block, law]] : [];
    }));
  }

  /** @returns {Pick<At, 'connections' | 'payload_b'> | undefined} the load of its only curve */
  get onlyCell() {
    return this.cells.length === 1 ? this.cells[0] : undefined;
  }

  /** @param {(cell: Cell) => number | undefined} valueOf @param {At} at @returns {number | undefined} undefined outside the cells */
  #over(valueOf, at) {
    const points = this.cells.flatMap((cell) => {
      const value = valueOf(cell);
      return value === undefined ? [] : [{ at: logsOf({ ...cell, total_rate_hz: 1 }).slice(1), value: Math.log(value) }];
    });
    return interpolateWithin(points, logsOf(at).slice(1));
  }

  /** @param {At} at @returns {Cell} the nearest */
  #nearest(at) {
    const [, c, s] = logsOf(at);
    const distanceTo = (/** @type {Cell} */ cell) => {
      const [, ofCell, ofSize] = logsOf({ ...cell, total_rate_hz: 1 });
      return Math.hypot(c - ofCell, s - ofSize);
    };
    return /** @type {Cell} */ (this.cells.toSorted((a, b) => distanceTo(a) - distanceTo(b))[0]);
  }

  /**
   * The range of measured rates at a load; outside the design, the range of the nearest cell.
   * @param {At} at @returns {{isWithin: boolean, least_hz: number, most_hz: number, saturation_hz: number, isAtLeast?: boolean}}
   */
  rangeAt(at) {
    const nearest = this.#nearest(at);
    const most = this.#over(({ most_hz }) => most_hz, at);
    const least = this.#over(({ least_hz }) => least_hz, at);
    const saturation = this.#over(({ saturation_hz }) => saturation_hz, at);
    return {
      isWithin: most !== undefined, isAtLeast: nearest.isAtLeast,
      most_hz: most === undefined ? nearest.most_hz : Math.exp(most),
      least_hz: least === undefined ? nearest.least_hz : Math.exp(least),
      saturation_hz: saturation === undefined ? (nearest.saturation_hz ?? Infinity) : Math.exp(saturation),
    };
  }

  /** @param {At} at @returns {boolean} has it a step there? */
  #isMeasured({ total_rate_hz, connections, payload_b }) {
    const isThere = (/** @type {Datum} */ { row, ...of }) => isSame(of.connections, connections) && isSame(of.payload_b, payload_b)
      && isSame(Number(row.total_rate_hz), total_rate_hz);
    return this.data.some(isThere);
  }

  /**
   * @param {Pick<At, 'connections' | 'payload_b'>} at
   * @returns {string | undefined} why the design says nothing there; an engine with one curve always gives the cost of that curve's load
   */
  whyFar(at) {
    const isFar = (/** @type {'connections' | 'payload_b'} */ name) => {
      const [least, most] = /** @type {[number, number]} */ (extent(this.cells, (cell) => cell[name]));
      return least < most && (at[name] * FAR_MAX[name] < least || at[name] > most * FAR_MAX[name]);
    };
    if (isFar('connections')) return 'not known at this number of connections';
    return isFar('payload_b') ? 'not known at this size' : undefined;
  }

  /**
   * Beyond the measured connections a law may bend down, for which there is no evidence: a message costs no less than at the most of them.
   * @param {Law} law @param {At} at @returns {number} the logarithm of the cost
   */
  #logAt(law, at) {
    const most = Number(max(this.cells, ({ connections }) => connections));
    return at.connections > most ? Math.max(law(at), law({ ...at, connections: most })) : law(at);
  }

  /** @param {At} at @returns {Answer} cost per message there, or why it is unknown */
  answer(at) {
    const far = this.whyFar(at);
    if (far) return { why: far, isFar: true };
    const { isWithin, least_hz, most_hz, saturation_hz, isAtLeast } = this.rangeAt(at);
    const { total_rate_hz } = at;
    const limit_hz = saturation_hz === Infinity ? most_hz : saturation_hz;
    if (total_rate_hz > limit_hz * (1 + SAME_SHARE)) {
      if (saturation_hz === Infinity) return { why: 'no step of so many stands' };
      return { why: isAtLeast ? 'was not asked for so many' : 'does not answer so many' };
    }
    if (total_rate_hz * BEYOND_MAX < least_hz) return { why: 'not known so low' };
    if (total_rate_hz > most_hz * BEYOND_MAX) return { why: 'its steps there do not stand' };
    const isIn = isWithin && total_rate_hz >= least_hz * (1 - SAME_SHARE) && total_rate_hz <= most_hz * (1 + SAME_SHARE);
    const costs = [...this.laws].map(([block, law]) => ({ block, log: this.#logAt(law, at) }));
    if (costs.length === 0) return { why: 'too few of its steps stand' };
    return { how: this.#isMeasured(at) ? 'measured' : isIn ? 'interpolated' : 'extrapolated', costs };
  }

  /**
   * The highest rate up to which the server's load never exceeds `load`. So a higher load never gives a lower rate.
   * @param {number} load share of a core @param {Pick<At, 'connections' | 'payload_b'>} at of a surface of CPU in µs
   * @param {(block: string) => number} [more_us] that each message costs beyond the surface
   * @returns {{rates: number[], isWithin: boolean, isAtLeast: boolean}} one per block; isWithin: of what was measured; isAtLeast: it was
   *   not tried at more
   */
  ratesFor(load, at, more_us = () => 0) {
    const { isWithin, least_hz, most_hz, saturation_hz, isAtLeast = false } = this.rangeAt({ ...at, total_rate_hz: 1 });
    const limit_hz = Math.max(least_hz, Math.min(saturation_hz, most_hz));
    const rates = [...this.laws].map(([block, law]) => {
      const costAt = (/** @type {number} */ hz) => Math.exp(this.#logAt(law, { ...at, total_rate_hz: hz })) + more_us(block);
      const coresAt = (/** @type {number} */ hz) => (costAt(hz) * hz) / 1e6;
      if (coresAt(least_hz) > load) return (least_hz * load) / coresAt(least_hz); // at most: a message costs no less at a lower rate
      return firstBeyond([least_hz, limit_hz], (hz) => coresAt(hz) > load);
    });
    const isMeasured = isWithin && rates.every((rate) => rate >= least_hz);
    return { rates, isWithin: isMeasured, isAtLeast: rates.some((rate) => rate === limit_hz) && (isAtLeast || limit_hz < saturation_hz) };
  }
}

/** Is the step above saturation? Then messages remain unanswered. @param {Row} row */
const isBeyond = ({ share = '-' }) => Number(share) > 1;

/** @param {Row} row @param {any} spec @returns {Pick<At, 'connections' | 'payload_b'> & {behaviour: string}} of its trial */
export function loadOf(row, spec) {
  const { connections, payload, behaviour } = resolveConditions(spec, /** @type {any} */ (row));
  return { connections, payload_b: typeof payload.bytes === 'number' ? Math.max(1, payload.bytes) : 1, behaviour };
}

/**
 * @typedef {object} Design measurements under one workload and setting, except for connections and size
 * @property {string} workload @property {string} setting @property {string} behaviour
 * @property {Pick<At, 'connections' | 'payload_b'>} usual load of most engines: the default for an answer
 * @property {Surface[]} surfaces one per engine
 */

/** @param {{trials: Row[], steps: Row[]}} tables @param {any} spec @returns {Design[]} */
export function fitSurfaces({ trials, steps }, spec) {
  const shown = steps.filter((row) => row.side === 'server' && row.role === 'server' && Number(row.batch) === 1 && stands(row.backlog_s)
    && !isBeyond(row) && Number(row.received_hz) > 0 && costOf(row) > 0);
  const loads = new Map(groups(shown, ({ engine, workload, setting }) => `${engine}\t${workload}\t${setting}`)
    .map(([name, [row]]) => [name, loadOf(row, spec)]));
  const data = shown.map((row) => {
    const load = /** @type {ReturnType<typeof loadOf>} */ (loads.get(`${row.engine}\t${row.workload}\t${row.setting}`));
    return { ...load, total_rate_hz: Number(row.received_hz), row, log: Math.log(costOf(row)) };
  });
  const valuesOf = (/** @type {string} */ name) =>
    new Map(trials.filter((row) => row.metric === name).map(({ trial, value }) => [trial, Number(value)]));
  const [saturations, leasts] = [valuesOf('saturation_hz'), valuesOf('saturation_at_least')];
  return groups(data, ({ row }) => `${row.workload}\t${settingWithout(row, 'connections', 'payload_b')}`).map(([name, own]) => {
    const [workload, setting] = name.split('\t');
    const surfaces = [...group(own, ({ row }) => row.engine).values()].filter((ofEngine) => hasRates(ofEngine))
      .map((ofEngine) => new Surface(ofEngine, listCells(ofEngine, saturations, leasts)));
    return { workload, setting, behaviour: own[0].behaviour, usual: findUsual(surfaces), surfaces };
  }).filter(({ surfaces }) => surfaces.length > 0);
}

/** @param {Datum[]} data @returns {boolean} is it a curve, not a single rate? */
const hasRates = (data) => countDifferent(data.map(({ total_rate_hz }) => total_rate_hz)) > 1;

/** @param {Datum[]} data of one engine @param {Map<string, number>} saturations by trial @param {Map<string, number>} leasts */
const listCells = (data, saturations, leasts) =>
  groups(data, ({ connections, payload_b }) => `${connections} ${payload_b}`).map(([, own]) => {
    const trials = [...new Set(own.map(({ row }) => row.trial))];
    const found = trials.flatMap((trial) => saturations.get(trial) ?? []);
    const ranges = groups(own, ({ row }) => row.trial).map(([, steps]) => extent(steps, ({ total_rate_hz }) => total_rate_hz));
    return {
      connections: own[0].connections, payload_b: own[0].payload_b,
      least_hz: Number(max(ranges, ([least]) => Number(least))), most_hz: Number(min(ranges, ([, most]) => Number(most))), // of every trial
      saturation_hz: found.length ? geometricMean(found) : undefined,
      isAtLeast: trials.some((trial) => leasts.has(trial)) ? trials.some((trial) => Number(leasts.get(trial)) > 0) : undefined,
    };
  });

/** @param {Surface[]} surfaces @returns {Pick<At, 'connections' | 'payload_b'>} the cell that most of them have */
function findUsual(surfaces) {
  const cells = groups(surfaces.flatMap((surface) => surface.cells), ({ connections, payload_b }) => `${connections} ${payload_b}`);
  const [first] = cells.toSorted(([, a], [, b]) => b.length - a.length)[0]?.[1] ?? [{ connections: 1, payload_b: 1 }];
  return { connections: first.connections, payload_b: first.payload_b };
}

/**
 * @param {{reference?: Row[], referenceSteps?: Row[]}} tables @param {any} spec
 * @returns {Surface | undefined} of the server that serves as reference
 */
export const fitReference = ({ reference = [], referenceSteps = [] }, spec) =>
  fitSurfaces({ trials: reference, steps: referenceSteps }, spec)[0]?.surfaces[0];

/**
 * @param {Cost[]} costs per message @param {Surface | undefined} reference @param {At} at
 * @returns {number[]} as multiples of the reference's in the same block; empty if it has none there
 */
export function multiplesOf(costs, reference, at) {
  const held = reference?.answer(at);
  if (!held || 'why' in held) return [];
  const logs = new Map(held.costs.map(({ block, log }) => [block, log]));
  return costs.flatMap(({ block, log }) => (logs.has(block) ? [Math.exp(log - Number(logs.get(block)))] : []));
}
