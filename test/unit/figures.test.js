/** Rules for all figures: few series, which look different; axes with ticks, which begin near the data. */
import assert from 'node:assert/strict';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ROOT, recordOf } from '../../harness/common/places.js';
import { makeAxis } from '../../report/figures/axes.js';
import { writeForGnuplot } from '../../report/figures/draw.js';
import { readEntries } from '../../report/figures/entries.js';
import { KINDS } from '../../report/figures/kinds.js';
import { HIGHEST, layOut } from '../../report/figures/layout.js';
import { GUIDES, PALE, SERIES } from '../../report/figures/looks.js';
import { Source } from '../../report/figures/source.js';
import { FACES, formatBytes, formatNumber, formatTick, widthOf, wrap } from '../../report/figures/words.js';
import { prepareFigures } from '../../report/figures.js';
import { listKept } from '../../harness/records/sources.js';
import { inspectValue } from '../../harness/spec/manifest.js';
import { listExperiments } from '../../harness/spec/spec.js';

/** @typedef {import('../../report/figures.js').Figure} Figure */
/** @typedef {import('../../report/figures/axes.js').Axis} Axis */

const NAMED_MOST = 8;
/** If an axis does not begin at 0, the smallest value lies within this share of its length from its start. */
const NEAR = 0.34;

/** @type {Figure[]} */
const figures = [];
for (const { experiment, profile } of listKept()) {
  for (const figure of await prepareFigures(recordOf(experiment, profile))) figures.push({ ...figure, name: `${experiment}/${figure.name}` });
}
const drawn = figures.filter(({ chart }) => chart.panels.length > 0);

test('there are figures of every record', () => {
  assert.ok(drawn.length > 40, `${drawn.length}`);
  const without = listKept().filter(({ experiment }) => !figures.some(({ name }) => name.startsWith(experiment)));
  assert.deepEqual(without, []);
});

/** @param {import('../../report/figures/chart.js').KeyEntry[]} key @returns {string[]} what is wrong with it */
function findAlike(key) {
  const named = key.filter(({ look }) => !GUIDES.includes(look) && look !== PALE);
  const signs = key.map(({ look: { colour, mark, dash }, layers }) =>
    [colour, layers.includes('mark') ? mark : '', layers.includes('line') ? dash : ''].join());
  return [
    ...(named.length > NAMED_MOST ? [`${named.length} series are named`] : []),
    ...key.filter((_, index) => signs.indexOf(signs[index]) !== index).map(({ words }) => `"${words}" looks as another`),
  ];
}

test('at most eight series of a figure are named, and no two of them look alike', () => {
  const found = drawn.map(({ name, chart }) => [name, findAlike(chart.key)]).filter(([, wrong]) => wrong.length > 0);
  assert.deepEqual(found, []);
  const look = { colour: '#000000', mark: 7, dash: 1 };
  assert.deepEqual(findAlike([{ words: 'a', look, layers: ['mark'] }, { words: 'b', look: { ...look, dash: 2 }, layers: ['mark'] }]), ['"b" looks as another']);
});

/** @param {Axis} axis @param {number[]} values along it @returns {string[]} what is wrong with it */
function findBare({ from, to, isLog, ticks }, values) {
  const scale = (/** @type {number} */ value) => (isLog ? Math.log(value) : value);
  const finite = values.filter((value) => Number.isFinite(value) && (!isLog || value > 0));
  const share = (scale(Math.min(...finite)) - scale(from)) / (scale(to) - scale(from));
  const inside = ticks.filter(({ at }) => at >= from && at <= to);
  return [
    ...(inside.length < 2 ? [`${inside.length} tick(s)`] : []),
    ...(from !== 0 && share > NEAR ? [`begins at ${from}, the data at ${Math.min(...finite)}`] : []),
  ];
}

