/**
 * @template T, R
 * @param {T[]} items @param {number} atATime @param {(item: T) => R | Promise<R>} act called for each item, `atATime` at once
 * @returns {Promise<PromiseSettledResult<Awaited<R>>[]>} in the order of the items, once all have settled
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

/** @template T @param {PromiseSettledResult<T>[]} ends @returns {T[]} the fulfilled values @throws the first rejection's reason */
export function valuesOf(ends) {
  const failed = ends.find((end) => end.status === 'rejected');
  if (failed) throw failed.reason;
  return ends.map((end) => /** @type {PromiseFulfilledResult<T>} */ (end).value);
}
