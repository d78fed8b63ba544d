/** S. Holm, A simple sequentially rejective multiple test procedure, Scandinavian Journal of Statistics 6 (1979). */

/**
 * All that is rejected is rejected at the level for the family together.
 * @param {number[]} ps @param {number} [level]
 * @returns {number[]} what each may not be above to be rejected, where all that are smaller are
 */
export function boundByHolm(ps, level = 0.05) {
  const order = ps.map((_p, index) => index).sort((a, b) => ps[a] - ps[b]);
  const ranks = new Map(order.map((index, rank) => [index, rank]));
  return ps.map((_p, index) => level / (ps.length - Number(ranks.get(index))));
}

/** @param {number[]} ps @param {number} [level] @returns {boolean[]} which are rejected */
export function rejectByHolm(ps, level = 0.05) {
  const bounds = boundByHolm(ps, level);
  const failed = Math.min(...ps.filter((p, index) => p > bounds[index]));
  return ps.map((p, index) => p < failed && p <= bounds[index]);
}
