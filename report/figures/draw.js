/** Writes a laid-out figure for gnuplot: a file of assignments, and a file of data with a block for each series. */
import { join } from 'node:path';
import { GNUPLOT, quoteForGnuplot as quote } from '../../harness/common/gnuplot.js';
import { writeAtomically } from '../../harness/common/files.js';
import { ROOT } from '../../harness/common/places.js';
import { WIDTH } from './layout.js';

/** @import { Tick } from './axes.js' */
/** @import { Layer, Panel, Series } from './chart.js' */
/** @import { Layout, Placed } from './layout.js' */

const COLUMNS = /** @type {const} */ (['x', 'y', 'x_low', 'x_high', 'y_low', 'y_high']);
/** Ways to draw a series. Each kind's script uses the lists that it needs. */
const LAYERS = /** @type {const} */ (['band', 'box', 'tick', 'line', 'thin', 'step', 'across', 'upright', 'mark']);

/** @param {unknown} value @returns {string} */
const literal = (value) =>
  typeof value === 'number' ? (Number.isFinite(value) ? String(Number(value.toPrecision(9))) : 'NaN') : quote(value);
/** @param {string} name @param {unknown[]} values @returns {string} an array of at least one element */
const array = (name, values) => `array ${name} = [${(values.length ? values : [0]).map(literal).join(', ')}]`;

/** @param {{layout: Layout, folder: string, name: string}} figure @returns the paths of both files */
export function writeForGnuplot({ layout, folder, name }) {
  const settings = join(folder, `.${name}.gp`);
  const data = join(folder, `.${name}.tsv`);
  const { panels, height } = layout;
  const page = [`width = ${WIDTH}`, `height = ${height}`, `panels = ${panels.length}`];
  writeAtomically(data, panels.flatMap(({ panel }) => panel.series).map(writeBlock).join('\n\n'));
  writeAtomically(settings, [...page, ...writeTexts(layout), ...writePanels(layout), ...writeSeries(layout), ''].join('\n'));
  return { settings, data };
}

/** @param {string} kind @param {{settings: string, data: string}} files @param {string} format @param {string} target @returns argv */
export function drawing(kind, { settings, data }, format, target) {
  const given = [
    `format = ${quote(format)}`,
    `target = ${quote(target)}`,
    `data = ${quote(data)}`,
    `plots = ${quote(join(ROOT, 'plots'))}`,
    `load ${quote(settings)}`,
  ];
  return [...GNUPLOT, '-e', given.join('; '), join(ROOT, 'plots', `${kind}.gp`)];
}

/** @param {Series} series @returns {string} of at least one row: gnuplot does not count an empty block */
function writeBlock({ marks }) {
  const rows = (marks.length ? marks : [{ x: NaN, y: NaN }]).map((mark) => COLUMNS.map((column) => literal(Number(mark[column] ?? NaN))).join('\t'));
  return [`# ${COLUMNS.join('\t')}`, ...rows, ''].join('\n');
}

/** @param {Layout} layout @returns {string[]} by alignment: gnuplot takes no expression for it */
function writeTexts({ texts, height }) {
  return ['left', 'center', 'right'].flatMap((align) => {
    const own = texts.filter((text) => text.align === align);
    return [
      `${align}_texts = ${own.length}`,
      array(`${align}_words`, own.map(({ words }) => words)),
      array(`${align}_face`, own.map(({ face }) => face)),
      array(`${align}_x`, own.map(({ x }) => x / WIDTH)),
      array(`${align}_y`, own.map(({ y }) => 1 - y / height)),
    ];
  });
}

/** @param {Layout} layout @returns {string[]} */
function writePanels({ panels, height }) {
  const of = (/** @type {string} */ name, /** @type {(placed: Placed) => unknown} */ value) => array(name, panels.map(value));
  const each = (/** @type {string} */ name, /** @type {string[]} */ fields, /** @type {(placed: Placed) => any[]} */ list) =>
    packLists(name, panels.map(list), fields);
  return [
    of('panel_left', ({ box }) => box.left / WIDTH),
    of('panel_right', ({ box }) => box.right / WIDTH),
    of('panel_top', ({ box }) => 1 - box.top / height),
    of('panel_bottom', ({ box }) => 1 - box.bottom / height),
    of('is_framed', ({ isFramed }) => Number(isFramed)),
    of('is_rows', ({ panel }) => Number(Boolean(panel.labels))),
    of('picture', ({ panel }) => panel.picture ?? ''),
    .../** @type {const} */ (['x', 'y']).flatMap((way) => [
      of(`${way}_from`, (placed) => placed[way].from),
      of(`${way}_to`, (placed) => placed[way].to),
      of(`is_log_${way}`, (placed) => Number(placed[way].isLog)),
      ...each(`${way}_tick`, ['at', 'words'], (placed) => placed[way].ticks.map(asFormat)),
      ...each(`${way}_guide`, ['at', 'from', 'to'], ({ panel: { guides = [] } }) => guides.filter(({ along }) => along === way)),
      ...each(`${way}_ground`, ['from', 'to'], ({ panel: { grounds = [] } }) => grounds.filter(({ along }) => along === way)),
    ]),
    ...each('row', ['at'], ({ panel }) => rowsOf(panel)),
  ];
}

/** gnuplot reads the label of a tick as a format. @param {Tick} tick */
const asFormat = ({ at, words }) => ({ at, words: words.replaceAll('%', '%%') });

/** @param {Panel} panel @returns {{at: number}[]} positions of its rows, for faint lines */
const rowsOf = ({ labels = [] }) => labels.filter(({ isHeading }) => !isHeading).map(({ at }) => ({ at }));

/**
 * Joins the lists of all panels; panel p has elements `<name>_first[p]` to `<name>_last[p]`. @param {string} name
 * @param {any[][]} lists @param {string[]} fields @returns {string[]}
 */
function packLists(name, lists, fields) {
  const ends = lists.map((_, index) => lists.slice(0, index + 1).flat().length);
  return [
    array(`${name}_first`, lists.map((list, index) => ends[index] - list.length + 1)),
    array(`${name}_last`, ends),
    ...fields.map((field) => array(`${name}_${field}`, lists.flat().map((each) => each[field]))),
  ];
}

/** @param {Layout} layout @returns the look of each series; for each layer and panel, the series to draw, counted from 1 */
function writeSeries({ panels }) {
  const series = panels.flatMap(({ panel }) => panel.series);
  const isDrawn = (/** @type {Series} */ { layers, marks }, /** @type {Layer} */ layer) =>
    layers.includes(layer) && marks.length > 0;
  return [
    array('colour', series.map(({ look }) => Number(look.colour.replace('#', '0x')))),
    array('mark', series.map(({ look }) => look.mark)),
    array('dash', series.map(({ look }) => look.dash)),
    ...LAYERS.map((layer) => array(`${layer}_of`, panels.map(({ panel }) =>
      panel.series.filter((each) => isDrawn(each, layer)).map((each) => series.indexOf(each) + 1).join(' ')))),
  ];
}
