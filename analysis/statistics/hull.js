/** Where a point lies among others: within their convex hull, or beyond it. */
import { sum } from 'd3-array';
import { solveLeastSquares } from './least-squares.js';

/** Of coordinates and weights that rounding moves. */
const NEAR = 1e-6;

/** @param {number} count @param {number} size @param {number} [from] @returns {number[][]} every choice of so many of the first numbers */
function choose(count, size, from = 0) {
  if (size === 0) return [[]];
  return Array.from({ length: Math.max(0, count - from) }, (_, index) => from + index)
    .flatMap((first) => choose(count, size - 1, first + 1).map((rest) => [first, ...rest]));
}

/**
 * @param {number[][]} corners @param {number[]} at
 * @returns {number[] | undefined} weights of the corners whose mean is there; none where it lies outside
 */
function weightsOf(corners, at) {
  const rows = [...at.map((_, axis) => corners.map((corner) => corner[axis])), corners.map(() => 1)];
  const wanted = [...at, 1];
  const weights = solveLeastSquares(rows, wanted);
  if (!weights || weights.some((weight) => weight < -NEAR)) return undefined;
  const isThere = rows.every((row, index) => Math.abs(sum(row, (value, place) => value * weights[place]) - wanted[index]) < NEAR);
  return isThere ? weights : undefined;
}

/**
 * A value over the hull of points, from those at its points: the highest that a straight line, or a plane, between some of them gives
 * (by Carathéodory's theorem as many as there are axes, and one, are enough).
 * @param {{at: number[], value: number}[]} points a few @param {number[]} at
 * @returns {number | undefined} none outside the hull
 */
export function highestWithin(points, at) {
  const sizes = Array.from({ length: Math.min(at.length + 1, points.length) }, (_, index) => index + 1);
  const found = sizes.flatMap((size) => choose(points.length, size)).flatMap((chosen) => {
    const corners = chosen.map((index) => points[index]);
    const weights = weightsOf(corners.map((corner) => corner.at), at);
    return weights ? [sum(corners, ({ value }, index) => value * weights[index])] : [];
  });
  return found.length ? Math.max(...found) : undefined;
}
