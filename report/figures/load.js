/** CPU of each thread (or process, without thread data) over time, and the connections: the thesis's figures 3.1 to 3.14. */
import { extent, median as medianOf, sum as sumOf } from 'd3-array';
import { GUIDE, ROLE_ORDER, lookOfProcess, lookOfThread } from './looks.js';
import { writeSeries } from './lines.js';
import { keyOf, matches, numberOf } from './source.js';
import { tellRange } from './words.js';

/** @import { KeyEntry, Kind, Layer, Mark, Panel, Series } from './chart.js' */
/** @import { Entry, PanelEntry } from './entries.js' */
/** @import { Row, Source } from './source.js' */
/** @typedef {{levels: Record<string, number | undefined>, rows: Row[], head: string, note: string, from: number, to: number}} Point */

/** Heights of the panels for one row of points, and for two. */
const HEIGHTS = [{ cpu: 96, connections: 60 }, { cpu: 82, connections: 44 }];
/** Panels side by side. */
const ABREAST_MOST = 4;
/** With more threads or processes, none has a band. */
const NAMED_MOST = 7;
/** More processes of a role are merged into one line, with a band from the idlest to the busiest. */
const ALIKE_MOST = 4;
const MERGED = / 1 to \d+/;
/** A panel with a peak below this share of the common scale has its own scale. */
const FLAT = 0.2;
/** % of a core. Processes that never use more are summed. Threads that use less on average already are (analysis/trials/samples.js). */
const SUMMED_BELOW = 1;
/** `top` reports the use since its previous reading: a value belongs to the middle of that second. */
const SINCE_S = 0.5;
const SUMMED = `those under ${SUMMED_BELOW} %, summed`;
const HELD = { colour: '#000000', mark: 0, dash: 1 };

/** @type {Kind} */
export function makeLoad(entry, source) {
  const wanted = /** @type {PanelEntry[]} */ (Array.isArray(entry.panels) ? entry.panels : []);
  const all = wanted.flatMap((panel) => readPoints(panel, entry, source));
  if (all.length === 0) return undefined;
  const points = all.slice(0, HEIGHTS.length * ABREAST_MOST);
  const chunks = Math.ceil(points.length / ABREAST_MOST);
  const columns = Math.ceil(points.length / chunks);
  const isCrowded = new Set(points.flatMap(({ rows }) => rows.filter(isCpu).map(nameOf))).size > NAMED_MOST;
  const panels = Array.from({ length: chunks }, (_, row) => points.slice(row * columns, (row + 1) * columns)).flatMap((chunk) =>
    ['server', 'client', 'connections'].flatMap((side) => Array.from({ length: columns }, (_, column) =>
      chunk[column] && makePanel(chunk[column], side, isCrowded, points, HEIGHTS[chunks - 1]))));
  return {
    panels,
    columns,
    key: makeKey(panels),
    caption: [...sayCaption(entry, points, all.length, isCrowded, panels.some((panel) => panel?.series.some(({ words }) => MERGED.test(words)))), hasOwnScales(panels) ? 'Panels that would be flat have a scale of their own.' : ''],
    text: panels.flatMap((panel) =>
      (panel ? writeSeries([panel.head, panel.note, panel.y.title].filter(Boolean).join(', '), 'time, s', panel.series) : [])),
  };
}

/** @param {Entry} entry @param {Point[]} points @param {number} count @param {boolean} isCrowded @param {boolean} isMerged */
function sayCaption({ caption = '' }, points, count, isCrowded, isMerged) {
  const trials = tellRange(points.flatMap(({ rows }) => rows.map(({ n }) => Number(n))));
  const isByThread = points.some(({ rows }) => rows.some(({ thread }) => thread));
  const merged = isMerged ? `; of more than ${ALIKE_MOST} of a role the median, shaded from the idlest to the busiest` : '';
  const each = `a line for each ${isByThread ? 'thread' : 'process'}${merged}`;
  const lines = isCrowded ? each : 'shaded: from the least to the most of them';
  return [
    caption,
    trials === '1' ? `One trial, sampled each second by top${isMerged ? `; ${each}` : ''}.` : `Medians of ${trials} trials, sampled each second by top; ${lines}.`,
    isByThread ? `Threads that use under ${SUMMED_BELOW} % of a core on average are summed.` : '',
    'Grey ground: the measuring window. The client’s recorder is left out.',
    points.some(({ levels }) => levels.server ?? levels.client) ? 'Published: at the source’s own load, on its machine.' : '',
    count > points.length ? `Left out, but in load.tsv: ${count - points.length} of the points.` : '',
  ];
}

