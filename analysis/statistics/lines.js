/** Straight lines by least squares. */
import { mean, sum } from 'd3-array';

/**
 * @param {[x: number, y: number][]} points at least two, with different x @returns {{slope: number, level: number}} `level` is y at x = 0
 */
export function fitLine(points) {
  const [mean_x, mean_y] = [0, 1].map((axis) => Number(mean(points, (point) => point[axis])));
  const slope = sum(points, ([x, y]) => (x - mean_x) * (y - mean_y)) / sum(points, ([x]) => (x - mean_x) ** 2);
  return { slope, level: mean_y - slope * mean_x };
}

/**
 * @param {[x: number, y: number][]} points above 0, in ascending order of x @param {number} x
 * @returns {number | undefined} y at x, interpolated linearly between logarithms; undefined outside the range of the points
 */
export function interpolateLogs(points, x) {
  const next = points.findIndex((point) => point[0] >= x);
  if (next === -1 || (next === 0 && points[0][0] > x)) return undefined;
  if (points[next][0] === x) return points[next][1];
  const [[x0, y0], [x1, y1]] = [points[next - 1], points[next]];
  return y0 * (y1 / y0) ** (Math.log(x / x0) / Math.log(x1 / x0));
}
