/** Lays out a figure in units of a canvas 640 wide. Printed 16 cm wide, its smallest text has 7 points. */
import { group, pairs } from 'd3-array';
import { makeAxis } from './axes.js';
import { FACES, widthOf, wrap } from './words.js';
import { widthOfLabels } from './labels.js';
import { GUIDES } from './looks.js';

/** @import { Axis } from './axes.js' */
/** @import { Chart, KeyEntry, Label, Layer, Mark, Panel, Series } from './chart.js' */
/** @import { Look } from './looks.js' */
/** @typedef {{x: number, y: number, align: 'left' | 'center' | 'right', face: keyof typeof FACES, words: string}} Text */
/** @typedef {{left: number, right: number, top: number, bottom: number}} Box */
/** @typedef {{box: Box, x: Axis, y: Axis, panel: Panel, isFramed: boolean}} Placed */
/** @typedef {{height: number, texts: Text[], panels: Placed[]}} Layout */

export const WIDTH = 640;
/** Maximum height of a figure. */
export const HIGHEST = 1.5 * WIDTH;
const MARGIN = 8;
const LINE = 13;
const TICK = 20;
const KEY = { sample: 26, gap: 18, line: 16 };
/** Between intervals of several series at one place, from the first to the last, and at least to the edge of the panel. */
const BESIDE = { each: 3.5, all: 14, edge: 4 };
/** Space between two rows of panels. */
const BELOW = 10;

/** @param {Chart} chart @param {{title: string, caption: string[]}} words @returns {Layout} */
export function layOut({ panels, columns = panels.length, key }, { title, caption }) {
  const titles = wrap(title, WIDTH - 2 * MARGIN, FACES.title);
  /** @type {Text[]} */
  const texts = titles.map((words, line) => ({ x: MARGIN, y: 14 + 16 * line, align: 'left', face: 'title', words }));
  const keyed = placeKey(key, 14 + 16 * titles.length + 4);
  const grid = placePanels(panels, columns, keyed.bottom + 8);
  const lines = caption.flatMap((paragraph) => wrap(paragraph, WIDTH - 2 * MARGIN));
  const written = lines.map((words, line) =>
    /** @type {Text} */ ({ x: MARGIN, y: grid.bottom + 14 + LINE * line, align: 'left', face: 'small', words }));
  const height = Math.ceil(grid.bottom + 14 + LINE * lines.length);
  const page = keyed.series.length ? [pageOf(keyed.series, height)] : [];
  return { height, texts: [...texts, ...keyed.texts, ...grid.texts, ...written], panels: [...page, ...grid.panels] };
}

/** The key is drawn as a panel over the whole page. @param {Series[]} series @param {number} height @returns {Placed} */
function pageOf(series, height) {
  const axis = (/** @type {number} */ from, /** @type {number} */ to) => ({ title: '', isLog: false, from, to, ticks: [] });
  return {
    box: { left: 0, right: WIDTH, top: 0, bottom: height },
    x: axis(0, WIDTH),
    y: axis(height, 0),
    isFramed: false,
    panel: { head: '', x: { title: '' }, y: { title: '' }, height, series },
  };
}

/** @param {KeyEntry[]} key @param {number} top */
function placeKey(key, top) {
  let [x, y] = [MARGIN, top + 4];
  /** @type {Text[]} */
  const texts = [];
  /** @type {Series[]} */
  const series = [];
  for (const { words, look, layers } of key) {
    const width = KEY.sample + widthOf(words);
    if (x > MARGIN && x + width > WIDTH - MARGIN) [x, y] = [MARGIN, y + KEY.line];
    series.push(...sample(x, y, look, layers));
    texts.push({ x: x + KEY.sample, y, align: 'left', face: 'small', words });
    x += width + KEY.gap;
  }
  return { texts, series, bottom: key.length ? y + 8 : top - 4 };
}

/** @param {number} x @param {number} y @param {Look} look @param {Layer[]} layers @returns {Series[]} */
function sample(x, y, look, layers) {
  const along = layers.filter((layer) => ['line', 'thin', 'step'].includes(layer)).map(() => /** @type {const} */ ('line'));
  const around = layers.filter((layer) => !['line', 'thin', 'step', 'upright', 'band'].includes(layer));
  const made = (/** @type {Layer[]} */ drawn, /** @type {Mark[]} */ marks) =>
    drawn.length ? [{ look, words: '', layers: drawn, marks }] : [];
  return [
    ...made(along, [x, x + 20].map((end) => ({ x: end, y }))),
    ...made(around, [{ x: x + 10, y, x_low: x, x_high: x + 20, y_low: y - 4, y_high: y + 4 }]),
    ...made(layers.filter((layer) => layer === 'band'), [x, x + 20].map((end) => ({ x: end, y, y_low: y - 4, y_high: y + 4 }))),
  ];
}

