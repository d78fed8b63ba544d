// The companion: shows a worker's page in a real Chromium while another client makes the load. README.md lists its records.
//
// usage: node main.js CONFIG.json

import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runProgram } from '../common/program.js';
import random from '../common/random.cjs';
import { monotonic_us, readStart } from '../common/start.js';
import { Browser } from './chromium.js';
import { listDescendants } from '../common/browser-program.js';
import { readConfig } from './config.js';
import { CountPage } from './page.js';
import { COLUMNS, drawTimes, reckon } from './samples.js';

const WHERE = 'clients/browser';
/** The page keeps pinging this long after the load's drain, so that it shows a count later than the load's last ping. */
const AFTERWARDS_S = 1;
/** Both counts are final once neither has changed for QUIET_MS. After QUIET_WITHIN_MS we take the last values as they are. */
const QUIET_MS = 500;
const QUIET_WITHIN_MS = 10_000;

/** @type {Browser | undefined} */
let browser;

/** @param {Browser} of */
function printReady(of) {
  const processes = [
    { pid: process.pid, role: 'companion', index: 1 },
    ...listDescendants(process.pid).map((pid, at) => ({ pid, role: 'browser', index: at + 1 })),
  ];
  process.stdout.write(`ready ${JSON.stringify({ client: 'browser', version: of.version, processes })}\n`);
}

/** @param {CountPage} page @param {number} start_us @returns {Promise<import('./samples.js').Sample>} */
async function takeSample(page, start_us) {
  const t_s = (monotonic_us() - start_us) / 1e6;
  const [{ count, answers, falls }, worker_count] = await Promise.all([page.read(), page.readWorker()]);
  return { t_s, page_count: count, worker_count, page_answers: answers, page_falls: falls };
}

/**
 * Samples at the given times. It skips a time that passed during the previous sample.
 * @param {CountPage} page @param {number} start_us @param {number[]} times_s
 */
async function sample(page, start_us, times_s) {
  const samples = [];
  for (const t_s of times_s) {
    const ahead_ms = t_s * 1000 - (monotonic_us() - start_us) / 1000;
    if (ahead_ms < 0) continue;
    await sleep(ahead_ms);
    samples.push(await takeSample(page, start_us));
  }
  return samples;
}

/**
 * @param {CountPage} page @param {number} start_us
 * @returns {Promise<import('./samples.js').Sample>} the last sample, once both counts are final
 */
async function awaitQuiet(page, start_us) {
  let last = await takeSample(page, start_us);
  for (let quiet_ms = 0, waited_ms = 0; quiet_ms < QUIET_MS && waited_ms < QUIET_WITHIN_MS; waited_ms += 100) {
    await sleep(100);
    const next = await takeSample(page, start_us);
    quiet_ms = next.page_count === last.page_count && next.worker_count === last.worker_count ? quiet_ms + 100 : 0;
    last = next;
  }
  return last;
}

/** Writes the file completely or not at all. @param {string} path @param {(string | number)[][]} rows */
function writeRows(path, rows) {
  writeFileSync(`${path}.tmp`, rows.map((row) => row.join('\t') + '\n').join(''));
  renameSync(`${path}.tmp`, path);
}

/** @param {string} out @param {import('./samples.js').Sample[]} samples @param {[string, number][]} metrics */
function writeRecords(out, samples, metrics) {
  /** @param {number} value */
  const round = (value) => Math.round(value * 1000) / 1000;
  writeRows(join(out, 'page.tsv'), [[...COLUMNS], ...samples.map((row) => COLUMNS.map((column) => round(row[column])))]);
  writeRows(join(out, 'metrics.tsv'), [['metric', 'value'], ...metrics.map(([metric, value]) => [metric, round(value)])]);
}

/** @param {CountPage} page @param {import('./config.js').Config} config @param {number} start_us */
async function watch(page, { out, seed, ramp_s, settle_s, hold_s, drain_s }, start_us) {
  const from_s = ramp_s + settle_s;
  const to_s = from_s + hold_s;
  const times_s = drawTimes(random.createGenerator(seed, 0), to_s + drain_s + AFTERWARDS_S);
  const middle_ms = (from_s + hold_s / 2) * 1000 - (monotonic_us() - start_us) / 1000;
  const live = sleep(middle_ms).then(() => page.photograph(join(out, 'screenshot-live.png')));
  const [samples] = await Promise.all([sample(page, start_us, times_s), live]);
  await page.stopPings();
  const last = await awaitQuiet(page, start_us);
  await page.photograph(join(out, 'screenshot.png'));
  writeRecords(out, [...samples, last], reckon(samples, { from_s, to_s }, last));
}

async function run() {
  const config = readConfig(process.argv[2]);
  browser = new Browser();
  await browser.start();
  const page = await CountPage.open(browser, config.url);
  printReady(browser);
  await watch(page, config, await readStart(WHERE));
  await browser.close();
}

runProgram(WHERE, run, () => browser?.kill());
