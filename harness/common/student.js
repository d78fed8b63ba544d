/**
 * Student's t distribution for whole degrees of freedom, by its closed forms: M. Abramowitz, I. A. Stegun, Handbook of
 * Mathematical Functions, 26.7.3 and 26.7.4. `analysis/student.awk` is the same for the tables.
 */

/** @param {number} t @param {number} degrees @returns {number} the probability of lying between -t and t */
export function tWithin(t, degrees) {
  if (t === Infinity) return 1;
  const angle = Math.atan2(t, Math.sqrt(degrees));
  const cosine = Math.cos(angle);
  if (degrees === 1) return (2 * angle) / Math.PI;
  const isOdd = degrees % 2 === 1;
  let term = isOdd ? cosine : 1;
  let sum = 0;
  for (let i = isOdd ? 3 : 2; i <= degrees; i += 2) {
    sum += term;
    term *= (cosine * cosine * (i - 1)) / i;
  }
  return isOdd ? (2 * (angle + Math.sin(angle) * sum)) / Math.PI : Math.sin(angle) * sum;
}

/** @param {number} degrees @param {number} level such as 0.95 @returns {number} the t for which `tWithin` is that */
export function tQuantile(degrees, level) {
  let [low, high] = [0, 1000];
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    if (tWithin(middle, degrees) < level) low = middle;
    else high = middle;
  }
  return low;
}