test('every panel of a figure has an axis with ticks that begins where the data do, or at 0', () => {
  const panels = drawn.flatMap(({ name, title, caption, chart }) =>
    layOut(chart, { title, caption }).panels.map((placed) => ({ name, ...placed })));
  const found = panels.filter(({ isFramed }) => isFramed).flatMap(({ name, x, y, panel }) => {
    const marks = panel.series.flatMap((series) => series.marks);
    const criteria = (panel.guides ?? []).filter(({ along }) => along === 'x').map(({ at }) => at); // axes cover them
    const across = findBare(x, [...criteria, ...marks.flatMap((mark) => [mark.x, mark.x_low ?? NaN])]);
    const down = panel.labels ? [] : findBare(y, marks.flatMap((mark) => [mark.y, mark.y_low ?? NaN]));
    return [...across, ...down].map((wrong) => `${name}, ${panel.head || panel.y.title || panel.x.title}: ${wrong}`);
  });
  assert.deepEqual(found, []);
  assert.deepEqual(findBare({ title: '', isLog: false, from: 1, to: 101, ticks: [{ at: 50, words: '50' }] }, [51]), ['1 tick(s)', 'begins at 1, the data at 51']);
});

test('no figure is higher than 1.5 times its width, and a title takes at most two lines', () => {
  for (const { name, title, caption, chart } of drawn) {
    assert.ok(layOut(chart, { title, caption }).height <= HIGHEST, name);
    assert.ok(wrap(title, 624, FACES.title).length <= 2, name);
  }
});

test('a caption has no words that only this suite knows', () => {
  for (const { name, caption } of figures) assert.doesNotMatch(caption.join(' '), /COMPRESSED|spec\.json|tables\.js|mixes\.js/, name);
});

test('a reduced load is named beside the source\'s numbers', () => {
  const { caption } = /** @type {Figure} */ (figures.find(({ name }) => name === '03-engineio-vs-socketcluster/latency'));
  assert.match(caption.join(' '), /Reduced load: 600 connections, source 2,400\. Faster opening: 100 a second, source 40\./);
});

test('an error in an entry names its place, and an unknown kind is an error', () => {
  const problemsOf = (/** @type {any} */ entry) => inspectValue({ a: { kind: 'dots', title: 'A', ...entry } }, 'figures', 'figures.toml').problems.join();
  for (const kind of Object.keys(KINDS)) assert.equal(problemsOf({ kind }), '', kind);
  assert.match(problemsOf({ kind: 'pie' }), /figures\.toml: a\.kind.*pie/);
  assert.match(problemsOf({ tittle: 'A' }), /tittle/);
  assert.match(problemsOf({ claims: ['T 4'] }), /a\.claims/);
  for (const experiment of listExperiments()) assert.ok(Object.keys(readEntries(experiment)).length > 0, experiment);
});

/** gnuplot functions that compute or read text instead of drawing. */
const DECIDES = /\b(eval|stats|system|strstrt|substr|word|words|awk|sprintf|stringcolumn|smooth|fit)\b(?![_\s]*=)/g;

