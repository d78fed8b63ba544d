/** Seeded random numbers for the plan, so that an order can be reproduced. */

/**
 * mulberry32 (T. Ettinger, public domain): small, and good enough to shuffle.
 * @param {number} seed unsigned 32 bit @returns {() => number} uniform in [0, 1)
 */
export function seededRandom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** Fisher and Yates. @template T @param {T[]} items @param {() => number} random @returns {T[]} a new array */
export function shuffle(items, random) {
  const result = [...items];
  for (let last = result.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    [result[last], result[other]] = [result[other], result[last]];
  }
  return result;
}
