/**
 * @template T, R
 * @param {T[]} items @param {number} atATime @param {(item: T) => R | Promise<R>} act on each, so many at a time
 * @returns {Promise<PromiseSettledResult<Awaited<R>>[]>} in the order of the items, when all have ended
 */
export async function settleEach(items, atATime, act) {
  /** @type {PromiseSettledResult<Awaited<R>>[]} */
  const ends = [];
  const waiting = items.entries();
  const actOnNext = async () => {
    for (const [index, item] of waiting) [ends[index]] = await Promise.allSettled([Promise.resolve(item).then(act)]);
  };
  await Promise.all(Array.from({ length: atATime }, actOnNext));
  return ends;
}

/**
 * @template T @param {PromiseSettledResult<T>[]} ends @returns {T[]} what all came to
 * @throws what the first was rejected by
 */
export function valuesOf(ends) {
  const failed = ends.find((end) => end.status === 'rejected');
  if (failed) throw failed.reason;
  return ends.map((end) => /** @type {PromiseFulfilledResult<T>} */ (end).value);
}
