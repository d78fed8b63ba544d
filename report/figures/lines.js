/** Lines with intervals: one quantity against another, with a panel for each part of the table and a line for each series. */
import { UserError } from '../../harness/common/failure.js';
import { keyCriteria, sayMeans } from './chart.js';
import { GUIDES, PALE, SERIES } from './looks.js';
import { matches, numberOf, readField } from './source.js';
import { alignCells, formatNumber, formatTick } from './words.js';

/** @import { AxisRequest } from './axes.js' */
/** @import { Kind, Layer, Mark, Series } from './chart.js' */
/** @import { Entry, PanelEntry, Scale, Where } from './entries.js' */
/** @import { Look } from './looks.js' */
/** @import { Row, Source } from './source.js' */
/**
 * @typedef {{words: string, look: Look, layers: Layer[], where: Where, points?: [number, number][], name: string, caption?: string,
 *   absent?: string}} Line
 */

const HEIGHT = 160;
/** A reader can't tell more apart, or remember them. */
const NAMED_MOST = 8;
/** Maximum rows of a table in a figure's text. */
const TEXT_ROWS = 16;
const SOME = '(some of the values that are drawn)';
/** @type {Record<number, number>} the hollow mark for each filled one */
const HOLLOW = { 5: 4, 7: 6, 9: 8, 11: 10, 13: 12 };

/** @param {Look} look */
const isGuide = (look) => GUIDES.includes(look);

/** @type {Kind} */
export function makeLines(entry, source) {
  const all = source.select(entry.table ?? 'points', entry.where);
  const lines = listLines(entry, all, source);
  const panels = listPanels(entry, all, source).flatMap((panel) => {
    const x = { ...entry.x, ...panel.x };
    const y = { ...entry.y, ...panel.y };
    const own = all.filter((row) => matches(row, panel.where ?? {}));
    const series = lines
      .filter((line) => !line.points || isOf(line, panel))
      .map((line) => makeSeries(line, own.filter((row) => matches(row, line.where)), x, y))
      .filter(({ marks }) => marks.length > 0);
    return series.some(({ look }) => !isGuide(look) && look !== PALE) ? [{ panel, x, y, series }] : [];
  });
  if (panels.length === 0) return undefined;
  const shown = new Set(panels.flatMap(({ series }) => series.map(({ words }) => words)));
  const drawn = all.filter((row) => lines.some(({ where, points }) => !points && matches(row, where)));
  return {
    panels: panels.map(({ panel, x, y, series }) => ({
      head: panel.head ?? '',
      x: asWish(x),
      y: asWish(y),
      height: entry.extra?.height ?? HEIGHT,
      series,
      guides: (panel.criterion ?? []).map((/** @type {number} */ at) => ({ along: 'y', at })),
      grounds: panel.ground ? [{ along: 'y', from: panel.ground[0], to: panel.ground[1] }] : [],
    })),
    columns: Math.min(entry.columns ?? panels.length, panels.length),
    key: [
      ...lines
        .filter(({ words, name }) => words && shown.has(name))
        .filter(({ words }, index, keyed) => keyed.findIndex((line) => line.words === words) === index)
        .map(({ words, look, layers }) => ({ words, look, layers: layers.filter((layer) => layer !== 'upright') })),
      ...keyCriteria(panels.map(({ panel }) => panel)),
    ],
    caption: [
      entry.caption ?? '',
      ...new Set(lines.flatMap(({ name, caption = '' }) => (shown.has(name) ? [caption] : []))),
      sayAbsent(entry.extra?.absent?.replace('{cores}', source.spec.environment.cores), lines.filter(({ name }) => !shown.has(name)).flatMap(({ absent = [] }) => absent)),
      sayMachines(drawn),
      entry.extra?.means === false ? '' : sayMeans(drawn),
      sayCut(panels),
    ],
    text: panels.flatMap(({ panel, x, y, series }) => writeSeries(panel.head ?? y.title ?? '', x.title ?? '', series, x.zero)),
  };
}

/** A reference line is drawn in the panels that its `where` names. @param {Line} line @param {PanelEntry} panel */
const isOf = ({ where }, { where: own = {} }) => Object.entries(where).every(([column, value]) => own[column] === value);

