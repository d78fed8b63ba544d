/**
 * What is left to do to gnuplot's SVG: faces that are found where DejaVu is not, and a third fewer bytes for the same picture.
 * A figure of record is kept in the tree, as lines that a diff can show.
 */

/** Gnuplot names no other face for where its own is not installed, and repeats the family at each text. */
const FAMILY = 'font-family="DejaVu Sans, Verdana, sans-serif"';
/** What gnuplot repeats at each of its groups. */
const PAINT = 'fill="none" color="black" stroke="currentColor"';
/** What SVG takes for granted. */
const DEFAULTS = / stroke-linecap="butt" stroke-linejoin="miter"/g;
const EMPTY_TEXT = /<g [^>]*>\s*<text><\/text>\s*<\/g>\s*/g;
const EMPTY_GROUP = /<g [^>]*>\s*(<title>[^<]*<\/title>\s*)?<\/g>\s*/g;
/** A line of text, and the group that says where it stands. */
const PLACED_TEXT = /<g (transform="[^>]*)>\s*<text>([^<]*)<\/text>\s*<\/g>/g;

/** What names the program that drew it: of a figure one wants to know its conditions. */
const DESCRIPTION = /<desc>[^<]*<\/desc>/;
const ESCAPES = /** @type {Record<string, string>} */ ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' });

/** @param {string} svg as gnuplot wrote it @param {string} description of the figure @returns {string} */
export function finishSvg(svg, description) {
  const named = svg.replaceAll(' font-family="DejaVu Sans:Bold"', ' font-weight="bold"').replaceAll(' font-family="DejaVu Sans"', '');
  const desc = `<desc>${description.replaceAll(/[&<>]/g, (character) => ESCAPES[character])}</desc>`;
  return dropEmptyGroups(named.replaceAll(EMPTY_TEXT, ''))
    .replace(DESCRIPTION, () => desc)
    .replaceAll(PLACED_TEXT, '<text $1>$2</text>')
    .replaceAll(DEFAULTS, '')
    .replaceAll(`<g ${PAINT}`, '<g')
    .replace('<g id="gnuplot_canvas">', `<g id="gnuplot_canvas" ${PAINT} ${FAMILY}>`)
    .replace('<rect ', '<rect stroke="none" ') // the first is the background
    .replaceAll(/<\w[^>]*>/g, shortenNumbers);
}

/** A group may be empty when those within it are gone. @param {string} svg @returns {string} */
function dropEmptyGroups(svg) {
  const fewer = svg.replaceAll(EMPTY_GROUP, '');
  return fewer === svg ? svg : dropEmptyGroups(fewer);
}

/** @param {string} tag whole, so that a number that is shown stays as it is @returns {string} */
function shortenNumbers(tag) {
  return tag.replaceAll(/(\.\d*?)0+(?=[,\s)"'])/g, (_, digits) => (digits === '.' ? '' : digits))
    .replaceAll(/rgb\(\s*(\d+),\s*(\d+),\s*(\d+)\)/g, (_, ...parts) => `#${parts.slice(0, 3).map((part) => Number(part).toString(16).padStart(2, '0')).join('')}`);
}
