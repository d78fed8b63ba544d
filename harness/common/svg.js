/**
 * What is left to do to gnuplot's SVG: faces that are found where DejaVu is not, and less than half the bytes for the same picture.
 * A figure of record is kept in the tree, as lines that a diff can show.
 */

/** Gnuplot names no other face for where its own is not installed, and repeats the family at each text. */
const FAMILY = 'font-family="DejaVu Sans, Verdana, sans-serif"';
/** What gnuplot repeats at each of its groups. */
const PAINT = 'fill="none" color="black" stroke="currentColor"';
/** What SVG takes for granted. */
const DEFAULTS = / stroke-linecap="butt" stroke-linejoin="miter"| +text-anchor="start"/g;
const EMPTY_TEXT = /<g [^>]*>\s*<text><\/text>\s*<\/g>\s*/g;
const EMPTY_GROUP = /<g [^>]*>\s*(<title>[^<]*<\/title>\s*)?<\/g>\s*/g;
/** A line of text, and the group that says where it stands. */
const PLACED_TEXT = /<g (transform="[^>]*)>\s*<text>([^<]*)<\/text>\s*<\/g>/g;
/** What gnuplot calls a series, and shows to whoever points at it. */
const SERIES = /<g id="gnuplot_plot_\w+" ?><title>[^<]*<\/title>/g;
/** Two groups of lines as thick as each other, the first without a group in it. */
const ALIKE = /<g stroke-width="([\d.]+)">((?:(?!<\/?g\b)[^])*)<\/g>\s*<g stroke-width="\1">/g;
/** A mark that gnuplot defines for whoever uses it, or a filter. */
const DEFINED = /<(?:path|rect|circle|use) [^>]*\bid='(gp\w+)'[^>]*\/>|<filter id='(\w+)'[^]*?<\/filter>/g;
/** What names the program that drew it: of a figure one wants to know what it shows, and its conditions. */
const NAMED = /(?:<title>[^<]*<\/title>\s*)?<desc>[^<]*<\/desc>/;
const ESCAPES = /** @type {Record<string, string>} */ ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' });

/** @typedef {{title: string, description: string}} Said of a figure: its name where it is read out or opened alone, and its conditions */

/** @param {string} text @returns {string} */
const escape = (text) => text.replaceAll(/[&<>]/g, (character) => ESCAPES[character]);

/** Until it is as short as it gets. @param {string} svg @param {(svg: string) => string} shorten @returns {string} */
function repeat(svg, shorten) {
  const shorter = shorten(svg);
  return shorter === svg ? svg : repeat(shorter, shorten);
}

/** @param {string} svg as gnuplot wrote it @param {Said} said @returns {string} */
export function finishSvg(svg, { title, description }) {
  const named = svg.replaceAll(' font-family="DejaVu Sans:Bold"', ' font-weight="bold"').replaceAll(' font-family="DejaVu Sans"', '');
  const plain = repeat(named.replaceAll(EMPTY_TEXT, ''), (left) => left.replaceAll(EMPTY_GROUP, ''))
    .replace(NAMED, () => `<title>${escape(title)}</title>\n<desc>${escape(description)}</desc>`)
    .replaceAll(PLACED_TEXT, '<text $1>$2</text>')
    .replaceAll(DEFAULTS, '')
    .replaceAll(`<g ${PAINT}`, '<g')
    .replace('<rect ', '<rect stroke="none" ') // the first is the background
    .replaceAll(/<\w[^>]*>/g, shortenNumbers)
    .replace('<g id="gnuplot_canvas">', `<g id="gnuplot_canvas" ${PAINT} ${FAMILY}>`);
  return mergeGroups(shortenPaths(repeat(plain, dropUnused).replaceAll(/\n\s+(?=<)/g, '\n')));
}

/** @param {string} svg @returns {string} with fewer groups */
export const mergeGroups = (svg) => repeat(svg.replaceAll(SERIES, '<g>'), (left) => left.replaceAll(ALIKE, '<g stroke-width="$1">$2'));

/** @param {string} tag whole, so that a number that is shown stays as it is @returns {string} */
function shortenNumbers(tag) {
  return tag.replaceAll(/(\.\d*?)0+(?=[,\s)"'])/g, (_, digits) => (digits === '.' ? '' : digits))
    .replaceAll(/rgb\(\s*(\d+),\s*(\d+),\s*(\d+)\)/g, (_, ...parts) => `#${parts.slice(0, 3).map((part) => Number(part).toString(16).padStart(2, '0')).join('')}`);
}

/** @param {string} svg @returns {string} */
function dropUnused(svg) {
  const isUsed = (/** @type {string} */ id) => svg.includes(`#${id}'`) || svg.includes(`#${id})`);
  return svg.replaceAll(DEFINED, (whole, mark, filter) => (isUsed(mark ?? filter) ? whole : ''));
}

const PATH = /(?<=<path [^>]*\bd=')[^']*/g;
/** As gnuplot writes the data of a curve; those of marks are otherwise. */
const ABSOLUTE = /^\s*(?:[ML]\s*-?[\d.]+,-?[\d.]+\s*)+$/;
const LINE_MAX = 120;

/** Each point to a tenth of a pixel, seen from the one before. @param {string} svg @returns {string} */
export const shortenPaths = (svg) => svg.replaceAll(PATH, (data) => (ABSOLUTE.test(data) ? shortenPath(data) : data));

/** @param {string} data @returns {string} */
function shortenPath(data) {
  const lines = [''];
  let [last_x, last_y, before] = [0, 0, ''];
  for (const [, command, ...place] of data.matchAll(/([ML])\s*([-\d.]+),([-\d.]+)/g)) {
    const [x, y] = place.map((number) => Math.round(10 * Number(number)));
    const word = command === 'M' ? `M${join(x, y)}` : `${before === 'M' ? 'l' : ''}${join(x - last_x, y - last_y)}`;
    const line = lines[lines.length - 1];
    if (line.length + word.length >= LINE_MAX) lines.push(word);
    else lines[lines.length - 1] = line + (/^[\d.]/.test(word) && line ? ' ' : '') + word;
    [last_x, last_y, before] = [x, y, command];
  }
  return lines.join('\n');
}

/** @param {number[]} tenths x and y @returns {string} as a path has them: "12.5-.3" */
const join = (...tenths) => tenths.map((each) => String(each / 10).replace(/^(-?)0\./, '$1.')).join(' ').replace(' -', '-');
