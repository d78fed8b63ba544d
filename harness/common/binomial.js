/** Binomial probabilities. */

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
