/**
 * Post-processes gnuplot's SVG: fallback fonts if DejaVu is missing, and less than half the bytes for the same picture. Figures of
 * records are kept in the tree, in lines that a diff can show.
 */

/** Gnuplot names no fallback font, and repeats the family at each text. */
const FAMILY = 'font-family="DejaVu Sans, Verdana, sans-serif"';
/** What gnuplot repeats at each of its groups. */
const PAINT = 'fill="none" color="black" stroke="currentColor"';
/** Defaults of SVG. */
const DEFAULTS = / stroke-linecap="butt" stroke-linejoin="miter"/g;
const EMPTY_TEXT = /<g [^>]*>\s*<text><\/text>\s*<\/g>\s*/g;
const EMPTY_GROUP = /<g [^>]*>\s*(<title>[^<]*<\/title>\s*)?<\/g>\s*/g;
/** A line of text, and the group that places it. */
const PLACED_TEXT = /<g (transform="[^>]*)>\s*<text>([^<]*)<\/text>\s*<\/g>/g;
/** One that is not rotated. */
const LEVEL_TEXT = /<text transform="translate\((-?[\d.]+),(-?[\d.]+)\)"/g;
/** The paint of most texts is written once. */
const TEXT_PAINT = '<style>text{stroke:none}text:not([fill]){fill:black}</style>';
const OF_TEXT_PAINT = /(?<=<text [^>]*) (?:stroke="none"|fill="black")/g;
/** The size of most texts (plots/frame.gp) is written once. */
const USUAL_SIZE = ' font-size="10"';
const OF_USUAL_SIZE = /(<text [^>]*) font-size="10"/g;

const INDENT = /\n\s+(?=<)/g;
/** Gnuplot's title and description, replaced by the figure's own. */
const NAMED = /(?:<title>[^<]*<\/title>\s*)?<desc>[^<]*<\/desc>/;
const ESCAPES = /** @type {Record<string, string>} */ ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' });

/** @typedef {{title: string, description: string}} Said of a figure: its title if read out or opened alone, and its conditions */

/** @param {string} text @returns {string} */
const escape = (text) => text.replaceAll(/[&<>]/g, (character) => ESCAPES[character]);

/** @param {string} svg as gnuplot wrote it @param {Said} said @returns {string} */
export function finishSvg(svg, { title, description }) {
  const named = svg.replaceAll(' font-family="DejaVu Sans:Bold"', ' font-weight="bold"').replaceAll(' font-family="DejaVu Sans"', '');
  const head = `<title>${escape(title)}</title>\n<desc>${escape(description)}</desc>\n${TEXT_PAINT}`;
  const plain = dropEmptyGroups(named.replaceAll(EMPTY_TEXT, ''))
    .replace(NAMED, () => head)
    .replaceAll(PLACED_TEXT, '<text $1>$2</text>')
    .replaceAll(DEFAULTS, '')
    .replaceAll(`<g ${PAINT}`, '<g')
    .replace('<rect ', '<rect stroke="none" ') // the first is the background
    .replaceAll(/<\w[^>]*>/g, shortenNumbers)
    .replaceAll(LEVEL_TEXT, '<text x="$1" y="$2"')
    .replaceAll(OF_USUAL_SIZE, '$1')
    .replaceAll(OF_TEXT_PAINT, '')
    .replace('<g id="gnuplot_canvas">', `<g id="gnuplot_canvas" ${PAINT} ${FAMILY}${USUAL_SIZE}>`);
  return mergeGroups(groupMarks(shortenSvg(plain)));
}

/** Gnuplot's name of a series, shown as a tooltip. */
const SERIES = /<g id="gnuplot_plot_\w+" ?><title>[^<]*<\/title>/g;
/** The default anchor of a text. */
const STARTS = / +text-anchor="start"/g;
/** Two groups of lines of the same width, the first without an inner group. */
const ALIKE = /<g stroke-width="([\d.]+)">((?:(?!<\/?g\b)[^])*)<\/g>\s*<g stroke-width="\1">/g;

/** @param {string} svg @returns {string} with fewer groups and defaults */
export const mergeGroups = (svg) =>
  repeat(svg.replaceAll(SERIES, '<g>').replaceAll(STARTS, ''), (merged) => merged.replaceAll(ALIKE, '<g stroke-width="$1">$2'));

/** A mark of a series, alone on its line. */
const PLACED_MARK = /^<use xlink:href='#(\w+)' transform='translate\((-?[\d.]+),(-?[\d.]+)\) scale\(([\d.]+)\)' color='([^']*)'\/>$/;
/** Fewer in a row are not worth a group. */
const GROUPED_MIN = 3;

