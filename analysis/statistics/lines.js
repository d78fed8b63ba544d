/** Straight lines by least squares. */
import { mean, sum } from 'd3-array';

/**
 * @param {[x: number, y: number][]} points two or more, of different x @returns {{slope: number, level: number}} level is y where x is 0
 */
export function fitLine(points) {
  const [mean_x, mean_y] = [0, 1].map((axis) => Number(mean(points, (point) => point[axis])));
  const slope = sum(points, ([x, y]) => (x - mean_x) * (y - mean_y)) / sum(points, ([x]) => (x - mean_x) ** 2);
  return { slope, level: mean_y - slope * mean_x };
}
