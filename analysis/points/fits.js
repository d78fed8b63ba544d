/**
 * Laws fitted to the trials of a line: to the logarithm of each value that of the law, each trial with the same weight,
 * for errors are shares of what is measured.
 *
 * Nothing is bounded: a share whose truth is 0 or 1 comes out on either side of it, and its interval says so. A
 * parameter on a bound would have no standard error to trust.
 */
import { group, mean, sum } from 'd3-array';
import { digitsOf } from '../digits.js';
import { LEVEL, intervalOf } from '../statistics/intervals.js';
import { fitLaw, fitLinear } from '../statistics/least-squares.js';
import { POINT } from './points.js';

/** @typedef {import('../statistics/least-squares.js').Fit} Fit */
/**
 * @typedef {object} Datum of a law; its point is what `law`, era, engine, workload and setting say
 * @property {string} law
 * @property {string} era
 * @property {string} engine
 * @property {string} workload
 * @property {string} setting
 * @property {number[]} x what the law takes
 * @property {string} trial
 * @property {string | number} at where the trial lies, for the residuals
 * @property {number} value @property {string} [block]
 */
/** @typedef {{name: string, value: number, se: number}} Parameter */
/** @typedef {{parameters: Parameter[], fitted: number[], degrees: number} | {why: string}} Found */
/** @typedef {{names: string[], fit: (data: Datum[]) => Found}} Law */

const LABELS = ['law', ...POINT];
export const FIT_COLUMNS = [...LABELS, 'parameter', 'n', 'value', 'se', 'low', 'high', 'degrees', 'note'];
export const RESIDUAL_COLUMNS = [...LABELS, 'trial', 'at', 'measured', 'fitted'];
const TOO_FEW = { why: 'fewer different points than parameters' };
const LOST = { why: 'did not converge' };

/** Below 0 a law has no logarithm: far off, so that the search turns back. @param {number} throughput */
const logged = (throughput) => (throughput > 0 ? Math.log(throughput) : -1e3);

/**
 * How throughput is said to grow with n; lambda is the throughput of one, the rest of each is the speed-up.
 * @type {Record<string, {start: Record<string, number>, speedUp: (parameters: number[], n: number) => number}>}
 */
export const SPEED_UPS = {
  amdahl: { start: { p: 0.9 }, speedUp: ([p], n) => 1 / (1 - p + p / n) }, // thesis 1.4.2: p is the parallel share
  gustafson: { start: { a: 0.1 }, speedUp: ([a], n) => n - a * (n - 1) }, // thesis 1.4.2: a is the serial share
  // N. J. Gunther, Guerrilla Capacity Planning: contention, coherence
  usl: { start: { sigma: 0.05, kappa: 0.001 }, speedUp: ([sigma, kappa], n) => n / (1 + sigma * (n - 1) + kappa * n * (n - 1)) },
};

/** @param {Datum[]} data @returns {number} different points */
const countPoints = (data) => new Set(data.map(({ x }) => x.join(' '))).size;
/** @param {Fit} fit @param {number} index */
const seOf = ({ covariance }, index) => Math.sqrt(covariance[index][index]);

/** @param {string} name of SPEED_UPS @returns {Law} */
function speedUpLaw(name) {
  const { start, speedUp } = SPEED_UPS[name];
  const names = ['lambda', ...Object.keys(start)];
  return {
    names: name === 'usl' ? [...names, 'peak'] : names,
    fit: (data) => {
      if (countPoints(data) < names.length) return TOO_FEW;
      const unit = Math.max(...data.map(({ x: [n], value }) => value / n)); // so that all parameters are of one size
      const law =
        (/** @type {number[]} */ [lambda, ...rest]) =>
        (/** @type {number} */ n) =>
          logged(lambda * speedUp(rest, n));
      const fit = fitLaw(
        law,
        data.map(({ x: [n] }) => n),
        data.map(({ value }) => Math.log(value / unit)),
        [1, ...Object.values(start)],
      );
      if (!fit) return LOST;
      const parameters = names.map((each, index) => ({
        name: each,
        value: fit.values[index] * (index ? 1 : unit),
        se: seOf(fit, index) * (index ? 1 : unit),
      }));
      return {
        degrees: fit.degrees,
        fitted: fit.fitted.map((log) => Math.exp(log) * unit),
        parameters: [...parameters, ...(name === 'usl' ? [peakOf(fit)] : [])],
      };
    },
  };
}

/**
 * @param {Fit} fit of the Universal Scalability Law
 * @returns {Parameter} d peak = (-1, -peak^2) / (2 peak kappa) by sigma and kappa
 */
function peakOf({ values: [, sigma, kappa], covariance }) {
  const value = kappa > 0 && sigma < 1 ? Math.sqrt((1 - sigma) / kappa) : NaN;
  const squared = covariance[1][1] + 2 * value ** 2 * covariance[1][2] + value ** 4 * covariance[2][2];
  return { name: 'peak', value, se: Math.sqrt(squared) / (2 * value * kappa) };
}

/**
 * Thesis 3.4: slope 1/2; the README: 1. x = 0 stands for the trials of the engine that all are compared with: the error
 * of its rate is then in the slope's.
 * @type {Law}
 */
