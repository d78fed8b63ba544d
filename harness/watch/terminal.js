/** `make watch`: shows another process's run live in the terminal until it ends. */
import { request } from 'node:http';
import { UserError, printable } from '../common/failure.js';
import { formatTable } from '../common/format.js';
import { findAddress } from './address.js';
import { apply, describeRun, emptyState, formatCores, formatMs, formatNumber, latestByHost, listSeconds, sumHosts } from './view.js';

/** @typedef {import('./view.js').State} State */

const REDRAW_MS = 250;
const OUTCOMES_SHOWN = 5;
/** Further hosts appear only in the sum; the page shows them all. */
const HOSTS_SHOWN = 12;
const HISTORY_S = 60;
const BARS = '▁▂▃▄▅▆▇█';
const HEADER = ['host', 'connected', 'due/s', 'sent/s', 'answered/s', 'p50 ms', 'p99 ms', 'CPU, cores'];

/** @param {import('./view.js').Second} second @returns {string[]} cells of a row */
const cellsOf = ({ host, client = {}, cores, established }) => [
  host, formatNumber(client.connected ?? established), ...['due_hz', 'sent_hz', 'received_hz'].map((name) => formatNumber(client[name])),
  formatMs(client.latency_p50_us), formatMs(client.latency_p99_us), formatCores(cores),
];

/** @param {(number | undefined)[]} values @returns {string} a bar for each, scaled from 0 to the maximum */
export function drawBars(values) {
  const most = Math.max(1, ...values.map((value) => value ?? 0));
  return values.map((value) => (value === undefined ? ' ' : BARS[Math.round((value / most) * (BARS.length - 1))])).join('');
}

/** @param {State} state @returns {string[]} lines */
export function draw(state) {
  const { seconds, outcomes, ended } = state;
  const hosts = latestByHost(seconds);
  const lines = describeRun(state);
  if (hosts.length && !ended) {
    const rows = [...hosts.slice(0, HOSTS_SHOWN), ...(hosts.length > 1 ? [sumHosts(hosts)] : [])];
    lines.push('', ...formatTable(HEADER, rows.map(cellsOf)).split('\n'));
    if (hosts.length > HOSTS_SHOWN) lines.push(`and ${hosts.length - HOSTS_SHOWN} more hosts`);
    const history = listSeconds(seconds).slice(-HISTORY_S).map(({ client }) => client?.received_hz);
    if (history.some((value) => value !== undefined)) lines.push('', `answered/s  ${drawBars(history)}`);
    const { warnings } = sumHosts(hosts);
    if (warnings.length) lines.push('', ...warnings.map((warning) => `warning: ${warning}`));
  }
  if (outcomes.length) lines.push('', ...outcomes.slice(-OUTCOMES_SHOWN).map(({ number, total, trial, outcome }) => `[${number}/${total}] ${trial}  ${outcome}`));
  return lines;
}

/** @param {State} state @returns {string[]} lines to print after the run's end */
export function summarise({ run, outcomes, ended }) {
  const others = outcomes.filter(({ outcome }) => outcome !== 'done').map(({ trial, outcome }) => `${trial}: ${outcome}`);
  return [...others, ...(ended?.claims ?? []), ...(run ? [`bundle  ${run.bundle}`] : [])];
}

/** Redraws a state in the same place of a terminal. */
class Screen {
  shown = 0;
  /** @type {NodeJS.Timeout | undefined} pending redraw */
  waiting = undefined;

  /** Shows it soon: several hosts' lines arrive one by one, and are drawn together. @param {State} state */
  show(state) {
    this.waiting ??= setTimeout(() => this.showNow(state), REDRAW_MS);
  }

  /** @param {State} state */
  showNow(state) {
    this.forget();
    const { columns, rows } = process.stdout; // 0 if the terminal's size is unknown
    // A wrapped line takes two rows
    const lines = draw(state).slice(0, (rows || 24) - 1).map((line) => printable(line).slice(0, (columns || 80) - 1));
    process.stdout.write(`${this.shown ? `\x1b[${this.shown}A` : ''}\x1b[0J${lines.join('\n')}\n`);
    this.shown = lines.length;
  }

  forget() {
    clearTimeout(this.waiting);
    this.waiting = undefined;
  }
}

/** Without a terminal: a line each second, and one for each trial. @param {State} state @param {string} event @param {any} data */
function printLine(state, event, data) {
  if (event === 'outcome') console.log(printable(`[${data.number}/${data.total}] ${data.trial}  ${data.outcome}`));
  if (event !== 'second' || data.host !== state.seconds[0].host) return;
  const [, , trial] = describeRun(state);
  const { client = {}, cores, established } = sumHosts(latestByHost(state.seconds));
  console.log(printable([
    trial, `${formatNumber(client.connected ?? established)} connected`, `${formatNumber(client.sent_hz)} sent/s`,
    `${formatNumber(client.received_hz)} answered/s`, `p50 ${formatMs(client.latency_p50_us)} ms`, `p99 ${formatMs(client.latency_p99_us)} ms`, `cores: ${formatCores(cores)}`,
  ].join('  ')));
}

/** @param {NodeJS.ReadableStream} stream of Server-Sent Events, formatted by feed.js @param {(event: string, data: any) => void} take */
export async function readEvents(stream, take) {
  let text = '';
  for await (const part of stream.setEncoding('utf8')) {
    const events = (text + part).split('\n\n');
    text = events.pop() ?? '';
    for (const each of events) {
      const [, event, data] = /^event: (.*)\ndata: (.*)$/.exec(each) ?? [];
      if (event) take(event, JSON.parse(data));
    }
  }
}

/** @param {string} url @returns {Promise<import('node:http').IncomingMessage>} @throws {UserError} if no run answers there */
function connect(url) {
  return new Promise((resolve, reject) => {
    const fail = (/** @type {string} */ why) => reject(new UserError(`watch: ${url} ${why}: the run that was there is over, or was killed; start one, or go on with RESUME=1`));
    request(`${url}events`, (response) => {
      if (response.statusCode === 200 && response.headers['content-type'] === 'text/event-stream') resolve(response);
      else fail('is of something else');
    }).on('error', (/** @type {NodeJS.ErrnoException} */ error) => fail(`does not answer (${error.code})`)).end();
  });
}

/** Follow the current run to its end. @returns {Promise<number>} exit code: 1 if the run was killed @throws {UserError} if nothing runs */
export async function watchRun() {
  const url = findAddress();
  const stream = await connect(url);
  const screen = process.stdout.isTTY ? new Screen() : undefined;
  console.log(`${url} shows the same as a page; Ctrl-C leaves the run alone`);
  let state = emptyState();
  let isOver = false;
  await readEvents(stream, (event, data) => {
    if (event === 'state') state = data;
    else if (event === 'over') isOver = true;
    else apply(state, event, data);
    if (!screen) printLine(state, event, data);
    else if (event === 'ended' || event === 'state') screen.showNow(state);
    else screen.show(state);
    if (event !== 'ended') return;
    console.log(printable(summarise(state).join('\n'), Infinity));
    if (screen) screen.shown = 0; // another experiment may follow
  }).catch(() => {}); // the stream of a killed run breaks off
  screen?.forget();
  if (!isOver) console.error('error: watch: the run ended without a word: it was killed; go on with RESUME=1');
  return isOver ? 0 : 1;
}