/** @param {Row} row */
const isCpu = ({ quantity, process }) => quantity === 'cpu_pct' && !process.startsWith('recorder');

/** @param {Row} row @returns {string} the first thread has the name of its process */
const nameOf = ({ process, thread = 'main' }) => (thread === 'main' || thread === 'others' ? process : `${process}, ${thread}`);

/** @param {PanelEntry} panel @param {Entry} entry @param {Source} source @returns {Point[]} */
function readPoints(panel, entry, source) {
  const where = { ...entry.where, ...panel.where };
  const threads = source.select('threads', where);
  const load = source.select('load', where);
  const rows = threads.length ? [...threads, ...load.filter((row) => !isCpu(row))] : load;
  const groups = [...Map.groupBy(rows, (row) => keyOf(row)).values()];
  const isOneSetting = new Set(rows.map((row) => keyOf(row, ['engine', 'setting']))).size === 1;
  const levelOf = (/** @type {string} */ side) => (panel.published ? source.publishedPct(panel.published, side) : undefined);
  return groups.map((own) => {
    const [{ engine, workload, setting }] = own;
    const planned = source.plan.find((row) => matches(row, { engine, workload, setting }));
    const to = numberOf(planned?.to_s);
    const isNamed = panel.head !== undefined && isOneSetting; // then its workload alone tells it from the others
    const isOfSeveral = isNamed ? groups.length > 1 : source.spec.axes.workload.length > 1;
    const note = [isOfSeveral ? workload : '', isNamed ? '' : source.settingOf(own[0])].filter(Boolean).join(', ');
    return {
      levels: { server: levelOf('server'), client: levelOf('client') },
      head: panel.head ?? source.titleOf(engine),
      note,
      rows: own.filter(({ t_s: time }) => Number(time) <= to),
      from: numberOf(planned?.from_s),
      to,
    };
  });
}

/**
 * @param {Point} point @param {string} side @param {boolean} isCrowded @param {Point[]} points all those drawn
 * @param {{cpu: number, connections: number}} heights @returns {Panel}
 */
function makePanel(point, side, isCrowded, points, heights) {
  const { levels, rows, head, note, from, to } = point;
  const isHeld = side === 'connections';
  const level = levels[side];
  const [own, most] = [peakOf(point, side), Math.max(...points.map((each) => peakOf(each, side)))];
  return {
    head: side === 'server' ? head : '',
    note: side === 'server' ? note : '',
    height: isHeld ? heights.connections : heights.cpu,
    x: { title: isHeld ? 'time, s' : '', from: 0, to },
    y: { title: isHeld ? 'connections' : `${side}: CPU, % of a core`, from: 0, to: 1.06 * (own < FLAT * most ? own : most) },
    series: (isHeld ? listHeld : listLines)(rows.filter(isOf(side)), isCrowded),
    guides: level ? [{ along: 'y', at: level }] : [],
    grounds: [{ along: 'x', from, to }],
  };
}

/** @param {string} side @returns {(row: Row) => boolean} does the row belong to such a panel? */
const isOf = (side) => (row) => (side === 'connections' ? row.quantity === 'connected' : isCpu(row) && row.side === side);

/** @param {Point} point @param {string} side @returns {number} its maximum, or the published one if higher */
const peakOf = ({ rows, levels }, side) => Math.max(1, levels[side] ?? 0, ...rows.filter(isOf(side)).map(({ most }) => Number(most)));

/** @param {(Panel | undefined)[]} panels @returns {boolean} */
function hasOwnScales(panels) {
  const axes = panels.flatMap((panel) => panel?.y ?? []);
  return axes.some(({ title, to }) => axes.some((other) => other.title === title && other.to !== to));
}

