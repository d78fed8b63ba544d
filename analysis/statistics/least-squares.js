/** Least squares: linear by QR decomposition, nonlinear by Levenberg-Marquardt. */
import { least, range, sum } from 'd3-array';
import { levenbergMarquardt } from 'ml-levenberg-marquardt';
import { Matrix, QrDecomposition, inverse } from 'ml-matrix';

/**
 * @typedef {object} Fit
 * @property {number[]} values of the parameters @property {number[][]} covariance of their errors
 * @property {number[]} fitted @property {number} degrees of freedom
 */

/** Smallest ratio within the diagonal of R. Below it, only rounding makes the columns look independent. */
const INDEPENDENT = 1e-9;

/**
 * @param {number[][]} x one row per measurement @param {number[]} y @returns {number[] | undefined} undefined if the columns are dependent
 */
export function solveLeastSquares(x, y) {
  const decomposition = new QrDecomposition(new Matrix(x));
  const sizes = decomposition.upperTriangularMatrix.diagonal().map(Math.abs);
  const isIndependent = Math.min(...sizes) > INDEPENDENT * Math.max(...sizes);
  return isIndependent ? decomposition.solve(Matrix.columnVector(y)).to1DArray() : undefined;
}

/**
 * @param {number[][]} x the Jacobian @param {number[]} y @param {number[]} fitted
 * @returns {number[][]} covariance of the parameters' errors, scaled by the variance of the residuals
 */
function covarianceOf(x, y, fitted) {
  const jacobian = new Matrix(x);
  const degrees = y.length - jacobian.columns;
  const variance = sum(y, (value, index) => (value - fitted[index]) ** 2) / degrees;
  return inverse(jacobian.transpose().mmul(jacobian)).mul(variance).to2DArray();
}

/** @param {number[][]} x @param {number[]} y @returns {Fit | undefined} undefined if the columns are dependent */
export function fitLinear(x, y) {
  const values = solveLeastSquares(x, y);
  if (!values) return undefined;
  const fitted = x.map((row) => sum(row, (value, index) => value * values[index]));
  return { values, fitted, degrees: y.length - values.length, covariance: covarianceOf(x, y, fitted) };
}

/**
 * @param {Pick<Fit, 'covariance'>} fit @param {number[]} gradient of a function of the parameters
 * @returns {number} standard error of the function, to first order (the delta method)
 */
export const errorOf = ({ covariance }, gradient) =>
  Math.sqrt(sum(gradient, (one, row) => one * sum(gradient, (other, column) => other * covariance[row][column])));

/** @typedef {{values: number[], residuals: number[], squares: number}} Whole a value is 0 for a column left out; `squares`: their sum */

/**
 * @param {number[][]} x one row per measurement, with few columns: every set of them is tried @param {number[]} y
 * @returns {Whole | undefined} the least squares among the fits without a negative value
 */
export function fitNonNegative(x, y) {
  const columns = x[0].length;
  const sets = range(1, 2 ** columns).map((set) => range(columns).filter((column) => set & (1 << column)));
  return least(sets.flatMap((set) => {
    const found = solveLeastSquares(x.map((row) => set.map((column) => row[column])), y);
    if (!found || found.some((value) => value < 0)) return [];
    const values = range(columns).map((column) => (set.includes(column) ? found[set.indexOf(column)] : 0));
    const residuals = y.map((value, index) => value - sum(values, (each, column) => each * x[index][column]));
    return [{ values, residuals, squares: sum(residuals, (value) => value ** 2) }];
  }), ({ squares }) => squares);
}

/** Step for numerical derivatives. */
const STEP = 1e-6;

/**
 * @param {(parameters: number[]) => (x: number) => number} law
 * @param {number[]} x @param {number[]} y @param {number[]} start initial parameters
 * @returns {Fit | undefined} undefined if the parameters diverge
 */
export function fitLaw(law, x, y, start) {
  const { parameterValues: values } = levenbergMarquardt({ x, y }, law, {
    initialValues: start,
    maxIterations: 500,
    errorTolerance: 1e-16,
    gradientDifference: STEP,
    centralDifference: true,
    damping: 0.01,
  });
  const fitted = x.map(law(values));
  if (![...values, ...fitted].every(Number.isFinite)) return undefined;
  const slopes = values.map((value, index) => {
    const step = STEP * Math.max(Math.abs(value), STEP);
    const moved = (/** @type {number} */ by) => x.map(law(values.map((other, at) => (at === index ? other + by : other))));
    const [up, down] = [moved(step), moved(-step)];
    return up.map((high, at) => (high - down[at]) / (2 * step));
  });
  const jacobian = x.map((_, row) => slopes.map((column) => column[row]));
  return { values, fitted, degrees: y.length - values.length, covariance: covarianceOf(jacobian, y, fitted) };
}
