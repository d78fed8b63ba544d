// @ts-nocheck: runs in the report's page alone, where the document and uPlot are, after the functions of format.js and scale.js
/* global document, window, uPlot, ResizeObserver, numberOrNull, describePoint, makeScale, placeEstimate */
/** Adds to a report a filter of verdicts, and interactive figures of every table (mouse, touch, keyboard). */

/** One for each round of the colours. */
const DASHES = [[], [5, 3], [1, 3], [10, 4], [10, 4, 1, 4]];
const COLOURS = ['#0060a8', '#c04000', '#007a5e', '#8a4b9e', '#8a6d00', '#1b1f24', '#c2388b', '#5a6b7b'];
const PLOT_HEIGHT_PX = 220;

/** @param {string} packed @returns {Promise<string>} */
function unpack(packed) {
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).text();
}

/** @param {string} tag @param {Record<string, any>} [given] @param {(Node | string)[]} [children] */
function make(tag, given = {}, children = []) {
  const element = Object.assign(document.createElement(tag), given);
  element.append(...children);
  return element;
}

const unique = (/** @type {any[]} */ list) => [...new Set(list)];

// --- verdicts

function filterVerdicts(form) {
  const wanted = Object.fromEntries(['document', 'era', 'verdict', 'search'].map((name) => [name, form.elements[name].value.trim()]));
  const search = wanted.search.toLowerCase();
  const isId = /^[a-z]\d+$/.test(search); // T1 is not T10
  let [shown, all] = [0, 0];
  for (const claim of document.querySelectorAll('.claim')) {
    const isOf = (!wanted.document || claim.dataset.document === wanted.document) 
      && (isId ? claim.id.toLowerCase() === `claim-${search}` : claim.dataset.search.includes(search));
    for (const era of claim.querySelectorAll('.era')) {
      const fits = isOf && (!wanted.era || era.dataset.era === wanted.era) && (!form.elements.differs?.checked || 'differs' in era.dataset)
        && (!wanted.verdict || era.dataset.verdicts.split(' ').includes(wanted.verdict));
      era.hidden = !fits;
      all += 1;
      shown += fits ? 1 : 0;
    }
    claim.hidden = !claim.querySelector('.era:not([hidden])');
  }
  form.querySelector('.shown').textContent = shown === all ? `All ${all} verdicts.` : `${shown} of ${all} verdicts.`;
}

// --- tables

/** @param {{names: string[], columns: number[][], words: string[]}} squeezed @returns {Record<string, string>[]} */
const expand = ({ names, columns, words }) => columns[0].map((_, row) =>
  Object.fromEntries(names.map((name, at) => [name, words[columns[at][row]]])));

const estimateOf = (row) => ({ mean: numberOrNull(row.mean), low: numberOrNull(row.low), high: numberOrNull(row.high) });
const nameOf = ({ workload, setting }) => [workload, setting].filter((part) => part !== '-').join(', ');
const isSame = (a) => (b) => a.engine === b.engine && a.workload === b.workload && a.setting === b.setting;

class Explorer {
  /** @param {string[]} [own] metrics of a figure, listed first */
  constructor(holder, tables, own = []) {
    this.holder = holder;
    this.tables = tables;
    const { points, flagged } = tables;
    const stands = new Set(points.map((row) => [row.engine, row.workload, row.setting].join('|')));
    const instead = flagged.filter((row) => !stands.has([row.engine, row.workload, row.setting].join('|'))).map((row) => ({ ...row, isFlagged: true }));
    this.points = [...points, ...instead];
    const all = unique(this.points.map(({ metric }) => metric)).sort();
    const metrics = unique([...own.filter((metric) => all.includes(metric)), ...all]);
    const first = [...own, ...tables.judged, 'server_cpu_s_per_1k'].find((metric) => metrics.includes(metric)) ?? metrics[0];
    this.metric = this.choice('Number', metrics, first);
    this.workload = this.choice('Load', ['all', ...unique(this.points.map(({ workload }) => workload))], 'all');
    this.definition = make('p', { className: 'meta definition' });
    this.list = make('ul', { className: 'points' });
    this.chosen = make('div', { className: 'chosen' });
    holder.append(make('div', { className: 'choose' }, [this.metric.label, this.workload.label]), this.definition, this.list, this.chosen);
    this.show();
  }

