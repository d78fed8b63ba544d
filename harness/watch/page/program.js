// @ts-nocheck: it runs in a browser, in one module with view.js, whose names it uses (live-page.js)
/* global document, EventSource, requestAnimationFrame, window, uPlot */
/* global apply, describeRun, emptyState, formatCores, formatMs, formatNumber, latestByHost, listSeconds, sumHosts */

const ALL = 'all hosts';
const COLOURS = ['#4477aa', '#ee6677', '#228833', '#ccbb44', '#66ccee', '#aa3377', '#888888'];
const HEIGHT_PX = 200;
const OUTCOMES_SHOWN = 50;

let state = emptyState();
let lost = false;
let isDue = false;

const find = (id) => document.getElementById(id);

function make(tag, text, className = '') {
  return Object.assign(document.createElement(tag), { textContent: text, className });
}

/** Each chart has a title, and lines by name, computed from the seconds of the load. */
const CHARTS = [
  ['messages a second', (seconds) => ({
    due: seconds.map(({ client }) => client.due_hz),
    sent: seconds.map(({ client }) => client.sent_hz),
    answered: seconds.map(({ client }) => client.received_hz),
  })],
  ['latency, ms, from when a message was due', (seconds) => Object.fromEntries([50, 99].map((percentile) => (
    [`p${percentile}`, seconds.map(({ client }) => client[`latency_p${percentile}_us`] / 1000)]
  )))],
  ['CPU, cores', (seconds) => {
    const roles = [...new Set(seconds.flatMap(({ cores }) => Object.keys(cores)))];
    return Object.fromEntries(roles.map((role) => [role, seconds.map(({ cores }) => cores[role])]));
  }],
  ['connections', (seconds) => ({ connected: seconds.map(({ client }) => client.connected) })],
].map(([title, lines]) => ({ title, lines, place: find('charts').appendChild(make('div', '')) }));

/** A chart's lines can't change: with others the chart is made anew. */
function draw(chart, seconds) {
  const lines = chart.lines(seconds);
  const names = Object.keys(lines);
  const clean = (values) => values.map((value) => (Number.isFinite(value) ? value : null));
  const data = [seconds.map(({ t_s }) => t_s), ...Object.values(lines).map(clean)];
  if (chart.plot && chart.names === names.join()) return chart.plot.setData(data);
  chart.plot?.destroy();
  chart.names = names.join();
  const axis = { stroke: '#888', grid: { stroke: '#8884', width: 1 }, ticks: { stroke: '#8884' } };
  chart.plot = new uPlot({
    title: chart.title, width: chart.place.clientWidth, height: HEIGHT_PX,
    scales: { x: { time: false }, y: { range: (_, __, most) => [0, most > 0 ? most * 1.05 : 1] } },
    axes: [axis, { ...axis, size: 70 }],
    series: [{ label: 's' }, ...names.map((label, index) => ({ label, stroke: COLOURS[index % COLOURS.length], width: 2, points: { size: 4 } }))],
  }, data, chart.place);
  return undefined;
}

function showHosts() {
  const names = [ALL, ...(state.run?.hosts ?? [])];
  const select = find('host');
  if ([...select.options].map(({ value }) => value).join() === names.join()) return;
  select.replaceChildren(...names.map((name) => Object.assign(make('option', name), { value: name })));
}

const rowOf = (cells) => {
  const row = document.createElement('tr');
  row.append(...cells.map(([text, className]) => make('td', text, className)));
  return row;
};

function showTables() {
  find('hosts').replaceChildren(...latestByHost(state.seconds).map(({ host, client = {}, cores }) => rowOf([
    [host], ...[formatNumber(client.connected), formatNumber(client.sent_hz), formatNumber(client.received_hz),
      formatMs(client.latency_p50_us), formatMs(client.latency_p99_us)].map((text) => [text, 'number']),
    [formatCores(cores)],
  ])));
  find('outcomes').replaceChildren(...state.outcomes.slice(-OUTCOMES_SHOWN).reverse().map(({ trial, outcome, number, total }) => rowOf([
    [`${number} of ${total}`, 'number'], [trial], [outcome, outcome.split(':')[0]],
  ])));
}

function showNow(seconds) {
  const { client = {}, cores = {}, established } = seconds.at(-1) ?? {};
  const used = Object.values(cores).reduce((total, each) => total + each, 0);
  const shown = {
    connections: formatNumber(client.connected ?? established), 'sent a second': formatNumber(client.sent_hz),
    'answered a second': formatNumber(client.received_hz), 'p50, ms': formatMs(client.latency_p50_us),
    'p99, ms': formatMs(client.latency_p99_us), 'cores in use': formatNumber(used, 2),
  };
  find('now').replaceChildren(...Object.entries(shown).map(([name, value]) => {
    const place = make('div', name);
    place.prepend(Object.assign(make('b', value), { id: name.replace(/\W+/g, '-') }));
    return place;
  }));
}

function show() {
  isDue = false;
  const [run, progress, trial] = describeRun(state);
  find('run').textContent = run;
  find('progress').textContent = lost ? `${progress ?? ''} (the run does not answer: it may have been killed)` : progress ?? '';
  find('trial').textContent = trial ?? '';
  document.title = state.run ? `${state.run.experiment}: ${state.ended?.how ?? 'runs'}` : 'wscale';
  showHosts();
  const host = find('host').value;
  const seconds = listSeconds(state.seconds, host === ALL ? undefined : host);
  find('warnings').textContent = state.seconds.length ? sumHosts(latestByHost(state.seconds)).warnings.map((warning) => `warning: ${warning}`).join(', ') : '';
  showNow(seconds);
  CHARTS.forEach((chart) => draw(chart, seconds));
  showTables();
  for (const claim of state.ended?.claims ?? []) find('outcomes').append(rowOf([[''], ['claim'], [claim]]));
}

/** Draws at most once per frame, however many events arrive. */
function showSoon() {
  if (isDue) return;
  isDue = true;
  requestAnimationFrame(show);
}

const events = new EventSource('/events');
const take = (name, change) => events.addEventListener(name, ({ data }) => {
  lost = false;
  change(JSON.parse(data));
  showSoon();
});
take('state', (whole) => { state = whole; });
for (const name of ['run', 'trial', 'second', 'outcome', 'ended']) take(name, (data) => apply(state, name, data));
take('over', () => events.close());
events.onerror = () => {
  lost = !state.ended;
  showSoon();
};
find('host').addEventListener('change', showSoon);
window.addEventListener('resize', () => CHARTS.forEach(({ plot, place }) => plot?.setSize({ width: place.clientWidth, height: HEIGHT_PX })));
