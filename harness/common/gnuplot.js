/** Quotes strings for gnuplot. It would run text between backticks in a double-quoted string as a shell command. */
import { withoutControls } from './untrusted.js';

/** ASCII with a meaning in gnuplot, and the digits after it, which gnuplot would read as part of the octal number. */
const SPELLED = /[!"$%&'*?@\\^`{}~][0-7]*/g;

/** No figure shows controls, and an SVG with one is no XML. Line breaks stay. @param {string} text @returns {string} */
export const replaceControls = (text) => withoutControls(text).replaceAll('\t', '\uFFFD');

/** @param {unknown} text @returns {string} a gnuplot literal of this text */
export const quoteForGnuplot = (text) => `"${replaceControls(String(text)).replaceAll(SPELLED, spell).replaceAll('\n', '\\n')}"`;

/** @param {string} text of ASCII @returns {string} each character as an octal number */
const spell = (text) => text.replaceAll(/./g, (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`);

/** The program, without the settings of the user's ~/.gnuplot. */
export const GNUPLOT = ['gnuplot', '-d'];
