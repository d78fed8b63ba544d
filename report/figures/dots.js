/** Dots with intervals: a row for each point, a panel for each metric. */
import { keyCriteria, sayMeans } from './chart.js';
import { asRows, makeLabels, placeRows } from './labels.js';
import { ERAS, SERIES, TRIAL } from './looks.js';
import { POINT, keyOf, matches, numberOf } from './source.js';
import { alignCells, formatNumber } from './words.js';

/** @import { Chart, KeyEntry, Kind, Label, Mark, Panel, Series } from './chart.js' */
/** @import { Entry, PanelEntry, Where } from './entries.js' */
/** @import { Line } from './labels.js' */
/** @import { Look } from './looks.js' */
/** @import { Row, Source } from './source.js' */
/** @typedef {{panel: PanelEntry, rows: Row[]}} Drawn a panel that has rows */
/** @typedef {{where: Where, words: string, look?: Look}} Lane a series, side by side with others in each row */

/** From one series of a row to the next, in units. */
const LANE = 6;
/** Half the height of a trial's tick. */
const TICK = 4;
const HEIGHT = 16;

/** @type {Kind} */
export function makeDots(entry, source) {
  const dots = new Dots(entry, source);
  return dots.panels.length ? dots.toChart() : undefined;
}

/** @param {Row} row @param {PanelEntry} panel */
const isOf = (row, { metric, where = {} }) => matches(row, { ...where, ...(metric ? { metric } : {}) });

/** A value of 0 or less has no place on a logarithmic axis. @param {Row} row @param {PanelEntry} panel */
const isBelow = (row, { log }) => Boolean(log) && Number(row.mean) <= 0;

/** @param {Row[]} rows @param {Look} [look] @returns {{look: Look, era: string, rows: Row[]}[]} split by era if the series has no look */
function splitLooks(rows, look) {
  if (look) return rows.length ? [{ look, era: '', rows }] : [];
  return Object.entries(ERAS)
    .map(([era, own]) => ({ look: own, era, rows: rows.filter((row) => (row.era || 'today') === era) }))
    .filter(({ rows: own }) => own.length > 0);
}

class Dots {
  /** @param {Entry} entry @param {Source} source */
  constructor(entry, source) {
    const { table = 'points', rows: keys = POINT, x: { column = 'mean', low = 'low', high = 'high' } = {} } = entry;
    this.entry = entry;
    this.keys = keys;
    this.keyOf = (/** @type {Row} */ row) => keyOf(row, keys);
    /** @type {Row[]} */
    this.all = source.select(table, entry.where).map((row) => ({ ...row, mean: row[column], low: row[low], high: row[high] }));
    /** @type {Drawn[]} */
    this.panels = /** @type {PanelEntry[]} */ (entry.panels)
      .map((panel) => ({ panel, rows: this.all.filter((row) => isOf(row, panel) && Number.isFinite(numberOf(row.mean))) }))
      .filter(({ rows }) => rows.length > 0);
    /** @type {Lane[]} */
    this.lanes = Array.isArray(entry.series)
      ? entry.series.map(({ where = {}, words = '', look }, index) => ({ where, words, look: SERIES[(look ?? index + 1) - 1] }))
      : [{ where: {}, words: '' }];
    /** Has each row one series? Then its numbers and trials are drawn, too. */
    this.isSingle = this.lanes.length === 1;
    this.lines = this.placeLines(entry, source);
    this.labels = makeLabels(this.lines, Math.max(HEIGHT, LANE * this.lanes.length + 6));
    this.places = new Map(this.lines.flatMap(({ key }, index) => (key === undefined ? [] : [[key, this.labels[index].at]])));
    this.trials = table === 'points' && this.isSingle ? source.select('trials', entry.where) : [];
  }

  /** @returns {{from: number, to: number}[]} rows between headings: a guide across a heading would strike it out */
  get blocks() {
    /** @type {Label[][]} */
    const blocks = [[]];
    for (const label of this.labels) {
      if (label.isHeading) blocks.push([]);
      else blocks.at(-1)?.push(label);
    }
    return blocks.filter(({ length }) => length).map((own) => {
      const [first, last] = [own[0], own[own.length - 1]];
      return { from: first.at - first.height / 2, to: last.at + last.height / 2 };
    });
  }

