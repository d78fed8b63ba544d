/** Interpolation within the convex hull of points. */
import { extent, min, sum } from 'd3-array';
import { solveLeastSquares } from './least-squares.js';

/** Tolerance for rounding of coordinates and weights. */
const NEAR = 1e-6;

/** @param {number} count @param {number} size @param {number} [from] @returns {number[][]} combinations of `size` indices below `count` */
function choose(count, size, from = 0) {
  if (size === 0) return [[]];
  return Array.from({ length: Math.max(0, count - from) }, (_, index) => from + index)
    .flatMap((first) => choose(count, size - 1, first + 1).map((rest) => [first, ...rest]));
}

/**
 * @param {number[][]} corners @param {number[]} at
 * @returns {number[] | undefined} barycentric weights: the weighted mean of the corners is `at`; undefined if it lies outside
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
 * Interpolates between the points around a place: linearly over the Delaunay triangulation, whose corners are the mean with the least
 * scatter about the place. At a point it is the point's value. A rectangle has two triangulations: the middle between them.
 * @param {{at: number[], value: number}[]} points a few @param {number[]} at @returns {number | undefined} undefined outside the hull
 */
export function interpolateWithin(points, at) {
  const sizes = Array.from({ length: Math.min(at.length + 1, points.length) }, (_, index) => index + 1);
  const found = sizes.flatMap((size) => choose(points.length, size)).flatMap((chosen) => {
    const corners = chosen.map((index) => points[index]);
    const weights = weightsOf(corners.map((corner) => corner.at), at);
    if (!weights) return [];
    const scatter = sum(corners, (corner, index) => weights[index] * sum(at, (place, axis) => (corner.at[axis] - place) ** 2));
    return [{ scatter, value: sum(corners, ({ value }, index) => value * weights[index]) }];
  });
  const least = min(found, ({ scatter }) => scatter);
  const [low, high] = extent(found.filter(({ scatter }) => scatter <= Number(least) + NEAR), ({ value }) => value);
  return low === undefined ? undefined : (low + high) / 2;
}
