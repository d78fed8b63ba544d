/** Least squares: linear by QR, and laws that are not linear by Levenberg and Marquardt. */
import { sum } from 'd3-array';
import { levenbergMarquardt } from 'ml-levenberg-marquardt';
import { Matrix, QrDecomposition, inverse } from 'ml-matrix';

/**
 * @typedef {object} Fit
 * @property {number[]} values of the parameters @property {number[][]} covariance of their errors
 * @property {number[]} fitted @property {number} degrees of freedom
 */

/** Of the diagonal of R: a column that rounding alone tells from the others is less. */
const INDEPENDENT = 1e-9;

/**
 * @param {number[][]} x a row a measurement @param {number[]} y @returns {number[] | undefined} none where the columns depend on each other
 */
export function solveLeastSquares(x, y) {
  const decomposition = new QrDecomposition(new Matrix(x));
  const sizes = decomposition.upperTriangularMatrix.diagonal().map(Math.abs);
  const isIndependent = Math.min(...sizes) > INDEPENDENT * Math.max(...sizes);
  return isIndependent ? decomposition.solve(Matrix.columnVector(y)).to1DArray() : undefined;
}

/**
 * @param {number[][]} x the Jacobian @param {number[]} y @param {number[]} fitted
 * @returns {number[][]} of the errors of the parameters, which are spread as the residuals are
 */
function covarianceOf(x, y, fitted) {
  const jacobian = new Matrix(x);
  const degrees = y.length - jacobian.columns;
  const variance = sum(y, (value, index) => (value - fitted[index]) ** 2) / degrees;
  return inverse(jacobian.transpose().mmul(jacobian)).mul(variance).to2DArray();
}

/** @param {number[][]} x @param {number[]} y @returns {Fit | undefined} none where the columns depend on each other */
export function fitLinear(x, y) {
  const values = solveLeastSquares(x, y);
  if (!values) return undefined;
  const fitted = x.map((row) => sum(row, (value, index) => value * values[index]));
  return { values, fitted, degrees: y.length - values.length, covariance: covarianceOf(x, y, fitted) };
}

/** Of a parameter, by which its derivative is taken. */
const STEP = 1e-6;

/**
 * @param {(parameters: number[]) => (x: number) => number} law
 * @param {number[]} x @param {number[]} y @param {number[]} start parameters to begin with
 * @returns {Fit | undefined} none where it does not converge
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
