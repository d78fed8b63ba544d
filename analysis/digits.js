/** Numbers for tables in the format of C's %g, as the thesis's tools print them. */

/** The maximum of toExponential; a tie between two numbers of six digits has far fewer. */
const MOST_DIGITS = 100;

/** @param {number} value @param {number} [digits] significant digits @returns {string} as printf's %.6g */
export function digitsOf(value, digits = 6) {
  if (value === 0) return '0';
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'nan' : value > 0 ? 'inf' : '-inf';
  const [mantissa, exponent] = roundHalfEven(value, digits).split('e');
  const power = Number(exponent);
  if (power >= -4 && power < digits) return trim(Number(`${mantissa}e${exponent}`).toFixed(digits - 1 - power));
  return `${trim(mantissa)}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}

/**
 * Rounds a tie to even, as printf does; toExponential takes the larger number.
 * @param {number} value @param {number} digits @returns {string} such as 1.25000e+1
 */
function roundHalfEven(value, digits) {
  const rounded = value.toExponential(digits - 1);
  if (!value.toExponential(digits).includes('5e')) return rounded;
  const exact = value.toExponential(MOST_DIGITS);
  const isMiddle = /^50*e/.test(exact.slice(exact.indexOf('.') + digits));
  const isOdd = /[13579]e/.test(rounded);
  if (!isMiddle || !isOdd || digits < 2) return rounded;
  return exact.slice(0, exact.indexOf('.') + digits) + exact.slice(exact.indexOf('e'));
}

/** @param {string} text @returns {string} without trailing zeros of a fraction */
const trim = (text) => (text.includes('.') ? text.replace(/\.?0+$/, '') : text);

/** @param {number | undefined} value @param {number} [digits] @returns {string} "-" for an unknown value */
export const cellOf = (value, digits) => (value === undefined ? '-' : digitsOf(value, digits));