/**
 * Consecutive marks of one size and colour share a group. Their places are rounded to a tenth of the mark's unit; a mark is about ten
 * units wide.
 * @param {string} svg @returns {string}
 */
export function groupMarks(svg) {
  const lines = svg.split('\n').map((line) => {
    const [, mark, x, y, scale, color] = PLACED_MARK.exec(line) ?? [];
    return { line, key: mark && [mark, scale, color].join(), mark, x: Number(x), y: Number(y), scale: Number(scale), color };
  });
  /** @type {(typeof lines)[]} */
  const runs = [];
  for (const each of lines) {
    const last = runs.at(-1);
    if (each.key && last?.[0].key === each.key) last.push(each);
    else runs.push([each]);
  }
  return runs.flatMap((run) => {
    if (run.length < GROUPED_MIN) return run.map(({ line }) => line);
    const [{ mark, scale, color }] = run;
    const tenth = (/** @type {number} */ pixels) => formatTenths(Math.round((10 * pixels) / scale));
    return [`<g color='${color}' transform='scale(${scale})'>`, ...run.map(({ x, y }) => `<use xlink:href='#${mark}' x='${tenth(x)}' y='${tenth(y)}'/>`), '</g>'];
  }).join('\n');
}

/** The same picture, to a tenth of a pixel. @param {string} svg @returns {string} */
const shortenSvg = (svg) => shortenPaths(dropUnused(svg).replaceAll(INDENT, '\n'));

/** @param {string} svg @param {(svg: string) => string} shorten @returns {string} shortened until that changes nothing */
function repeat(svg, shorten) {
  const fewer = shorten(svg);
  return fewer === svg ? svg : repeat(fewer, shorten);
}

/** A group may become empty when its inner groups are dropped. @param {string} svg */
const dropEmptyGroups = (svg) => repeat(svg, (rest) => rest.replaceAll(EMPTY_GROUP, ''));

/** @param {string} tag without text, so that displayed numbers stay @returns {string} */
function shortenNumbers(tag) {
  return tag.replaceAll(/(\.\d*?)0+(?=[,\s)"'])/g, (_, digits) => (digits === '.' ? '' : digits))
    .replaceAll(/rgb\(\s*(\d+),\s*(\d+),\s*(\d+)\)/g, (_, ...parts) => `#${parts.slice(0, 3).map((part) => Number(part).toString(16).padStart(2, '0')).join('')}`);
}

/** A mark or a filter that gnuplot defines. */
const DEFINED = /<(?:path|rect|circle|use) [^>]*\bid='(gp\w+)'[^>]*\/>|<filter id='(\w+)'[^]*?<\/filter>/g;

/** A mark may be used only by another unused one. @param {string} svg */
const dropUnused = (svg) => repeat(svg, (rest) => {
  const isUsed = (/** @type {string} */ id) => rest.includes(`#${id}'`) || rest.includes(`#${id})`);
  return rest.replaceAll(DEFINED, (whole, mark, filter) => (isUsed(mark ?? filter) ? whole : ''));
});

const PATH = /(?<=<path [^>]*\bd=')[^']*/g;
/** Gnuplot's form of the data of a curve; marks differ. */
const ABSOLUTE = /^\s*(?:[ML]\s*-?[\d.]+,-?[\d.]+\s*)+$/;
const LINE_MAX = 120;

/** Each point relative to the previous one, to a tenth of a pixel. @param {string} svg @returns {string} */
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

/** @param {number} x in tenths @param {number} y @returns {string} as in a path: "12.5-.3" */
const join = (x, y) => `${formatTenths(x)}${y < 0 ? '' : ' '}${formatTenths(y)}`;

/** @param {number} tenths @returns {string} such as "-12.5", ".3" or "4" */
const formatTenths = (tenths) => String(tenths / 10).replace(/^(-?)0\./, '$1.');
