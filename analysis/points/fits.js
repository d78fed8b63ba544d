/**
 * Laws fitted to the trials of a line. We fit logarithms, with the same weight for each trial, because errors are
 * relative.
 *
 * Parameters have no bounds. A share with a true value of 0 or 1 may come out on either side, and its interval shows
 * this. A parameter on a bound would have no reliable standard error.
 */
import { group, mean } from 'd3-array';
import { digitsOf } from '../digits.js';
import { LEVEL, intervalOf } from '../statistics/intervals.js';
import { errorOf, fitLaw, fitLinear } from '../statistics/least-squares.js';
import { rootMeanSquare } from '../statistics/spread.js';
import { POINT } from './points.js';

/** @typedef {import('../statistics/least-squares.js').Fit} Fit */
/**
 * @typedef {object} Datum of a law; its labels, from law to setting, name its point
 * @property {string} law @property {string} era @property {string} engine @property {string} workload @property {string} setting
 * @property {number[]} x arguments of the law @property {number} value @property {string} [block]
 */
/** @typedef {{name: string, value: number, se: number}} Parameter */
/** @typedef {{parameters: Parameter[], fitted: number[], degrees: number} | {why: string}} Found */
/** @typedef {{names: string[], fit: (data: Datum[]) => Found}} Law */

const LABELS = ['law', ...POINT];
export const FIT_COLUMNS = [...LABELS, 'parameter', 'n', 'value', 'se', 'low', 'high', 'degrees', 'note'];
const TOO_FEW = { why: 'fewer different points than parameters' };
const LOST = { why: 'did not converge' };

/** A law has no logarithm at 0 or below; a value far off makes the search turn back. @param {number} throughput */
const logged = (throughput) => (throughput > 0 ? Math.log(throughput) : -1e3);

/**
 * Laws for throughput as a function of n: lambda, the throughput at n = 1, times a speed-up.
 * @type {Record<string, {start: Record<string, number>, speedUp: (parameters: number[], n: number) => number}>}
 */
const SPEED_UPS = {
  amdahl: { start: { p: 0.9 }, speedUp: ([p], n) => 1 / (1 - p + p / n) }, // thesis 1.4.2: p is the parallel share
  gustafson: { start: { a: 0.1 }, speedUp: ([a], n) => n - a * (n - 1) }, // thesis 1.4.2: a is the serial share
  // N. J. Gunther, Guerrilla Capacity Planning: contention, coherence
  usl: { start: { sigma: 0.05, kappa: 0.001 }, speedUp: ([sigma, kappa], n) => n / (1 + sigma * (n - 1) + kappa * n * (n - 1)) },
};

/** @param {Datum[]} data @returns {number} different points */
const countPoints = (data) => new Set(data.map(({ x }) => x.join(' '))).size;
/** @param {Fit} fit @param {Record<number, number>} weights of parameters, by index @returns {number} standard error of their sum */
const seOf = (fit, weights) => errorOf(fit, fit.values.map((_value, index) => weights[index] ?? 0));

/**
 * @param {Record<string, number>} start the law's parameters with their initial values
 * @param {string} scaled name of the parameter with the unit of throughput
 * @param {(data: Datum[]) => number} unitOf unit for throughput, chosen so that all parameters are of similar size
 * @param {(parameters: number[], n: number) => number} throughput @param {(fit: Fit) => Parameter[]} [more] derived parameters
 * @returns {(data: Datum[]) => Found}
 */
const fitted = (start, scaled, unitOf, throughput, more = () => []) => (data) => {
  const names = Object.keys(start);
  if (countPoints(data) < names.length) return TOO_FEW;
  const unit = unitOf(data);
  const law = (/** @type {number[]} */ parameters) => (/** @type {number} */ n) => logged(throughput(parameters, n));
  const [ns, logs] = [data.map(({ x: [n] }) => n), data.map(({ value }) => Math.log(value / unit))];
  const fit = fitLaw(law, ns, logs, Object.values(start));
  if (!fit) return LOST;
  const parameters = names.map((name, index) => {
    const by = name === scaled ? unit : 1;
    return { name, value: fit.values[index] * by, se: seOf(fit, { [index]: by }) };
  });
  return { degrees: fit.degrees, fitted: fit.fitted.map((log) => Math.exp(log) * unit), parameters: [...parameters, ...more(fit)] };
};

/** @param {string} name of SPEED_UPS @param {(fit: Fit) => Parameter[]} [more] @param {string[]} [names] of `more` @returns {Law} */
function speedUpLaw(name, more, names = []) {
  const { start, speedUp } = SPEED_UPS[name];
  const unitOf = (/** @type {Datum[]} */ data) => Math.max(...data.map(({ x: [n], value }) => value / n));
  const throughput = (/** @type {number[]} */ [lambda, ...rest], /** @type {number} */ n) => lambda * speedUp(rest, n);
  return { names: ['lambda', ...Object.keys(start), ...names], fit: fitted({ lambda: 1, ...start }, 'lambda', unitOf, throughput, more) };
}