test('the scripts of the charts only draw: no text is read, no table, and no other program', () => {
  const scripts = globSync('plots/*.gp', { cwd: ROOT }).sort();
  assert.ok(scripts.length >= 7 && scripts.length <= 12, `${scripts}`);
  for (const path of scripts) assert.deepEqual(readFileSync(join(ROOT, path), 'utf8').replaceAll(/^\s*#.*$/gm, '').match(DECIDES) ?? [], [], path);
  assert.deepEqual(globSync('experiments/*/*.gp', { cwd: ROOT }), []);
});

test('an axis has ticks of round numbers, as many as their words have room for, from where its data begin', () => {
  const ticks = (/** @type {Axis} */ axis) => axis.ticks.map(({ words }) => words);
  assert.deepEqual(ticks(makeAxis({ title: '' }, [0, 40], 200, 'across')), ['0', '5', '10', '15', '20', '25', '30', '35', '40']);
  assert.deepEqual(ticks(makeAxis({ title: '' }, [0, 40], 60, 'across')), ['0', '20', '40']);
  assert.deepEqual(ticks(makeAxis({ title: '', isLog: true }, [1, 1000], 200, 'across')), ['1', '3', '10', '30', '100', '300', '1,000']);
  assert.deepEqual(ticks(makeAxis({ title: '', isLog: true }, [1, 1e6], 90, 'across')), ['1', '1,000', '1 M']);
  assert.equal(makeAxis({ title: '' }, [3, 40], 200, 'across').from, 0);
  assert.ok(makeAxis({ title: '' }, [95, 100], 200, 'across').from > 90, 'what differs by little is not seen from 0');
  assert.deepEqual(makeAxis({ title: '', from: 10, to: 20, ticks: [{ at: 15, words: 'half' }, { at: 30, words: 'out' }] }, [11], 200, 'across').ticks, [{ at: 15, words: 'half' }]);
});

test('an axis too short for round numbers has a tick near each end, within its range', () => {
  const wordsOf = (/** @type {number} */ from, /** @type {number} */ to) => makeAxis({ title: '', from, to }, [from, to], 60, 'across').ticks.map(({ words }) => words);
  assert.deepEqual(wordsOf(0.1296, 0.2857), ['0.13', '0.28']);
  assert.deepEqual(wordsOf(0.1304, 0.1396), ['0.131', '0.139'], 'with a third digit where two do not tell them apart');
});

test('numbers have three figures, and ticks are as short as they are exact', () => {
  assert.deepEqual([0.31249, 4.1, 12.34, 25600, 0, NaN, -1234.5].map(formatNumber), ['0.312', '4.10', '12.3', '25,600', '0', '-', '-1,235']);
  assert.deepEqual([0.00199, 0.000199, -0.01996, 1e-5].map(formatNumber), ['0.00199', '0.000199', '-0.0200', '0.000010']);
  assert.deepEqual([0.5, 2500, 25000, 1e6, 12345].map(formatTick), ['0.5', '2,500', '25 k', '1 M', '12,345']);
  assert.deepEqual([125, 1024, 16 * 1024 * 1024].map(formatBytes), ['125 B', '1 KiB', '16 MiB']);
});

test('lines are broken between words, by how wide they are', () => {
  assert.deepEqual(wrap('aaaa bbbb cccc', widthOf('aaaa bbbb')), ['aaaa bbbb', 'cccc']);
  assert.deepEqual(wrap('a-word-without-any-space', 10), ['a-word-without-any-space']);
});

const SPEC = { axes: { engine: ['x'], workload: ['listed'] }, engines: { x: { title: 'X', processes: { worker: 2 } } }, workloads: {}, settings: {} };
/** @param {Record<string, Record<string, unknown>[]>} tables @returns {Source} */
function sourceOf(tables) {
  const asText = (/** @type {Record<string, unknown>} */ row) =>
    Object.fromEntries(Object.entries(row).map(([key, cell]) => [key, String(cell)]));
  const rows = (/** @type {Record<string, unknown>[]} */ list) => list.map(asText);
  const plan = rows(['listed', 'other'].map((workload, point) => ({ engine: 'x', workload, setting: '-', point, from_s: 1, to_s: 3 })));
  return new Source('.', SPEC, plan, () => Object.fromEntries(Object.entries(tables).map(([name, list]) => [name, rows(list)])));
}
const AT = { era: 'today', engine: 'x', workload: 'listed', setting: '-' };

test('a figure of which there are no data is not made', () => {
  const source = sourceOf({ points: [], trials: [], load: [], processes: [], bars: [], browser: [], ranks: [] });
  for (const [kind, { make }] of Object.entries(KINDS)) {
    const table = ['bars', 'counts'].includes(kind) ? 'bars' : undefined;
    assert.equal(make({ kind, title: '', panels: [{ metric: 'a' }], x: { column: 'x' }, table }, source), undefined, kind);
  }
});

test('the busiest process of each trial is ranked first, whichever it is', () => {
  const cores = [['b01', 1, 0.1], ['b01', 2, 0.5], ['b02', 1, 0.7], ['b02', 2, 0.3]];
  const rows = cores.map(([trial, index, cpu_cores]) => ({ ...AT, trial, side: 'server', role: 'worker', index, cpu_cores }));
  const chart = KINDS.processes.make({ kind: 'processes', title: '' }, sourceOf({ processes: rows }));
  const [dots, means] = chart?.panels[0]?.series ?? [];
  assert.deepEqual(dots.marks.map(({ x }) => Number(x.toFixed(6))), [0.6, 0.2]);
  assert.deepEqual(means.marks.map(({ x }) => Number(x.toFixed(6))), [0.4]);
});

/** @param {string} process @param {number} most */
const loadOf = (process, most) =>
  [1, 2].map((t_s) => ({ ...AT, side: 'server', process, quantity: 'cpu_pct', t_s, n: 6, median: most / 2, least: 0, most }));

test('processes that never use one per cent of a core are summed', () => {
  const load = [...loadOf('worker 1', 40), ...loadOf('master 1', 0.8), ...loadOf('store 1', 0.4)];
  const chart = KINDS.load.make({ kind: 'load', title: '', panels: [{}] }, sourceOf({ load }));
  const series = chart?.panels[0]?.series ?? [];
  assert.deepEqual(series.map(({ words }) => words), ['worker 1', 'those under 1 %, summed']);
  assert.deepEqual(series[1].marks.map(({ x, y }) => [x, Number(y.toFixed(6))]), [[0.5, 0.6], [1.5, 0.6]]);
});

test('if threads were recorded each is a line, and the idle ones together are one', () => {
  const threads = [['worker 1', 'main', 40], ['worker 1', 'V8Worker 2', 9], ['others', 'others', 3]].flatMap(([process, thread, most]) =>
    loadOf(String(process), Number(most)).map((row) => ({ ...row, thread })));
  const connected = [1, 2].map((t_s) => ({ ...AT, side: 'client', process: 'connections', quantity: 'connected', t_s, n: 6, median: 7, least: 7, most: 7 }));
  const source = sourceOf({ threads, load: [...loadOf('worker 1', 52), ...connected] });
  const chart = KINDS.load.make({ kind: 'load', title: '', panels: [{}] }, source);
  assert.deepEqual(chart?.panels.map((panel) => panel?.series.map(({ words }) => words)),
    [['worker 1', 'worker 1, V8Worker 2', 'those under 1 %, summed'], [], ['connections']]);
  assert.deepEqual(chart?.panels[0]?.series.map(({ marks }) => marks[0].y), [20, 4.5, 1.5]);
  assert.match(chart?.caption.join(' ') ?? '', /Threads that use under 1 % .* are summed/);
});

test('many processes of a role are one line, in a band from the idlest to the busiest; few are a line each', () => {
  const load = Array.from({ length: 9 }, (_, k) => loadOf(`worker ${k + 1}`, 40)).flat();
  const chart = KINDS.load.make({ kind: 'load', title: '', panels: [{}] }, sourceOf({ load }));
  assert.deepEqual(chart?.key.map(({ words }) => words), ['worker 1 to 9']);
  assert.deepEqual(chart?.panels[0]?.series.map(({ layers }) => layers), [['band', 'line']]);
  assert.match(chart?.caption.join(' ') ?? '', /of more than 4 of a role the median/);
  const few = KINDS.load.make({ kind: 'load', title: '', panels: [{}] }, sourceOf({ load: load.filter(({ process }) => process < 'worker 4') }));
  assert.equal(few?.panels[0]?.series.length, 3);
});

test('a series of which nothing is drawn leaves the others in their places', () => {
  const series = (/** @type {number[]} */ ...places) =>
    ({ look: SERIES[0], words: '', layers: /** @type {import('../../report/figures/chart.js').Layer[]} */ (['mark']), marks: places.map((x) => ({ x, y: x })) });
  const panel = { head: '', x: { title: '' }, y: { title: '' }, height: 100, series: [series(), series(7, 8), series(9)] };
  const folder = mkdtempSync(join(tmpdir(), 'figures-test-'));
  after(() => rmSync(folder, { recursive: true }));
  const layout = layOut({ panels: [panel], columns: 1, key: [], caption: [], text: [] }, { title: '', caption: [] });
  const blocks = readFileSync(writeForGnuplot({ layout, folder, name: 'a' }).data, 'utf8').split('\n\n\n');
  assert.deepEqual(blocks.map((block) => block.trim().split('\n').slice(1).map((line) => line.split('\t')[0])), [['NaN'], ['7', '8'], ['9']]);
});

test('more than eight named series are refused; if a column names them, all beyond eight are pale', () => {
  const rows = Array.from({ length: 9 }, (_, k) => ({ engine: `e${k}`, x: k, mean: 1, low: '-', high: '-' }));
  const entry = { kind: 'lines', title: 'nine', table: 'many', x: { column: 'x' } };
  const series = rows.map(({ engine }) => ({ where: { engine }, words: engine }));
  assert.throws(() => KINDS.lines.make({ ...entry, series }, sourceOf({ many: rows })), /"nine" names more than 8 series; name fewer/);
  const chart = KINDS.lines.make({ ...entry, series: { by: 'engine' } }, sourceOf({ many: rows }));
  assert.deepEqual(chart?.key.map(({ words }) => words), ['others', ...Array.from({ length: 8 }, (_, k) => `e${k}`)]);
  const some = KINDS.lines.make({ ...entry, series: series.slice(0, 3), extra: { others: 'others' } }, sourceOf({ many: rows.slice(1, 5) }));
  assert.deepEqual(some?.key.map(({ words }) => words), ['e3', 'e4', 'e1', 'e2'], 'few others have names');
});

test('a caption has what a series needs said, where it is drawn', () => {
  const rows = [{ engine: 'x', x: 1, mean: 1, low: '-', high: '-' }];
  const series = ['x', 'y'].map((engine) => ({ where: { engine }, words: engine, caption: `Of ${engine}.` }));
  assert.match(KINDS.lines.make({ kind: 'lines', title: '', table: 'some', x: { column: 'x' }, series }, sourceOf({ some: rows }))?.caption.join(' ') ?? '', /Of x\.(?!.*Of y)/);
});

test('a guide is drawn as far as the data go, and its name stands in the key', () => {
  const rows = [1, 2].map((x) => ({ engine: 'x', x, mean: x, low: '-', high: '-' }));
  const series = [{ points: [[0, 0], [9, 9]], words: 'due' }, { where: { engine: 'x' }, words: 'x' }];
  const panels = [{ criterion: [3], criterion_words: 'the source: 3' }];
  const chart = KINDS.lines.make({ kind: 'lines', title: '', table: 'some', x: { column: 'x' }, series: /** @type {any} */ (series), panels }, sourceOf({ some: rows }));
  assert.deepEqual(chart?.key.map(({ words }) => words), ['due', 'x', 'the source: 3']);
  const [{ x, y }] = layOut(/** @type {any} */ (chart), { title: '', caption: [] }).panels.filter(({ isFramed }) => isFramed);
  assert.ok(x.to < 3 && y.to < 4, `${x.to} ${y.to}`);
});

test('a panel that would be flat on the scale of all has one of its own', () => {
  const load = [...loadOf('worker 1', 80), ...loadOf('worker 1', 8).map((row) => ({ ...row, workload: 'other' }))];
  const chart = KINDS.load.make({ kind: 'load', title: '', panels: [{ where: { workload: 'listed' } }, { where: { workload: 'other' } }] }, sourceOf({ load }));
  assert.deepEqual(chart?.panels.slice(0, 2).map((panel) => Math.round(Number(panel?.y.to))), [85, 8]);
  assert.match(chart?.caption.join(' ') ?? '', /flat have a scale of their own/);
});

test('the line of a criterion leaves out the headings of rows', () => {
  const rows = ['listed', 'described'].flatMap((workload) => ['x', 'y'].map((engine) => ({ ...AT, engine, workload, metric: 'm', n: 3, mean: 1, low: '-', high: '-' })));
  const panels = [{ metric: 'm', criterion: [1] }];
  const panel = KINDS.dots.make({ kind: 'dots', title: '', panels }, sourceOf({ points: rows, trials: [] }))?.panels[0];
  const headings = panel?.labels?.filter(({ isHeading }) => isHeading) ?? [];
  assert.equal(panel?.guides?.length, 2);
  for (const { at } of headings) assert.ok(panel?.guides?.every(({ from = 0, to = 0 }) => at < from || at > to));
});

test('the words of a series may say what its rows hold', () => {
  const rows = [{ engine: 'x', x: 1, mean: 1, low: '-', high: '-', load: '40 %' }];
  const entry = { kind: 'lines', title: '', table: 'some', x: { column: 'x' }, series: [{ where: { engine: 'x' }, words: 'X at {load}' }] };
  assert.deepEqual(KINDS.lines.make(entry, sourceOf({ some: rows }))?.key.map(({ words }) => words), ['X at 40 %']);
});

test('a saturation limited by the load is "at least", and a value at or below 0 has no dot on a logarithmic axis', () => {
  const row = (/** @type {string} */ metric, /** @type {number} */ mean) => ({ ...AT, metric, n: 3, mean, low: '-', high: '-' });
  const panels = [{ metric: 'saturation_hz', at_least: 'saturation_at_least' }, { metric: 'memory_b', log: true }];
  const chart = KINDS.dots.make({ kind: 'dots', title: '', panels },
    sourceOf({ points: [row('saturation_hz', 73600), row('saturation_at_least', 1), row('memory_b', -12)], trials: [] }));
  assert.deepEqual(chart?.panels.map((panel) => panel?.numbers?.map(({ words }) => words)), [['≥ 73,600'], ['–']]);
  assert.deepEqual(chart?.panels[1]?.series.flatMap(({ marks }) => marks), []);
  assert.match(chart?.caption.join(' ') ?? '', /≥: at least.*below what can be measured/);
  const plain = KINDS.dots.make({ kind: 'dots', title: '', panels: [{}], table: 'fits', rows: ['engine'] }, sourceOf({ fits: [{ engine: 'x', mean: 1, low: '-', high: '-' }] }));
  assert.doesNotMatch(plain?.caption.join(' ') ?? '', /at least/);
});

test('sorted, engines limited by the load come below the others, and a metric that some trials lack shows their count', () => {
  const row = (/** @type {string} */ engine, /** @type {string} */ metric, /** @type {number} */ mean) => ({ ...AT, engine, metric, n: 3, mean, low: '-', high: '-' });
  const trial = (/** @type {string} */ name, /** @type {string} */ metric) => ({ ...AT, engine: 'x', trial: name, metric, value: 1 });
  const panels = [{ metric: 'saturation_hz', at_least: 'saturation_at_least' }, { metric: 'cost' }];
  const points = [row('x', 'saturation_hz', 90), row('x', 'saturation_at_least', 1), row('y', 'saturation_hz', 5), row('z', 'saturation_hz', 7), row('z', 'cost', 1)];
  const trials = [trial('a', 'cost'), trial('a', 'saturation_hz'), trial('b', 'saturation_hz')];
  const chart = KINDS.dots.make({ kind: 'dots', title: '', sort: true, panels }, sourceOf({ points, trials }));
  assert.deepEqual(chart?.panels[0]?.numbers?.map(({ words }) => words).sort(), ['5.00', '7.00', '≥ 90.0']);
  assert.deepEqual(chart?.panels[0]?.labels?.map(({ lines: [words] }) => words),
    ['the server was full first', 'z', 'y', 'the load was full first: at least so many, in no order', 'X']);
  assert.deepEqual(chart?.panels[1]?.numbers?.map(({ words }) => words), ['1.00', '1 of 2']);
});
