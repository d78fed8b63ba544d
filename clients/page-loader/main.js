// Loads pages in a real browser, one after the other, and records how long each took (clients/CONTRACT.md, and README.md here).
//
// usage: node main.js CONFIG.json

import { setTimeout as sleep } from 'node:timers/promises';
import { listDescendants } from '../common/browser-program.js';
import { EXIT, Failure } from '../common/failure.js';
import { readCpu_s } from '../common/process-cpu.js';
import { runProgram } from '../common/program.js';
import { writeRecords, writeWhole } from '../common/record-files.js';
import records from '../common/records.cjs';
import { monotonic_us, readStart, startEpoch_ms } from '../common/start.js';
import { Tally } from '../common/tally.js';
import { readBrowser, usedByNew } from './accounts.js';
import { Browser, readVersion } from './browser.js';
import { readConfig } from './config.js';
import { Loader } from './load.js';
import { USUAL, countOf, drawOrder, nameOf, tellProgress } from './order.js';
import { Server } from './server.js';

/** @typedef {import('./config.js').Config} Config */
/** @typedef {import('./load.js').Row} Row */

const CLIENT = 'page-loader';
const WHERE = 'clients/page-loader';
const { KIND } = records;
const LOADS = [
  'load', 't_s', 'scenario', 'x', 'workflow', 'total_ms', 'bound_ms', 'data_ms', 'source_ms', 'first_paint_ms', 'interactive_ms', 'answered_ms', 'resolved_ms',
  'connected_ms', 'requests', 'server_cpu_ms', 'database_cpu_ms', 'browser_cpu_ms', 'up_b', 'down_b',
  'received_us', 'server_ahead_us', 'page_zero_us', 'complete_ms', 'called_ms', 'told_ms',
];
const BARS = ['load', 'scenario', 'x', 'workflow', 'request', 'begin_ms', 'first_ms', 'end_ms'];
/**
 * Every NAMED_MS we write the current load to client.err; every TOLD_MS the number of results to standard output (CONTRACT.md, While it
 * runs). Only a page that takes longer than NAMED_MS is asked for its results: the question would disturb a shorter measurement.
 */
const NAMED_MS = 10_000;
const TOLD_MS = 1000;

/** @type {Browser | undefined} */
let browser;

/** @param {string} version */
function printReady(version) {
  const processes = [
    { pid: process.pid, role: 'client', index: 1 },
    ...listDescendants(process.pid).map((pid, at) => ({ pid, role: 'browser', index: at + 1 })),
  ];
  process.stdout.write(`ready ${JSON.stringify({ client: CLIENT, version, processes })}\n`);
  return processes;
}

/** @param {number} time_us of CLOCK_MONOTONIC */
const sleepUntil = (time_us) => sleep(Math.max(0, (time_us - monotonic_us()) / 1000));

/** @param {string} folder @param {string} name @param {string[]} columns @param {Row[]} rows */
function writeTable(folder, name, columns, rows) {
  const cell = (/** @type {string | number | undefined} */ value) => (value === undefined ? '-' : typeof value === 'number' ? Math.round(value * 1000) / 1000 : value);
  writeWhole(folder, name, [columns, ...rows.map((row) => columns.map((column) => cell(row[column])))].map((cells) => `${cells.join('\t')}\n`).join(''));
}

/** The loads of the window: all configured loads, or the default loads until the window ends. */
class Course {
  /** @param {Config} config @param {Loader} loader @param {Tally} tally */
  constructor(config, loader, tally) {
    this.config = config;
    this.loader = loader;
    this.tally = tally;
    this.end_us = tally.start_us + tally.load_s * 1e6;
    /** @type {Row[]} */
    this.rows = [];
    /** @type {Row[]} */
    this.bars = [];
    /** @type {import('./accounts.js').Used[]} */
    this.used = [];
    /** @type {import('./accounts.js').Used} */
    this.first = new Map();
    this.loads = drawOrder(config.loads ?? USUAL, config.seed);
    this.next = 0;
    /** Results of the complete pages, and of a current page that takes long. */
    this.shown = { before: 0, now: 0 };
    this.begun_us = Infinity;
  }