  choice(text, values, first) {
    const select = make('select', {}, values.map((value) => make('option', { value, textContent: value })));
    select.value = first;
    select.addEventListener('change', () => this.show());
    return { select, label: make('label', {}, [text, select]) };
  }

  show() {
    const [metric, workload] = [this.metric.select.value, this.workload.select.value];
    const rows = this.points.filter((row) => row.metric === metric && (workload === 'all' || row.workload === workload));
    const scale = makeScale(rows.flatMap((row) => Object.values(estimateOf(row))));
    this.definition.textContent = this.tables.definitions[metric] ?? '';
    this.list.replaceChildren(...rows.map((row) => make('li', {}, [this.pointOf(row, scale)])));
    this.chosen.replaceChildren();
    if (rows.length === 0) this.list.append(make('li', { textContent: 'No trial has this number.' }));
  }

  pointOf(row, scale) {
    const place = placeEstimate(estimateOf(row), scale);
    const value = `${describePoint(row, this.points.filter(isSame(row)))}${row.isFlagged ? '*' : ''}`;
    const strip = make('span', { className: 'strip' });
    if (place) {
      const interval = make('i', { className: 'interval' });
      const mean = make('i', { className: `mean${row.isFlagged ? ' open' : ''}` });
      Object.assign(interval.style, { left: `${place.left}%`, width: `${place.width}%` });
      mean.style.left = `${place.mean}%`;
      strip.append(interval, mean);
    }
    const button = make('button', { className: 'point', type: 'button', title: `${row.metric} ${row.mean} [${row.low}, ${row.high}], n ${row.n}` }, [
      make('span', {}, [make('b', { textContent: row.engine }), ' ', make('span', { className: 'meta', textContent: nameOf(row) })]),
      strip,
      make('span', { className: 'value', textContent: `${value} n ${row.n}${row.isFlagged ? ' flagged' : ''}` }),
    ]);
    Object.assign(button.dataset, { engine: row.engine, workload: row.workload, setting: row.setting, metric: row.metric });
    button.setAttribute('aria-pressed', 'false');
    button.addEventListener('click', () => this.choose(button, row));
    return button;
  }

  choose(button, row) {
    for (const other of this.list.querySelectorAll('.point')) other.setAttribute('aria-pressed', String(other === button));
    const trials = this.tables.trials.filter((trial) => trial.metric === row.metric && isSame(row)(trial));
    const load = this.tables.load.filter(isSame(row));
    this.chosen.replaceChildren(make('p', { className: 'subhead', textContent: `${row.engine}${nameOf(row) && `, ${nameOf(row)}`}: ${row.metric}, trial by trial` }));
    if (trials.length) this.plotTrials(trials, row.metric);
    else this.chosen.append(make('p', { className: 'meta', textContent: 'Its single trials are not in this report.' }));
    if (load.length) this.plotLoad(load);
  }

  plotTrials(trials, metric) {
    const inOrder = [...trials].sort((a, b) => Number(a.block) - Number(b.block));
    const series = [{ label: 'block' }, { label: metric, stroke: COLOURS[0], paths: () => null, points: { show: true, size: 9, fill: COLOURS[0] } }];
    const numbers = ['block', 'value'].map((column) => inOrder.map((trial) => Number(trial[column])));
    this.plot(series, numbers, { incrs: [1, 2, 5, 10, 20, 50], label: 'block' });
  }

