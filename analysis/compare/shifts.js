/**
 * Shifts in cost from A to B, from pairs of trials: the shift of everything, and the shifts of engines and points beyond it.
 *
 * A pair is a trial of B and the trial of A with the same point and block. Its value is log(B / A). In each block, the shift of
 * everything is the mean over all points. The own shift of an engine (or point) is the deviation of its points from this mean.
 * Each shift is a series with one value per block. So an effect of a block on all of its trials is in the shift of everything
 * alone. Each series is tested by Student's t. Own shifts use a moderated t: the variance of a series is shrunk towards a common
 * one, the further the more alike the variances are (G. K. Smyth, Linear models and empirical Bayes methods for assessing
 * differential expression in microarray experiments, 2004, section 3 and formula 6.1 and 6.2).
 */
import { variance as varianceOf } from 'd3-array';
import { boundByHolm, rejectByHolm } from '../statistics/holm.js';
import { drawTowards, findPrior } from '../statistics/moderated.js';
import { findMean } from '../statistics/intervals.js';
import { meanOf } from '../statistics/spread.js';
import { probabilityOf } from '../statistics/tests.js';

/** @typedef {{engine: string, point: string, block: string, log: number}} Pair `point` names the engine too */
/**
 * @typedef {object} Shift
 * @property {'all' | 'engine' | 'point'} of @property {string} name @property {number} n blocks
 * @property {number} log of the ratio @property {number} error its standard error @property {number} degrees of freedom
 * @property {number} p p-value: probability of a shift at least this large if nothing differs
 */
/** @typedef {{of: Shift['of'], name: string, values: number[]}} Series */

/** Fewer blocks say nothing about their variance. */
export const BLOCKS_MIN = 3;

/**
 * @param {Pair[]} pairs @param {number} [drift] share by which the machine may shift everything, such as 0.05 from hour to hour
 * @returns {Shift[]} of everything, then of each engine, then of each point if an engine has several
 */
export function computeShifts(pairs, drift = 0) {
  const { all, engines, points } = makeSeries(pairs);
  const own = points.length > engines.length ? [engines, points] : [engines];
  const whole = testSeries(all);
  const shifts = [whole && forgive(whole, Math.log1p(drift)), ...own.flatMap((kind) => (kind.length > 1 ? testAlike(kind) : []))];
  return shifts.filter((shift) => shift !== undefined);
}

/** @param {Shift} shift @param {number} drift a logarithm @returns {Shift} with the p-value of the shift beyond the drift */
const forgive = (shift, drift) => ({ ...shift, p: probabilityOf(Math.max(0, Math.abs(shift.log) - drift), shift) });

/**
 * A point that lacks a block is assumed to have its mean there, so it adds no deviation.
 * @param {Pair[]} pairs @returns {{all: Series, engines: Series[], points: Series[]}}
 */
function makeSeries(pairs) {
  const ofPoint = Map.groupBy(pairs, ({ point }) => point);
  const means = new Map([...ofPoint].map(([point, own]) => [point, meanOf(own.map(({ log }) => log))]));
  const blocks = [...Map.groupBy(pairs, ({ block }) => block).values()];
  const off = (/** @type {Pair} */ { point, log }) => log - (means.get(point) ?? 0);
  const offOf = (/** @type {Pair[]} */ held) => (held.length ? meanOf(held.map(off)) : undefined);
  const middle = meanOf([...means.values()]);
  const ownSeries = (/** @type {'engine' | 'point'} */ of) => [...Map.groupBy(pairs, (pair) => pair[of])].map(([name, own]) => {
    const shift = meanOf([...new Set(own.map(({ point }) => point))].map((point) => means.get(point) ?? 0)) - middle;
    const values = blocks.flatMap((block) => {
      const ownOff = offOf(block.filter((pair) => pair[of] === name));
      return ownOff === undefined ? [] : [shift + ownOff - (offOf(block) ?? 0)];
    });
    return { of, name, values };
  });
  return {
    all: { of: 'all', name: 'all', values: blocks.map((block) => middle + (offOf(block) ?? 0)) },
    engines: ownSeries('engine'), points: ownSeries('point'),
  };
}

/**
 * @param {Series} series @param {{error: number, degrees: number}} [borrowed] instead of its own
 * @returns {Shift | undefined} undefined for too few blocks
 */
function testSeries({ of, name, values }, borrowed) {
  if (values.length < BLOCKS_MIN) return undefined;
  const { mean: log, error, degrees } = { ...findMean(values), ...borrowed };
  return { of, name, n: values.length, log, error, degrees, p: probabilityOf(log, { error, degrees }) };
}

/** @param {Series[]} kind @returns {(Shift | undefined)[]} */
function testAlike(kind) {
  const known = kind.filter(({ values }) => values.length >= BLOCKS_MIN && Number(varianceOf(values)) > 0)
    .map(({ values }) => ({ variance: Number(varianceOf(values)), degrees: values.length - 1 }));
  if (known.length < 2) return kind.map((series) => testSeries(series)); // nothing to borrow from
  const prior = findPrior(known);
  // Own shifts add up to 0, so one of them is redundant. The borrowed variance is itself an estimate: half of its degrees count.
  const most = known.slice(1).reduce((sum, { degrees }) => sum + degrees, 0);
  return kind.map((series) => {
    const own = series.values.length - 1;
    if (own < BLOCKS_MIN - 1) return testSeries(series);
    const { variance } = drawTowards(prior, { variance: Number(varianceOf(series.values)), degrees: own });
    const degrees = Math.max(own, Math.floor(Math.min(prior.degrees / 2 + own, most)));
    return testSeries(series, { error: Math.sqrt(variance / series.values.length), degrees });
  });
}

/**
 * The kinds (all, engines, points) share `alpha` equally. Holm's method applies within a kind.
 * @param {Shift[]} shifts @param {number} alpha @returns {Map<Shift, number>} highest p of each for an alarm, if all smaller p are alarms
 */
export function findBounds(shifts, alpha) {
  const kinds = [...Map.groupBy(shifts, ({ of }) => of).values()];
  return new Map(kinds.flatMap((kind) => {
    const bounds = boundByHolm(kind.map(({ p }) => p), alpha / kinds.length);
    return kind.map((shift, index) => /** @type {const} */ ([shift, bounds[index]]));
  }));
}

/**
 * Finds the significant shifts. If nothing differs, at most a share `alpha` of comparisons has any.
 * @param {Shift[]} shifts @param {number} alpha @returns {Shift[]}
 */
export function findAlarms(shifts, alpha) {
  const kinds = [...Map.groupBy(shifts, ({ of }) => of).values()];
  return kinds.flatMap((kind) => {
    const rejected = rejectByHolm(kind.map(({ p }) => p), alpha / kinds.length);
    return kind.filter((_shift, index) => rejected[index]).sort((a, b) => a.p - b.p);
  });
}