  /** @returns {import('./order.js').Load | undefined} */
  #take() {
    if (this.config.loads) return this.loads[this.next++];
    return monotonic_us() < this.end_us ? this.loads[this.next++ % this.loads.length] : undefined;
  }

  /** Loads one page after the other. @param {(load: string) => void} tell */
  async #loadAll(tell) {
    for (let load = this.#take(); load; load = this.#take()) {
      const number = this.next;
      tell(nameOf(load));
      this.begun_us = monotonic_us();
      if (monotonic_us() > this.end_us + this.config.drain_s * 1e6) {
        throw new Failure(EXIT.internal, [`${WHERE}: ${this.loads.length - number + 1} of ${this.loads.length} loads were not begun when the drain ended; raise hold_s of the workload (${this.config.hold_s}), or ask for fewer loads`]);
      }
      const { row, bars, called_us, completed_us, used } = await this.loader.load(load, `l${number}`);
      this.tally.add(KIND.ANSWERED, Number(row.down_b ?? 0), called_us, called_us, completed_us);
      this.rows.push({ load: number, t_s: (called_us - this.tally.start_us) / 1e6, ...row });
      this.bars.push(...bars.map((bar) => ({ load: number, ...bar })));
      if (completed_us < this.end_us) this.used.push(used);
      this.shown = { before: this.shown.before + countOf(load), now: 0 };
    }
  }

  /** Prints the progress. All results of configured loads are due from the beginning, so that the line shows how many are left. */
  #tellSecond() {
    const count = (/** @type {import('./order.js').Load[]} */ loads) => loads.reduce((sum, load) => sum + countOf(load), 0);
    const sent = this.config.loads ? count(this.loads.slice(0, this.next)) : this.next;
    const told = {
      t_s: (monotonic_us() - this.tally.start_us) / 1e6, connected: this.config.connections,
      due: this.config.loads ? count(this.loads) : sent, sent, received: this.shown.before + this.shown.now,
    };
    process.stdout.write(`second ${JSON.stringify(told)}\n`);
  }

  /** @param {string} now the current load */
  async #name(now) {
    const done = this.rows.length;
    const isLong = monotonic_us() - this.begun_us > NAMED_MS * 1000;
    const shown = isLong ? await this.loader.countShown() : 0;
    if (this.rows.length > done) return; // the load has completed meanwhile
    this.shown.now = shown;
    process.stderr.write(`${tellProgress(done, this.config.loads && this.loads.length, now, isLong ? shown : undefined)}\n`);
  }

  async run() {
    let now = 'nothing yet';
    const said = setInterval(() => this.#name(now), NAMED_MS);
    const told = setInterval(() => this.#tellSecond(), TOLD_MS);
    const many = this.config.connections;
    this.first = readBrowser();
    for (let one = 0; one < many; one++) this.tally.add(KIND.OPENED, 0, this.tally.start_us, this.tally.start_us, 0);
    const loadAll = () => this.#loadAll((name) => { now = name; });
    await Promise.all(Array.from({ length: many }, loadAll)).finally(() => [said, told].forEach(clearInterval));
  }
}

/**
 * Warm-up: loads the page without data by each workflow in turn, until the window. Code must run several times before it is compiled.
 * @param {Config} config @param {Loader} loader @param {number} until_us
 */
async function warmUp(config, loader, until_us) {
  const workflows = [...new Set((config.loads ?? USUAL).flatMap((group) => group.workflows))];
  const longest_us = config.warmup_s * 1e6 / 2; // limits the guess for the first load
  let took_us = Math.min(longest_us, 1.5e6);
  for (let number = 0; monotonic_us() + took_us < until_us; number++) {
    const from_us = monotonic_us();
    await loader.load({ scenario: 'noop', x: 0, workflow: workflows[number % workflows.length] }, `w${number}`);
    took_us = 1.5 * (monotonic_us() - from_us);
  }
}

/** @param {Config} config @param {Course} course */
function writeLoads({ out }, { rows, bars }) {
  writeTable(out, 'loads.tsv', LOADS, rows);
  writeTable(out, 'waterfall.tsv', BARS, bars);
}

/** @param {Config} config @param {{pid: number, role: string, index: number}[]} processes @param {Server} server @param {Browser} of */
async function measure(config, processes, server, of) {
  const start_us = await readStart(WHERE);
  const start_ms = startEpoch_ms(WHERE, start_us);
  const offset = await server.measureOffset(); // before the start: from then on a link may be slow
  const loader = new Loader(config, of, server, offset);
  const tally = new Tally(/** @type {any} */ (config), start_us);
  await warmUp(config, loader, tally.windowFrom_us);
  const course = new Course(config, loader, tally);
  await sleepUntil(tally.windowFrom_us);
  await course.run().finally(() => writeLoads(config, course)); // also if the trial fails, to keep the loads so far
  await sleepUntil(tally.start_us + tally.load_s * 1e6);
  const drift_ms = Math.abs((await server.measureOffset()).offset_us - offset.offset_us) / 1000; // clocks of two hosts drift
  for (const row of course.rows) row.bound_ms = Number(row.bound_ms) + drift_ms;
  writeLoads(config, course);
  const summary = {
    client: CLIENT, library: config.browser, library_version: readVersion(config.browser), runtime: `node ${process.version}`,
    ...tally.summarise(), ended_cpu_s: usedByNew(course.first, course.used) / 1000,
    processes: processes.map((entry) => ({ ...entry, cpu_s: readCpuIfThere(entry.pid) })), errors: {},
    subtracts_clocks: true,
  };
  writeRecords(config.out, tally, summary, start_ms);
}

/** @param {number} pid @returns {number} s; 0 if it has exited */
function readCpuIfThere(pid) {
  try {
    return readCpu_s(pid);
  } catch {
    return 0;
  }
}

async function run() {
  const config = readConfig(process.argv[2]);
  if (config.behaviour === 'idle') { // the caller only wants the version
    printReady(readVersion(config.browser));
    return void await readStart(WHERE);
  }
  browser = new Browser(config);
  await browser.start();
  const server = new Server(config);
  await server.prepare(drawOrder(config.loads ?? USUAL, 0));
  await measure(config, printReady(readVersion(config.browser)), server, browser);
  server.close();
  await browser.kill();
}

runProgram(WHERE, run, () => browser?.kill());