/** @param {Row[]} rows @returns {Series[]} */
const listHeld = (rows) => [
  { look: HELD, words: 'connections', layers: ['line'], marks: rows.map((row) => ({ x: Number(row.t_s), y: Number(row.median) })) },
];

/** @param {Row[]} rows of a side @param {boolean} isCrowded @returns {Series[]} */
function listLines(rows, isCrowded) {
  const byName = [...Map.groupBy(rows, nameOf)];
  const isIdle = (/** @type {Row[]} */ own) => own[0].thread === 'others' || own.every(({ most }) => Number(most) < SUMMED_BELOW);
  const idle = byName.filter(([, own]) => isIdle(own)).flatMap(([, own]) => own);
  const isSummed = idle.some(({ thread }) => thread) || new Set(idle.map(nameOf)).size > 1;
  const named = (isSummed ? byName.filter(([, own]) => !isIdle(own)) : byName).sort(([a], [b]) => roleOf(a) - roleOf(b));
  /** @type {Series[]} */
  const series = [...Map.groupBy(named, ([, own]) => lookOf(own[0]))].flatMap(([look, alike]) =>
    alike.length > ALIKE_MOST
      ? [{ look, words: nameAll(alike), layers: ['band', 'line'], marks: merge(alike.flatMap(([, own]) => own)) }]
      : alike.map(([words, own]) => ({ look, words, layers: isCrowded ? ['line'] : ['band', 'line'], marks: own.map(markOf) })));
  if (!isSummed) return series;
  const marks = bySecond(idle).map(([x, values]) => ({ x, y: sumOf(values) }));
  return [...series, { look: lookOfProcess(SUMMED), words: SUMMED, layers: ['line'], marks }];
}

/** @param {[string, Row[]][]} alike processes of a role, or threads @returns {string} such as "worker 1 to 21" */
const nameAll = ([[first], ...others]) =>
  `${first.split(' ')[0]} 1 to ${1 + others.length}${first.includes(', ') ? ', threads' : ''}`;

/** @param {Row[]} rows of several processes @returns {[x: number, values: number[]][]} what each uses, by second */
const bySecond = (rows) => [...Map.groupBy(rows, ({ t_s: time }) => Number(time) - SINCE_S)]
  .map(([x, own]) => [x, own.map(({ median }) => Number(median))]);

/** @param {Row[]} rows of several processes @returns {Mark[]} */
const merge = (rows) => bySecond(rows).map(([x, values]) => {
  const [y_low, y_high] = /** @type {[number, number]} */ (extent(values));
  return { x, y: Number(medianOf(values)), y_low, y_high };
});

/** @param {Row} row */
const lookOf = ({ side, process, thread = 'main' }) => (thread === 'main' ? lookOfProcess(process) : lookOfThread(side));

/** @param {string} process @returns {number} */
const roleOf = (process) => (ROLE_ORDER.indexOf(process.split(' ')[0]) + ROLE_ORDER.length + 1) % (ROLE_ORDER.length + 1);

/** @param {Row} row @returns {Mark} */
const markOf = (row) =>
  ({ x: Number(row.t_s) - SINCE_S, y: Number(row.median), y_low: Number(row.least), y_high: Number(row.most) });

/** @param {(Panel | undefined)[]} panels @returns {KeyEntry[]} an entry for each look */
function makeKey(panels) {
  /** @type {Layer[]} */
  const layers = ['line'];
  const series = panels.flatMap((panel) => (panel && panel.y.title !== 'connections' ? panel.series : []));
  const named = [...Map.groupBy(series, ({ look }) => look)].map(([look, own]) => {
    const names = [...new Set(own.map(({ words }) => words))];
    return { words: sayLook(names), look, layers, place: roleOf(names[0]) };
  });
  const levels = panels.some((panel) => panel?.guides?.length) ? [{ words: 'published', look: GUIDE, layers }] : [];
  return [...named.sort((a, b) => a.place - b.place), ...levels];
}

/** @param {string[]} names of the lines of a look @returns {string} */
function sayLook(names) {
  const [first] = names;
  if (names.length === 1) return first;
  const roles = [...new Set(names.map((name) => name.split(' ')[0]))].join(', ');
  return first.includes(', ') ? `further threads of each ${roles}` : `each ${roles}`;
}