const LINEAR = {
  names: ['slope', 'base'],
  fit: (data) => {
    if (countPoints(data) < 2) return TOO_FEW;
    const unit = Number(
      mean(
        data.filter(({ x: [n] }) => n === 0),
        ({ value }) => value,
      ),
    );
    const law =
      (/** @type {number[]} */ [slope, base]) =>
      (/** @type {number} */ n) =>
        logged(n === 0 ? base : slope * base * n);
    const fit = fitLaw(
      law,
      data.map(({ x: [n] }) => n),
      data.map(({ value }) => Math.log(value / unit)),
      [0.5, 1],
    );
    if (!fit) return LOST;
    const parameters = ['slope', 'base'].map((name, index) => ({
      name,
      value: fit.values[index] * (index ? unit : 1),
      se: seOf(fit, index) * (index ? unit : 1),
    }));
    return { degrees: fit.degrees, fitted: fit.fitted.map((log) => Math.exp(log) * unit), parameters };
  },
};

const EXPONENTS = ['period', 'connections', 'size'];
const DIFFERENCES = ['period', 'connections'];

/**
 * A power law of three; each block has a level of its own, since what a machine's mood changes, it changes for a block.
 * @type {Law}
 */
const ELASTICITY = {
  names: [...EXPONENTS, ...DIFFERENCES.map((name) => `${name}_minus_size`)],
  fit: (data) => {
    const blocks = [...new Set(data.map(({ block }) => block))];
    if (countPoints(data) < EXPONENTS.length + blocks.length) return TOO_FEW;
    const fit = fitLinear(
      data.map(({ x, block }) => [...x, ...blocks.map((each) => (each === block ? 1 : 0))]),
      data.map(({ value }) => Math.log(value)),
    );
    if (!fit) return LOST;
    const exponents = EXPONENTS.map((name, index) => ({ name, value: fit.values[index], se: seOf(fit, index) }));
    const size = EXPONENTS.indexOf('size');
    const differences = DIFFERENCES.map((name, index) => ({
      name: `${name}_minus_size`,
      value: fit.values[index] - fit.values[size],
      se: Math.sqrt(fit.covariance[index][index] + fit.covariance[size][size] - 2 * fit.covariance[index][size]),
    }));
    return { degrees: fit.degrees, fitted: fit.fitted.map(Math.exp), parameters: [...exponents, ...differences] };
  },
};

/** @type {Record<string, Law>} */
export const LAWS = {
  linear: LINEAR,
  amdahl: speedUpLaw('amdahl'),
  gustafson: speedUpLaw('gustafson'),
  usl: speedUpLaw('usl'),
  elasticity: ELASTICITY,
};

/** @param {Parameter | undefined} found @param {Found} of @param {number} level @param {boolean} hasPeak */
function describeParameter(found, of, level, hasPeak) {
  const none = { value: '-', se: '-', low: '-', high: '-', degrees: '-' };
  if ('why' in of || !found) return { ...none, note: 'why' in of ? of.why : LOST.why };
  const value = digitsOf(found.value);
  if (of.degrees < 1) return { ...none, value, degrees: 0, note: 'as many parameters as data' };
  if (found.name === 'peak' && !hasPeak) return { ...none, note: 'the interval of kappa does not lie above 0' };
  const [low, high] = intervalOf({ mean: found.value, error: found.se, degrees: of.degrees }, level).map((each) => digitsOf(each));
  return {
    value,
    se: digitsOf(found.se),
    low,
    high,
    degrees: of.degrees,
    note: '-',
  };
}

/**
 * @param {Found} found
 * @param {number} level
 * @returns {boolean} a peak of throughput is given only where the interval of kappa lies above zero
 */
function findPeak(found, level) {
  if ('why' in found || found.degrees < 1) return false;
  const kappa = found.parameters.find(({ name }) => name === 'kappa');
  return Boolean(kappa && intervalOf({ mean: kappa.value, error: kappa.se, degrees: found.degrees }, level)[0] > 0);
}

/**
 * @param {Datum[]} data @param {number} [level] of the intervals
 * @returns {{fits: Record<string, unknown>[], residuals: Record<string, unknown>[]}} residual_rms_rel is the root of
 *   the mean square of (measured - fitted) / fitted
 */
export function fitAll(data, level = LEVEL) {
  const groups = [...group(data, (datum) => LABELS.map((label) => Reflect.get(datum, label)).join('\t')).values()];
  const found = groups.map((rows) => ({ rows, found: LAWS[rows[0].law].fit(rows) }));
  const residuals = found.flatMap(({ rows, found: each }) =>
    'why' in each ? [] : rows.map((row, index) => ({ ...row, measured: digitsOf(row.value), fitted: digitsOf(each.fitted[index]) })),
  );
  const fits = found.flatMap(({ rows, found: each }) => {
    const labels = { ...rows[0], n: rows.length };
    const hasPeak = findPeak(each, level);
    const rms =
      'why' in each
        ? '-'
        : digitsOf(Math.sqrt(sum(rows, (row, index) => ((row.value - each.fitted[index]) / each.fitted[index]) ** 2) / rows.length));
    const parameters = LAWS[rows[0].law].names.map((name) => ({
      ...labels,
      parameter: name,
      ...describeParameter('why' in each ? undefined : each.parameters.find((other) => other.name === name), each, level, hasPeak),
    }));
    return [
      ...parameters,
      { ...labels, parameter: 'residual_rms_rel', value: rms, se: '-', low: '-', high: '-', degrees: '-', note: '-' },
    ];
  });
  return { fits, residuals };
}
