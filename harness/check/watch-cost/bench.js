/**
 * `make bench-watch`: measures the CPU cost of watching a run over 1, 10 and 100 hosts. Coordinator, agent and terminal run their real code
 * in separate processes, on invented data. Writes the results into docs/watch.md.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { get } from 'node:http';
import { createServer } from 'node:net';
import os from 'node:os';
import { join, relative } from 'node:path';
import { UserError } from '../../common/failure.js';
import { formatMarkdownTable } from '../../common/format.js';
import { writePart } from '../../common/marks.js';
import { ROOT } from '../../common/places.js';
import { makeTemporary } from '../../common/temporary.js';
import { sleep } from '../../common/timers.js';
import { findMean, intervalOf } from '../../../analysis/statistics/intervals.js';
import { wrapWords } from '../../common/prose.js';

/** @typedef {{hosts: number, who: string, percent: number}} Found Result of one repeat, in % of a core */

const HOSTS = [1, 10, 100];
/** The watched processes, and the watcher. */
const WHO = ['coordinator', 'each agent', 'make watch'];
/** Warm-up: compilation and connections are not measured. */
const WARM_S = 4;
const WINDOW_S = 10;
const REPEATS = 5;
const PAGE = join(ROOT, 'docs', 'watch.md');
export const PART = 'by make bench-watch';

class MeasuredProgram {
  /** @param {string[]} argv @param {string} results its own folder */
  constructor(argv, results) {
    this.child = fork(join(import.meta.dirname, 'measured-program.js'), argv, {
      cwd: ROOT, env: { ...process.env, WSCALE_RESULTS: results }, stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    /** Address to ask it at, once it runs. */
    this.url = this.#hear().then(({ url }) => url);
  }

  /** @returns {Promise<any>} its next message @throws {UserError} if it ends */
  async #hear() {
    const [said] = await Promise.race([once(this.child, 'message'), once(this.child, 'exit').then(() => [])]);
    if (said) return said;
    throw new UserError('bench-watch: what is to be measured has ended; read its error above');
  }

  /** @returns {Promise<{at_s: number, cpu_s: number}>} */
  async read() {
    this.child.send('cpu');
    const { cpu_s } = await this.#hear();
    return { at_s: performance.now() / 1000, cpu_s };
  }

  async end() {
    this.child.disconnect();
    await once(this.child, 'exit');
  }
}

async function findFreePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  await server[Symbol.asyncDispose]();
  return port;
}

/** @param {string} url its answer is read and discarded @returns {() => void} ends the request */
function read(url) {
  const asked = get(url, (response) => response.resume());
  asked.on('error', () => {}); // ended by us
  return () => asked.destroy();
}

/** @param {string[]} urls @returns {() => void} ends it */
function scrapeEachSecond(urls) {
  const timer = setInterval(() => urls.forEach((url) => read(`${url}metrics`)), 1000);
  return () => clearInterval(timer);
}

/** @param {MeasuredProgram[]} programs @param {number} window_s @returns {Promise<number[]>} for each, % of a core */
async function measure(programs, window_s) {
  await sleep(WARM_S * 1000);
  const from = await Promise.all(programs.map((program) => program.read()));
  await sleep(window_s * 1000);
  const to = await Promise.all(programs.map((program) => program.read()));
  return to.map(({ at_s, cpu_s }, index) => 100 * ((cpu_s - from[index].cpu_s) / (at_s - from[index].at_s)));
}

/** Twice: unwatched, then by a terminal, a page and Prometheus. @param {number} hosts @param {number} window_s @param {string} results */
async function measureOnce(hosts, window_s, results) {
  const reported = [new MeasuredProgram(['coordinator', String(hosts)], results), new MeasuredProgram(['agent', String(await findFreePort())], results)];
  const urls = await Promise.all(reported.map(({ url }) => url));
  const alone = await measure(reported, window_s);
  const terminal = new MeasuredProgram(['terminal'], results);
  await terminal.url;
  const leave = [read(`${urls[0]}events`), scrapeEachSecond(urls)];
  const watched = await measure([...reported, terminal], window_s);
  leave.forEach((end) => end());
  await Promise.all([...reported, terminal].map((program) => program.end()));
  return watched.map((percent, index) => ({ hosts, who: WHO[index], percent: percent - (alone[index] ?? 0) }));
}

/** @param {number[]} values @returns {string} their mean and its interval */
function formatMean(values) {
  const found = findMean(values);
  const two = (/** @type {number} */ value) => value.toFixed(2);
  return values.length < 3 ? two(found.mean) : `${two(found.mean)} [${intervalOf(found).map(two).join(', ')}]`;
}

/** @param {Found[]} found @returns {string} a Markdown table */
export function tabulate(found) {
  const meanOf = (/** @type {Found[]} */ own, /** @type {string} */ who) =>
    formatMean(own.filter((each) => each.who === who).map(({ percent }) => percent));
  const rows = [...Map.groupBy(found, ({ hosts }) => hosts)].map(([hosts, own]) => [String(hosts), ...WHO.map((who) => meanOf(own, who))]);
  return formatMarkdownTable(['hosts', ...WHO], rows);
}

/** @param {{quick?: boolean}} how `quick`: a smoke test that writes nothing */
export async function benchWatch({ quick = false }) {
  const [repeats, window_s] = quick ? [1, 1] : [REPEATS, WINDOW_S];
  const total = repeats * HOSTS.length;
  console.log(`${total} times, about ${Math.ceil((total * 2 * (WARM_S + window_s)) / 60)} min; do nothing else on this machine`);
  const results = makeTemporary('bench-watch');
  const found = /** @type {Found[]} */ ([]);
  for (let repeat = 1; repeat <= repeats; repeat++) {
    for (const hosts of HOSTS) {
      found.push(...await measureOnce(hosts, window_s, results));
      console.log(`[${found.length / WHO.length}/${total}] ${hosts} hosts: ${found.slice(-WHO.length).map(({ who, percent }) => `${who} ${percent.toFixed(2)} %`).join(', ')}`);
    }
  }
  const of = repeats > 1 ? `means of ${repeats} windows of ${window_s} s, and their 95 % intervals` : `one window of ${window_s} s`;
  const machine = `${os.cpus()[0]?.model}, ${os.type()} ${os.release()} ${os.arch()}, Node ${process.version}`;
  const words = `Percent of a core, by \`make bench-watch\` on ${new Date().toISOString().slice(0, 10)}, ${machine}: ${of}.`;
  const text = `${wrapWords(words, 120).join('\n')}\n\n${tabulate(found)}`;
  console.log(`\n${text}`);
  if (quick) return;
  writePart(PAGE, PART, text);
  console.log(`\nwritten to ${relative(ROOT, PAGE)}`);
}