/** @typedef {{panel: Panel, y: Axis, row: number, column: number}} Cell */

/** @param {(Panel | undefined)[]} panels undefined for an empty place @param {number} columns @param {number} top */
function placePanels(panels, columns, top) {
  /** @type {Cell[]} */
  const cells = panels.flatMap((panel, index) =>
    (panel ? [{ panel, y: axisDown(panel), row: Math.floor(index / columns), column: index % columns }] : []));
  const { lefts, width, margins } = placeColumns(cells, columns);
  /** @type {Text[]} */
  const texts = [];
  /** @type {Placed[]} */
  const placed = [];
  let y = top;
  for (const row of Map.groupBy(cells, (cell) => cell.row).values()) {
    const heads = row.map(({ panel, column }) => headOf(panel, margins[column].left + width + margins[column].right - 4));
    const head = Math.max(...heads.map((lines) => lines.length)) * LINE + 6;
    row.forEach(({ panel, y: down, column }, index) => {
      const x = makeAxis(panel.x, valuesOf(panel, 'x'), width, 'across');
      const box = { left: lefts[column], right: lefts[column] + width, top: y + head, bottom: y + head + panel.height };
      const series = placeBeside(cutSeries(panel.series, x, down), x, width);
      placed.push({ box, x, y: down, panel: { ...panel, series }, isFramed: true });
      texts.push(...writePanel(panel, box, x, heads[index], margins[column].left, y + head - 6 - heads[index].length * LINE));
    });
    const title = row.some(({ panel }) => panel.x.title) ? LINE + 4 : 0;
    y += head + Math.max(...row.map(({ panel }) => panel.height)) + TICK + title + BELOW;
  }
  return { texts, panels: placed, bottom: y - BELOW };
}

/**
 * @param {Series[]} series @param {Axis} x @param {Axis} y
 * @returns {Series[]} on a logarithmic axis, an interval that begins at 0 or below is drawn from the axis's edge
 */
function cutSeries(series, x, y) {
  const cut = (/** @type {Axis} */ { isLog, from }, /** @type {number | undefined} */ low) => (isLog && Number(low) <= 0 ? from : low);
  const cutMark = (/** @type {Mark} */ mark) => ({ ...mark, x_low: cut(x, mark.x_low), y_low: cut(y, mark.y_low) });
  return series.map((each) => ({ ...each, marks: each.marks.map(cutMark) }));
}

/** @param {Mark[]} marks at one place @returns {boolean} whether an interval hides part of another */
const isHiding = (marks) => marks.some((a, index) =>
  marks.slice(index + 1).some((b) => Number(a.y_low) <= Number(b.y_high) && Number(b.y_low) <= Number(a.y_high)));

/**
 * Where an interval would hide part of another, the series stand beside each other, if there is room.
 * @param {Series[]} series @param {Axis} axis @param {number} width of the panel @returns {Series[]}
 */
function placeBeside(series, { isLog, from, to }, width) {
  const own = series.filter(({ layers }) => layers.includes('upright'));
  const unitsOf = (/** @type {number} */ x) => width * (isLog ? Math.log(x / from) / Math.log(to / from) : (x - from) / (to - from));
  const valueAt = (/** @type {number} */ units) => (isLog ? from * (to / from) ** (units / width) : from + ((to - from) * units) / width);
  const places = group(own.flatMap(({ marks }) => marks.filter(isShown)), ({ x }) => unitsOf(x));
  const step = Math.min(BESIDE.each, BESIDE.all / (own.length - 1));
  const isCrowded = pairs([...places.keys()].sort((a, b) => a - b)).some(([a, b]) => b - a < step * (own.length + 1));
  if (isCrowded || ![...places.values()].some(isHiding)) return series;
  const shiftOf = (/** @type {Series} */ each) => step * (own.indexOf(each) - (own.length - 1) / 2);
  const move = (/** @type {Mark} */ mark, /** @type {number} */ shift) => {
    if (mark.x < from || mark.x > to) return mark; // beyond the axis, so that it is not drawn
    return { ...mark, x: valueAt(Math.min(Math.max(unitsOf(mark.x) + shift, BESIDE.edge), width - BESIDE.edge)) };
  };
  return series.map((each) => (own.includes(each) ? { ...each, marks: each.marks.map((mark) => move(mark, shiftOf(each))) } : each));
}

/** @param {Panel} panel @returns {Axis} */
function axisDown(panel) {
  if (panel.labels) return { title: '', isLog: false, from: panel.height, to: 0, ticks: [] };
  return makeAxis(panel.y, valuesOf(panel, 'y'), panel.height, 'down');
}