  /**
   * Points limited by the load generator have no rank. Sorted rows list them last, below their own heading, in the plan's order.
   * @param {Entry} entry @param {Source} source @returns {Line[]}
   */
  placeLines(entry, source) {
    const all = [...new Map(this.panels.flatMap((drawn) => drawn.rows).map((row) => [this.keyOf(row), row])).values()];
    const rows = all.sort((a, b) => source.placeOf(a) - source.placeOf(b));
    const place = (/** @type {Row[]} */ own) => placeRows(own, this.keys, entry, source);
    if (!entry.sort || this.panels.length === 0) return place(rows);
    const [{ panel, rows: first }] = this.panels;
    const values = new Map(first.map((row) => [this.keyOf(row), numberOf(row.mean)]));
    const valueOf = (/** @type {Row} */ row) => values.get(this.keyOf(row)) ?? -Infinity;
    const [ranked, others] = [false, true].map((is) => rows.filter((row) => this.isLeast(row, panel) === is));
    const sorted = place(ranked.sort((a, b) => valueOf(b) - valueOf(a)));
    if (others.length === 0) return sorted;
    const [head, below] = ['the server was full first', 'the load was full first: at least so many, in no order'];
    return [...(sorted.length ? [{ words: head, indent: 0 }, ...sorted] : []), { words: below, indent: 0 }, ...place(others)];
  }

  /** @param {Row} row @param {number} [lane] @returns {number} from the panel's top */
  placeOf(row, lane = 0) {
    return (this.places.get(this.keyOf(row)) ?? NaN) + LANE * (lane - (this.lanes.length - 1) / 2);
  }

  /** @returns {Chart} */
  toChart() {
    return {
      panels: this.panels.map((drawn, index) => this.makePanel(drawn, index === 0)),
      key: this.makeKey(),
      caption: [this.entry.caption ?? '', this.entry.extra?.means === false ? '' : sayMeans(this.panels.flatMap(({ rows }) => rows)), ...this.sayExceptions()],
      text: this.panels.flatMap((drawn) => ['', ...this.writePanel(drawn)]),
    };
  }

  /** @param {Drawn} drawn @param {boolean} isFirst @returns {Panel} */
  makePanel({ panel, rows }, isFirst) {
    const series = this.lanes.flatMap(({ where, words, look }, lane) => {
      const drawn = rows.filter((row) => matches(row, where) && !isBelow(row, panel));
      return splitLooks(drawn, look).map(({ look: own, rows: alike }) =>
        /** @type {Series} */ ({ look: own, words, layers: ['across', 'mark'], marks: alike.map((row) => this.markOf(row, panel, lane)) }));
    });
    return {
      head: '',
      x: { title: panel.axis ?? '', isLog: panel.log, from: panel.x?.from, to: panel.x?.to },
      ...asRows(this.labels),
      isUnlabelled: !isFirst,
      series: [...this.listTrials(panel), ...series],
      guides: (panel.criterion ?? []).flatMap((at) => this.blocks.map((ends) => /** @type {const} */ ({ along: 'x', at, ...ends }))),
      numbers: this.isSingle ? this.listNumbers(panel, rows) : [],
    };
  }

  /** @param {Row} row @param {PanelEntry} panel @param {number} lane @returns {Mark} */
  markOf(row, { factor = 1 }, lane) {
    const [x, x_low, x_high] = [row.mean, row.low, row.high].map((cell) => factor * numberOf(cell));
    return { x, y: this.placeOf(row, lane), x_low, x_high };
  }

  /** @param {PanelEntry} panel @returns {Series[]} */
  listTrials(panel) {
    const own = this.trials.filter((row) => isOf(row, panel) && this.places.has(this.keyOf(row)));
    const marks = own.map((row) => {
      const y = this.placeOf(row);
      return { x: (panel.factor ?? 1) * numberOf(row.value), y, y_low: y - TICK, y_high: y + TICK };
    });
    return marks.length ? [{ look: TRIAL, words: '', layers: ['tick'], marks }] : [];
  }

