/** Strings for gnuplot, which runs what stands between backticks in a string of double quotes as a command of the shell. */
import { withoutControls } from './untrusted.js';

/** ASCII that gnuplot may read as anything but itself, with the digits behind it, which gnuplot would take for more of an octal number. */
const SPELLED = /[!"$%&'*?@\\^`{}~][0-7]*/g;

/** No figure shows them, and an SVG that holds one is no XML. A line break is meant. @param {string} text @returns {string} */
export const replaceControls = (text) => withoutControls(text).replaceAll('\t', '\uFFFD');

/** @param {unknown} text @returns {string} a literal of gnuplot that is this text, whatever it holds */
export const quoteForGnuplot = (text) => `"${replaceControls(String(text)).replaceAll(SPELLED, spell).replaceAll('\n', '\\n')}"`;

/** @param {string} text of ASCII @returns {string} each character as an octal number */
const spell = (text) => text.replaceAll(/./g, (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`);

/** The program, without what a user's own ~/.gnuplot sets. */
export const GNUPLOT = ['gnuplot', '-d'];