/** @param {{y: any, series: Series[]}[]} panels @returns {string} */
const sayCut = (panels) =>
  (panels.some(({ y, series }) => y.log && series.some(({ layers, marks }) => layers.includes('upright') && marks.some((mark) => Number(mark.y_low) <= 0)))
    ? 'A whisker from the lower edge: its interval begins at 0 or below.' : '');

/** @param {string | undefined} why @param {string[]} names of series without data @returns {string} */
const sayAbsent = (why, names) => (why && names.length ? `${why} ${names.join(', ')}.` : '');

/** @param {Row[]} rows @returns {string} which other machines they are of, and where those points lie */
function sayMachines(rows) {
  const groups = Map.groupBy(rows.filter(({ machine }) => machine), ({ machine }) => machine);
  return [...groups].map(([machine, own]) => {
    const cores = [...new Set(own.map((row) => Number(row.cores)))].sort((a, b) => a - b);
    return `Run on ${machine}: the points at ${cores.join(', ')} cores.`;
  }).join(' ');
}

/** @param {Scale} scale @returns {AxisRequest} */
const asWish = ({ title = '', log, from, to, ticks }) =>
  ({ title, isLog: log, from, to, ticks: ticks?.map(([at, words]) => ({ at, words: String(words) })) });

/** @param {Entry} entry @param {Row[]} rows @param {Source} source @returns {any[]} */
function listPanels({ panels = [{}], words }, rows, source) {
  if (Array.isArray(panels)) return panels;
  const { by } = panels;
  return [...new Map(rows.map((row) => [readField(row, by), row]))].map(([value, row]) =>
    ({ where: { [by]: value }, head: source.wordsOf(row, by, words) }));
}

/** @param {Entry} entry @param {Row[]} rows @param {Source} source @returns {Line[]} */
function listLines(entry, rows, source) {
  const { guides = [], layers = ['line', 'upright', 'mark'], others } = entry.extra ?? {};
  if (!Array.isArray(entry.series)) {
    return [...listNamed(guides, layers), ...listBy(entry.series?.by ?? '', rows, entry, source, layers)];
  }
  const named = listNamed(fillWords(entry.series, rows), layers);
  if (named.filter(({ look }) => !isGuide(look)).length > NAMED_MOST) {
    throw new UserError(`figures.toml: "${entry.title}" names more than ${NAMED_MOST} series; name fewer, and all \`others\` by one word`);
  }
  if (!others) return named;
  const rest = rows.filter((row) => !named.some(({ where }) => matches(row, where)));
  const used = named.filter(({ where }) => rows.some((row) => matches(row, where))).map(({ look }) => look);
  return [...listBy('engine', rest, entry, source, layers, used), ...named];
}

/** @param {any[]} series @param {Row[]} rows @returns {any[]} with each {column} in their words replaced by the value of a row */
const fillWords = (series, rows) =>
  series.map((each) => {
    const row = rows.find((own) => matches(own, each.where ?? {})) ?? {};
    return { ...each, words: each.words?.replaceAll(/\{(\w+)\}/g, (/** @type {string} */ _, /** @type {string} */ column) => row[column] ?? '') };
  });

/** @param {any[]} series @param {Layer[]} layers @returns {Line[]} */
function listNamed(series, layers) {
  let place = 0;
  const guides = [...new Set(series.filter(({ points }) => points).map(({ words }) => words))];
  return series.map(({ where = {}, words = '', caption, absent, look, hollow, points, layers: own }) => {
    if (points) {
      return { words, name: words, look: GUIDES[guides.indexOf(words) % GUIDES.length], layers: own ?? ['line'], where, points };
    }
    place += 1;
    const chosen = SERIES[(look ?? place) - 1];
    const its = hollow ? { ...chosen, mark: HOLLOW[chosen.mark] ?? chosen.mark, dash: 2 } : chosen;
    return { words, name: words, look: its, layers: own ?? layers, where, caption, absent };
  });
}

/**
 * A series for each value of a column: named, or a pale line if there are too many to tell apart.
 * @param {string} column @param {Row[]} rows @param {Entry} entry @param {Source} source
 * @param {Layer[]} layers @param {Look[]} [used] looks of other series
 * @returns {Line[]} the pale ones first
 */
