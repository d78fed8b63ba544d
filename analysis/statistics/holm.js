/** S. Holm, A simple sequentially rejective multiple test procedure, Scandinavian Journal of Statistics 6 (1979). */

/**
 * Bounds for p-values that keep the family-wise error rate at the level.
 * @param {number[]} ps @param {number} [level]
 * @returns {number[]} each p-value's bound: it is rejected if it and all smaller ones are within their bounds
 */
export function boundByHolm(ps, level = 0.05) {
  const order = ps.map((_p, index) => index).sort((a, b) => ps[a] - ps[b]);
  const ranks = new Map(order.map((index, rank) => [index, rank]));
  return ps.map((_p, index) => level / (ps.length - Number(ranks.get(index))));
}

/** @param {number[]} ps @param {number} [level] @returns {boolean[]} whether each p-value is rejected */
export function rejectByHolm(ps, level = 0.05) {
  const bounds = boundByHolm(ps, level);
  const failed = Math.min(...ps.filter((p, index) => p > bounds[index]));
  return ps.map((p, index) => p < failed && p <= bounds[index]);
}
