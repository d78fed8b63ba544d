/** Strings for gnuplot, which runs what stands between backticks in a string of double quotes as a command of the shell. */

/** ASCII that gnuplot may read as anything but itself, with the digits behind it, which gnuplot would take for more of an octal number. */
const SPELLED = /[!"$%&'*?@\\^`{}~][0-7]*/g;
/** No figure shows them, and an SVG that holds one is no XML. A line break is the one that is meant. */
// eslint-disable-next-line no-control-regex
const CONTROLS = /[\0-\x09\x0b-\x1f\x7f-\x9f]/g;

/** @param {string} text @returns {string} */
export const replaceControls = (text) => text.replaceAll(CONTROLS, '\uFFFD');

/** @param {unknown} text @returns {string} a literal of gnuplot that is this text, whatever it holds */
export const quoteForGnuplot = (text) => `"${replaceControls(String(text)).replaceAll(SPELLED, spell).replaceAll('\n', '\\n')}"`;

/** @param {string} text of ASCII @returns {string} each character as an octal number */
const spell = (text) => [...text].map((character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`).join('');

/** The program, without what a user's own ~/.gnuplot sets. */
export const GNUPLOT = ['gnuplot', '-d'];