  plotLoad(load) {
    this.chosen.append(make('p', { className: 'subhead', textContent: 'CPU of each process, second by second (% of a core; medians over trials). Drag to look closer, click twice to go back.' }));
    const cpu = load.filter(({ quantity }) => quantity === 'cpu_pct');
    const processes = unique(cpu.map(({ side, process }) => `${side} ${process}`));
    const seconds = unique(cpu.map(({ t_s }) => Number(t_s))).sort((a, b) => a - b);
    const lines = processes.map((name) => {
      const own = new Map(cpu.filter(({ side, process }) => `${side} ${process}` === name).map(({ t_s, median }) => [Number(t_s), Number(median)]));
      return seconds.map((second) => own.get(second) ?? null);
    });
    const lookOf = (at) => ({ stroke: COLOURS[at % COLOURS.length], dash: DASHES[Math.floor(at / COLOURS.length) % DASHES.length] });
    const series = processes.map((label, at) => ({ label, width: 1.5, spanGaps: true, ...lookOf(at) }));
    this.plot([{ label: 's' }, ...series], [seconds, ...lines], { label: 'seconds' });
  }

  plot(series, data, axis) {
    const holder = make('div', { className: 'plot' });
    this.chosen.append(holder);
    const widthOf = () => Math.max(240, holder.clientWidth - 10);
    const chart = new uPlot({
      width: widthOf(), height: PLOT_HEIGHT_PX, series, scales: { x: { time: false } }, axes: [{ ...axis, labelSize: 20 }, { size: 64 }],
    }, data, holder);
    chart.root.querySelector('.u-legend')?.setAttribute('tabindex', '0');
    new ResizeObserver(() => chart.setSize({ width: widthOf(), height: PLOT_HEIGHT_PX })).observe(holder);
  }
}

async function tablesOf(details) {
  const { judged, definitions, ...squeezed } = JSON.parse(await unpack(details.dataset.tables));
  return { ...Object.fromEntries(Object.entries(squeezed).map(([name, table]) => [name, expand(table)])), judged, definitions };
}

async function openExplorer(details) {
  const holder = details.querySelector('.explorer');
  if (holder.childElementCount) return;
  new Explorer(holder, await tablesOf(details));
  details.dataset.ready = 'yes';
}

/** Toggle between the picture of a figure and its interactive numbers. */
async function swapFigure(button) {
  const figure = button.closest('figure');
  const image = figure.querySelector('img');
  if (!figure.querySelector('.explorer')) {
    const holder = make('div', { className: 'explorer', hidden: true });
    figure.prepend(holder);
    new Explorer(holder, await tablesOf(figure.closest('.side').querySelector('.explore')), button.dataset.metrics.split(',').filter(Boolean));
  }
  image.hidden = !image.hidden;
  figure.querySelector('.explorer').hidden = !image.hidden;
  for (const name of ['numbers', 'wide']) figure.classList.toggle(name, image.hidden);
  if (image.hidden) figure.querySelector('.point')?.click();
  button.textContent = image.hidden ? 'Show it as it was drawn' : 'Look up its numbers';
}

/** Open the details that the address points to. */
const openTarget = () => {
  const target = window.location.hash && document.getElementById(window.location.hash.slice(1));
  if (target?.tagName === 'DETAILS') target.open = true;
};

// --- the page

document.documentElement.classList.replace('plain', 'lively');
const form = document.querySelector('.filters');
form.addEventListener('input', () => filterVerdicts(form));
form.addEventListener('submit', (event) => event.preventDefault());
filterVerdicts(form);
for (const details of document.querySelectorAll('.explore')) details.addEventListener('toggle', () => details.open && openExplorer(details));
for (const image of document.querySelectorAll('img[data-packed]')) {
  unpack(image.dataset.packed).then((svg) => { image.src = window.URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' })); });
}
for (const button of document.querySelectorAll('.swap')) button.addEventListener('click', () => swapFigure(button));
window.addEventListener('hashchange', openTarget);
openTarget();
for (const image of document.querySelectorAll('figure img')) image.addEventListener('click', () => image.parentElement.classList.toggle('wide'));