function listBy(column, rows, { words, extra: { others = 'others' } = {} }, source, layers, used = []) {
  const keyed = new Map(rows.map((row) => [readField(row, column), row]));
  const free = SERIES.filter((look) => !used.includes(look));
  const isNamed = used.length === 0 || keyed.size <= free.length;
  const lines = [...keyed.values()].sort((a, b) => source.placeOf(a) - source.placeOf(b)).map((row, index) => {
    const name = source.wordsOf(row, column, words);
    const where = { [column]: readField(row, column) };
    const look = isNamed ? free[index] : undefined;
    return look ? { words: name, name, look, layers, where } : { words: others, name, look: PALE, layers: /** @type {Layer[]} */ (['thin']), where };
  });
  return [...lines.filter(({ look }) => look === PALE), ...lines.filter(({ look }) => look !== PALE)];
}

/** @param {Line} line @param {Row[]} rows @param {Scale} x @param {Scale} y @returns {Series} */
function makeSeries({ name, look, layers, points }, rows, x, y) {
  const all = points ? points.map(([at, value]) => ({ x: at, y: value })) : rows.map((row) => makeMark(row, x, y));
  const marks = all.filter((mark) => Number.isFinite(mark.x) && Number.isFinite(mark.y)).sort((a, b) => a.x - b.x);
  return { look, words: name, layers, marks };
}

/** @param {Row} row @param {any} x @param {any} y @returns {Mark} */
function makeMark(row, x, y) {
  const along = (/** @type {any} */ { factor = 1, offset = 0, zero, after, less }, /** @type {string} */ column) => {
    const cell = readField(row, column);
    const value = factor * (numberOf(after ? cell.slice(after.length) : cell) - (less ? numberOf(row[less]) : 0)) + offset;
    return value === 0 && zero ? zero : value;
  };
  return {
    x: along(x, x.column),
    y: along(y, y.column ?? 'mean'),
    y_low: along(y, y.low ?? 'low'),
    y_high: along(y, y.high ?? 'high'),
    x_low: x.low ? along(x, x.low) : NaN,
    x_high: x.high ? along(x, x.high) : NaN,
  };
}

/**
 * @param {string} head @param {string} x @param {Series[]} series @param {number} [zero] place of 0 on a logarithmic axis
 * @returns {string[]} one row per value of x; of a series with many values, some
 */
export function writeSeries(head, x, series, zero) {
  const tell = (/** @type {number} */ at) => (at === zero ? 0 : at);
  const named = series.filter(({ look }) => look !== PALE && !isGuide(look));
  const places = [...new Set(named.flatMap(({ marks }) => marks.map((mark) => mark.x)))].sort((a, b) => a - b);
  if (places.length > 2 * Math.max(...named.map(({ marks }) => marks.length))) {
    return ['', ...(head ? [head] : []), ...writeEach(x, named, tell), ...(named.some(({ marks }) => marks.length > TEXT_ROWS) ? [SOME] : [])];
  }
  const cellOf = (/** @type {Series} */ { marks }, /** @type {number} */ at) =>
    marks.filter((mark) => mark.x === at).map(({ y }) => formatNumber(y)).join(' ') || '-';
  const kept = new Set(named.flatMap(({ marks }) => thinOut(marks.map((mark) => mark.x))));
  const rows = places.filter((at) => kept.has(at)).map((at) => [formatTick(tell(at)), ...named.map((each) => cellOf(each, at))]);
  return ['', ...(head ? [head] : []), ...alignCells([[x, ...named.map(({ words }) => words)], ...rows]), ...(kept.size < places.length ? [SOME] : [])];
}

/**
 * For series that do not share their values of x.
 * @param {string} x @param {Series[]} series @param {(at: number) => number} tell @returns {string[]}
 */
const writeEach = (x, series, tell) => series.map(({ words, marks }) =>
  `${words}, by ${x}: ${thinOut(marks).map((mark) => `${formatNumber(mark.y)} at ${formatNumber(tell(mark.x))}`).join(', ')}`);

/** @template T @param {T[]} list @returns {T[]} about TEXT_ROWS of it at most, evenly spaced, with the last */
const thinOut = (list) => list.filter((_, index) => index % Math.ceil(list.length / TEXT_ROWS) === 0 || index === list.length - 1);
