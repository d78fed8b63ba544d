/**
 * The exact interval of a share: C. J. Clopper, E. S. Pearson, The use of confidence or fiducial limits illustrated in the
 * case of the binomial, Biometrika 26 (1934).
 */

/** @param {number} count @param {number} n @param {number} share @returns {number} the probability of at most `count` of n */
function atMost(count, n, share) {
  if (count < 0 || count >= n) return count < 0 ? 0 : 1;
  if (share > 0.5) return 1 - atMost(n - count - 1, n, 1 - share); // else the first term is 0
  let [term, sum] = [(1 - share) ** n, 0];
  for (let i = 0; i <= count; i++) {
    sum += term;
    term *= ((n - i) / (i + 1)) * (share / (1 - share));
  }
  return Math.min(1, sum);
}

/** @param {number} count @param {number} n @param {number} share @returns {number} the probability of at least `count` of n */
export const atLeast = (count, n, share) => 1 - atMost(count - 1, n, share);

/**
 * @param {number} count @param {number} n @param {number} share
 * @returns {number} two-sided: how seldom chance alone would bring a count so far from that share
 */
export function probabilityOfShare(count, n, share) {
  return Math.min(1, 2 * Math.min(atMost(count, n, share), 1 - atMost(count - 1, n, share)));
}

/** @param {(share: number) => boolean} isBelow that where it changes @returns {number} where it changes */
function bisect(isBelow) {
  let [low, high] = [0, 1];
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    if (isBelow(middle)) low = middle;
    else high = middle;
  }
  return low;
}

/**
 * @param {number} count @param {number} n @param {number} level such as 0.95
 * @returns {[number, number]} the ends of the interval of count / n
 */
export function shareInterval(count, n, level) {
  const tail = (1 - level) / 2;
  return [
    count === 0 ? 0 : bisect((share) => 1 - atMost(count - 1, n, share) < tail),
    count === n ? 1 : bisect((share) => atMost(count, n, share) > tail),
  ];
}