/** @param {Fit} fit of the Universal Scalability Law @returns {Parameter} gradient by sigma and kappa: (-1, -peak^2) / (2 peak kappa) */
function peakOf(fit) {
  const [, sigma, kappa] = fit.values;
  const value = kappa > 0 && sigma < 1 ? Math.sqrt((1 - sigma) / kappa) : NaN;
  return { name: 'peak', value, se: seOf(fit, { 1: 1, 2: value ** 2 }) / (2 * value * kappa) };
}

/** @param {Datum[]} data @returns {number} the mean throughput of the baseline engine */
const meanOfBase = (data) => Number(mean(data.filter(({ x: [n] }) => n === 0), ({ value }) => value));

/**
 * Thesis 3.4: slope 1/2; the README: 1. x = 0 marks the trials of the baseline engine. So the slope's error includes the
 * error of the baseline.
 * @type {Law}
 */
const LINEAR = {
  names: ['slope', 'base'],
  fit: fitted({ slope: 0.5, base: 1 }, 'base', meanOfBase, ([slope, base], n) => (n === 0 ? base : slope * base * n)),
};

const EXPONENTS = ['period', 'connections', 'size'];
const DIFFERENCES = ['period', 'connections'];

/** A power law of three variables. Each block has its own level, because the state of the machine differs by block. @type {Law} */
const ELASTICITY = {
  names: [...EXPONENTS, ...DIFFERENCES.map((name) => `${name}_minus_size`)],
  fit: (data) => {
    const blocks = [...new Set(data.map(({ block }) => block))];
    if (countPoints(data) < EXPONENTS.length + blocks.length) return TOO_FEW;
    const rows = data.map(({ x, block }) => [...x, ...blocks.map((each) => (each === block ? 1 : 0))]);
    const fit = fitLinear(rows, data.map(({ value }) => Math.log(value)));
    if (!fit) return LOST;
    const exponents = EXPONENTS.map((name, index) => ({ name, value: fit.values[index], se: seOf(fit, { [index]: 1 }) }));
    const size = EXPONENTS.indexOf('size');
    const differences = DIFFERENCES.map((name, index) => (
      { name: `${name}_minus_size`, value: fit.values[index] - fit.values[size], se: seOf(fit, { [index]: 1, [size]: -1 }) }));
    return { degrees: fit.degrees, fitted: fit.fitted.map(Math.exp), parameters: [...exponents, ...differences] };
  },
};

/** @type {Record<string, Law>} */
const LAWS = {
  linear: LINEAR, elasticity: ELASTICITY, amdahl: speedUpLaw('amdahl'), gustafson: speedUpLaw('gustafson'),
  usl: speedUpLaw('usl', (fit) => [peakOf(fit)], ['peak']),
};

const NONE = { value: '-', se: '-', low: '-', high: '-', degrees: '-' };

/** @param {Parameter} parameter @param {number} degrees @param {number} level */
const intervalOfParameter = ({ value, se }, degrees, level) => intervalOf({ mean: value, error: se, degrees }, level);

/**
 * A peak of throughput is given only if the interval of kappa lies above 0.
 * @param {string} name @param {Found} found @param {number} level
 */
function describeParameter(name, found, level) {
  if ('why' in found) return { ...NONE, note: found.why };
  const { parameters, degrees } = found;
  const [parameter, kappa] = [name, 'kappa'].map((wanted) => /** @type {Parameter} */ (parameters.find((each) => each.name === wanted)));
  if (degrees < 1) return { ...NONE, value: digitsOf(parameter.value), degrees: 0, note: 'as many parameters as data' };
  const hasPeak = name !== 'peak' || intervalOfParameter(kappa, degrees, level)[0] > 0;
  if (!hasPeak) return { ...NONE, note: 'the interval of kappa does not lie above 0' };
  const numbers = [parameter.value, parameter.se, ...intervalOfParameter(parameter, degrees, level)];
  const [value, se, low, high] = numbers.map((each) => digitsOf(each));
  return { value, se, low, high, degrees, note: '-' };
}

/** @param {Datum[]} rows @param {Found} found @returns {string} the root mean square of (measured - fitted) / fitted */
function rootOfSquares(rows, found) {
  if ('why' in found) return '-';
  return digitsOf(rootMeanSquare(rows.map(({ value }, index) => (value - found.fitted[index]) / found.fitted[index])));
}

/** @param {Datum[]} data @param {number} [level] of the intervals @returns {Record<string, any>[]} rows of fits.tsv */
export function fitAll(data, level = LEVEL) {
  const groups = [...group(data, (datum) => LABELS.map((label) => Reflect.get(datum, label)).join('\t')).values()];
  return groups.flatMap((rows) => {
    const { names, fit } = LAWS[rows[0].law];
    const found = fit(rows);
    return [
      ...names.map((parameter) => ({ parameter, ...describeParameter(parameter, found, level) })),
      { parameter: 'residual_rms_rel', ...NONE, value: rootOfSquares(rows, found), note: '-' },
    ].map((cells) => ({ ...rows[0], n: rows.length, ...cells }));
  });
}