  /** @param {PanelEntry} panel @param {Row[]} rows @returns {{at: number, words: string}[]} */
  listNumbers(panel, rows) {
    const counts = [...this.countTrials(panel, rows)].map(([key, words]) => ({ at: Number(this.places.get(key)), words }));
    return [...rows.map((row) => ({ at: this.placeOf(row), words: this.sayNumber(row, panel) })), ...counts];
  }

  /**
   * @param {PanelEntry} panel @param {Row[]} rows of it
   * @returns {Map<string, string>} for rows without a mean, how many trials have the number: a mean of these would be a selection
   */
  countTrials(panel, rows) {
    const known = new Set(rows.map((row) => this.keyOf(row)));
    const lone = this.trials.filter((row) => isOf(row, panel) && this.places.has(this.keyOf(row)) && !known.has(this.keyOf(row)));
    return new Map([...Map.groupBy(lone, (row) => this.keyOf(row))].map(([key, own]) => {
      const all = new Set(this.trials.filter((row) => this.keyOf(row) === key).map(({ trial }) => trial));
      return [key, `${own.length} of ${all.size}`];
    }));
  }

  /** @param {Row} row @param {PanelEntry} panel @returns {string} */
  sayNumber(row, panel) {
    if (isBelow(row, panel)) return '–';
    return `${this.isLeast(row, panel) ? '≥ ' : ''}${formatNumber((panel.factor ?? 1) * numberOf(row.mean))}`;
  }

  /** @param {Row} row @param {PanelEntry} panel @returns {boolean} was the load generator the limit? */
  isLeast(row, { at_least: metric }) {
    const own = metric === undefined ? [] : this.all.filter((each) => each.metric === metric && this.keyOf(each) === this.keyOf(row));
    return own.some(({ mean }) => Number(mean) > 0);
  }

  /** @returns {KeyEntry[]} */
  makeKey() {
    const eras = splitLooks(this.panels.flatMap(({ rows }) => rows)).filter(({ rows: [{ era }] }) => era);
    const named = this.isSingle ? eras.map(({ look, era }) => ({ words: era, look })) : this.lanes;
    return /** @type {KeyEntry[]} */ ([
      ...named.map(({ words, look }) => ({ words, look, layers: ['across', 'mark'] })),
      ...(this.trials.length ? [{ words: 'a trial', look: TRIAL, layers: ['tick'] }] : []),
      ...keyCriteria(this.panels.map(({ panel }) => panel)),
    ]);
  }

  /** @returns {string[]} */
  sayExceptions() {
    const is = (/** @type {(row: Row, panel: PanelEntry) => boolean} */ holds) =>
      this.panels.some(({ panel, rows }) => rows.some((row) => holds(row, panel)));
    return [
      is((row, panel) => this.isLeast(row, panel)) ? '≥: at least.' : '',
      is(isBelow) ? '–: below what can be measured.' : '',
      is((row, panel) => Boolean(panel.log) && !isBelow(row, panel) && numberOf(row.low) <= 0) ? 'A whisker from the left edge: its interval begins at 0 or below.' : '',
      this.isSingle && this.panels.some(({ panel, rows }) => this.countTrials(panel, rows).size)
        ? '“1 of 3”: so many trials have the number, and a mean of them would be a selection; nothing: none has it.' : '',
    ];
  }

  /** @param {Drawn} drawn @returns {string[]} */
  writePanel({ panel, rows }) {
    const counts = this.isSingle ? this.countTrials(panel, rows) : new Map();
    const said = (/** @type {string | undefined} */ key, /** @type {Lane} */ { where }) => {
      const row = rows.find((each) => this.keyOf(each) === key && matches(each, where));
      if (!row) return key === undefined ? '' : counts.get(key) ?? '-';
      const [low, high] = [row.low, row.high].map((cell) => formatNumber((panel.factor ?? 1) * numberOf(cell)));
      return `${this.sayNumber(row, panel)}${low === '-' ? '' : ` [${low}, ${high}]`}`;
    };
    const head = [panel.axis ?? '', ...this.lanes.map(({ words }) => words)];
    const body = this.lines.map(({ key, words, indent }) =>
      [`${'  '.repeat(indent)}${words}`, ...this.lanes.map((lane) => said(key, lane))]);
    return alignCells([head, ...body]);
  }
}