/** @param {Cell[]} cells @param {number} columns */
function placeColumns(cells, columns) {
  const margins = Array.from({ length: columns }, (_, column) => {
    const own = cells.filter((cell) => cell.column === column);
    return {
      left: Math.max(0, ...own.map(({ panel, y }) => leftOf(panel, y))),
      right: Math.max(0, ...own.map(({ panel }) => rightOf(panel))),
    };
  });
  const used = margins.reduce((sum, { left, right }) => sum + left + right, 0);
  const width = (WIDTH - 2 * MARGIN - used) / columns;
  const lefts = margins.map(({ left: own }, column) =>
    MARGIN + own + margins.slice(0, column).reduce((sum, { left, right }) => sum + left + right + width, 0));
  return { margins, width, lefts };
}

/** @param {Panel} panel @param {'x' | 'y'} way @returns {number[]} */
function valuesOf({ series, x, guides = [], grounds = [] }, way) {
  const [lines, own] = [true, false].map((is) =>
    series.filter(({ look }) => GUIDES.includes(look) === is).flatMap((each) => each.marks.filter(isShown)));
  const [least, most] = [x.from ?? Math.min(...own.map((mark) => mark.x)), x.to ?? Math.max(...own.map((mark) => mark.x))];
  const beside = way === 'y' ? lines.filter((mark) => mark.x >= least && mark.x <= most) : []; // a guide ends with the data
  const marks = [...own, ...beside].flatMap((mark) => [mark[way], mark[`${way}_low`], mark[`${way}_high`]]);
  const lone = guides.filter(({ along }) => along === way).map(({ at }) => at);
  const ends = grounds.filter(({ along }) => along === way).flatMap(({ from, to }) => [from, to]);
  return [...marks, ...lone, ...ends].map(Number).filter(Number.isFinite);
}

/** @param {Mark} mark */
const isShown = ({ x, y }) => Number.isFinite(x) && Number.isFinite(y);

/** @param {Panel} panel @param {Axis} y @returns {number} room at its left */
function leftOf(panel, y) {
  if (panel.isUnlabelled) return 6;
  return panel.labels ? widthOfLabels(panel.labels) + 10 : Math.max(0, ...y.ticks.map(({ words }) => widthOf(words))) + 12;
}

/** @param {Panel} panel @returns {number} room at its right */
const rightOf = ({ numbers = [], labels }) =>
  numbers.length ? Math.max(...numbers.map(({ words }) => widthOf(words))) + 12 : labels ? 12 : 14;

/** @param {Panel} panel @param {number} width @returns {{words: string, face: 'bold' | 'small'}[]} the lines over it */
function headOf({ head, note = '', y }, width) {
  const lines = (/** @type {string} */ words, /** @type {'bold' | 'small'} */ face) =>
    words ? wrap(words, width, FACES[face]).map((line) => ({ words: line, face })) : [];
  return [...lines(head, 'bold'), ...lines(note, 'small'), ...lines(y.title, 'small')];
}

/**
 * @param {Panel} panel @param {Box} box @param {Axis} x @param {{words: string, face: 'bold' | 'small'}[]} head
 * @param {number} left @param {number} top @returns {Text[]}
 */
function writePanel(panel, box, x, head, left, top) {
  const { labels = [], isUnlabelled, numbers = [] } = panel;
  const start = panel.labels ? box.left : box.left - left + 4;
  /** @type {Text[]} */
  const texts = head.map(({ words, face }, line) => ({ x: start, y: top + 8 + LINE * line, align: 'left', face, words }));
  if (x.title) texts.push({ ...titleAt(box, x.title), y: box.bottom + TICK + 9 });
  for (const { at, words } of numbers) texts.push({ x: box.right + 6, y: box.top + at, align: 'left', face: 'small', words });
  if (!isUnlabelled) for (const label of labels) texts.push(...writeLabel(label, box, left));
  return texts;
}

/**
 * @param {Box} box @param {string} words
 * @returns {{x: number, align: 'center' | 'right', face: 'small', words: string}} right-aligned if it would cross the page's edge
 */
function titleAt({ left, right }, words) {
  const middle = (left + right) / 2;
  return middle + widthOf(words) / 2 > WIDTH - 4
    ? { x: Math.min(right + 12, WIDTH - 4), align: 'right', face: 'small', words }
    : { x: middle, align: 'center', face: 'small', words };
}

/** @param {Label} label @param {Box} box @param {number} left @returns {Text[]} */
function writeLabel({ lines, at, indent, isHeading }, box, left) {
  const x = box.left - left + 2 + indent;
  const face = isHeading ? 'bold' : 'small';
  return lines.map((words, line) => ({ x, y: box.top + at + 12 * (line - (lines.length - 1) / 2), align: 'left', face, words }));
}
