/** One load of one page, from the call to navigate until the page has all its results. We measure the offset between the clocks. */
import { EXIT, Failure, messageOf } from '../common/failure.js';
import { monotonic_us } from '../common/start.js';
import { readBrowser, readDevice, usedBetween } from './accounts.js';
import { limitOf } from './order.js';

/** Exchanges with the page to read its clock; the fastest one counts. */
const EXCHANGES = 9;
/** After a page is complete, the browser may still have to paint it and to fire DOMContentLoaded. */
const PAINTS_WITHIN_MS = 500;
/** A load with more requests has no waterfall. */
const MOST_BARS = 12;

/**
 * @typedef {object} Told times by the page's clock, ms since its time origin
 * @property {number} complete_ms @property {number} data_ms @property {number} source_ms
 * @property {number} [paint_ms] @property {number} [interactive_ms]
 * @property {number} status of the page @property {string} wrong
 * @property {{name: string, begin_ms: number, first_ms: number, end_ms: number}[]} requests
 */
/** @typedef {Record<string, string | number | undefined>} Row of loads.tsv */
/** @typedef {{row: Row, bars: Row[], called_us: number, completed_us: number, used: import('./accounts.js').Used}} Loaded */

/** Runs in the page once it is complete. @param {number} most_ms @returns {Promise<Told>} */
async function tell(most_ms) {
  const { page, performance, requestAnimationFrame, setTimeout } = /** @type {any} */ (globalThis);
  const paintOf = () => performance.getEntriesByType('paint').find((/** @type {any} */ { name }) => name === 'first-paint' || name === 'first-contentful-paint')?.startTime;
  const parsedAt = () => performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd || undefined; // 0: not yet
  const until = performance.now() + most_ms;
  while ((paintOf() === undefined || parsedAt() === undefined) && performance.now() < until) {
    await Promise.race([new Promise((resolve) => requestAnimationFrame(resolve)), new Promise((resolve) => setTimeout(resolve, 50))]);
  }
  const [navigation] = performance.getEntriesByType('navigation');
  const pathOf = (/** @type {string} */ name) => new URL(name).pathname;
  const barOf = (/** @type {any} */ { name, startTime, responseStart, responseEnd }) =>
    ({ name: pathOf(name), begin_ms: startTime, first_ms: responseStart, end_ms: responseEnd });
  const markOf = (/** @type {string} */ name) => performance.getEntriesByName(name)[0].startTime;
  return {
    complete_ms: markOf('complete'), data_ms: markOf('data'), source_ms: page.source_ms, paint_ms: paintOf(),
    interactive_ms: parsedAt(), status: navigation.responseStatus, wrong: page.check(),
    requests: [navigation, ...performance.getEntriesByType('resource')].filter((/** @type {any} */ { name }) => name.startsWith('http')).map(barOf),
  };
}

/**
 * @param {any} page a puppeteer Page
 * @returns {Promise<{zero_us: number, bound_us: number}>} the page's time origin, in µs of this host's CLOCK_MONOTONIC
 */
async function measureZero(page) {
  let best = { zero_us: NaN, bound_us: Infinity };
  for (let exchange = 0; exchange < EXCHANGES; exchange++) {
    const from_us = monotonic_us();
    const now_ms = await page.evaluate(() => performance.now());
    const to_us = monotonic_us();
    const bound_us = (to_us - from_us) / 2;
    if (bound_us < best.bound_us) best = { zero_us: (from_us + to_us) / 2 - now_ms * 1000, bound_us };
  }
  return best;
}

/** @param {any} page @returns {Promise<void>} resolves once the page reports that it is complete; rejects if it fails */
function awaitComplete(page) {
  return new Promise((resolve, reject) => {
    page.on('console', (/** @type {any} */ message) => {
      const text = message.text();
      if (text === 'page complete') resolve();
      else if (text.startsWith('page failed: ')) reject(new Error(text));
    });
    page.on('pageerror', (/** @type {Error} */ error) => reject(new Error(`its script failed: ${messageOf(error)}`)));
    page.on('error', () => reject(new Error('it crashed')));
  });
}

/** @param {any} page @returns {Promise<string>} its progress, for the error */
async function describe(page) {
  const read = page.evaluate(() => {
    const { page: facts } = /** @type {any} */ (globalThis);
    const [navigation] = /** @type {any} */ (performance).getEntriesByType('navigation');
    return facts ? `${facts.count - facts.missing} of ${facts.count} results had come` : `it was answered ${navigation?.responseStatus}`;
  });
  return Promise.race([read, new Promise((resolve) => setTimeout(resolve, 2000, 'it does not answer'))]).catch(messageOf);
}

export class Loader {
  /**
   * @param {import('./config.js').Config} config @param {import('./browser.js').Browser} browser
   * @param {import('./server.js').Server} server @param {import('./server.js').Offset} offset of its clock
   */
  constructor(config, browser, server, offset) {
    this.config = config;
    this.browser = browser;
    this.server = server;
    this.offset = offset;
    this.host = new URL(config.url).hostname;
    /** @type {Promise<void>} resolves once the context of the previous load is closed */
    this.closed = Promise.resolve();
    /** @type {any} the page being loaded */
    this.page = undefined;
  }

  /**
   * Loads a page in a new context. The previous context closes while this one opens; both are finished before the measurement.
   * @param {import('./order.js').Load} load @param {string} id identifies the load to the server
   * @returns {Promise<Loaded>} @throws {Failure} 70 if it does not complete, or has wrong content
   */
  async load(load, id) {
    const { gone } = this.browser;
    const context = await Promise.race([this.browser.openContext(), gone]);
    try {
      const page = await Promise.race([context.newPage(), gone]);
      if (this.config.cache === 'on') await Promise.race([this.#prime(page, load), gone]);
      await Promise.race([this.closed, gone]);
      this.page = page;
      return await Promise.race([this.#measure(page, load, id), gone]);
    } finally {
      this.page = undefined;
      this.closed = context.close().catch(() => {});
    }
  }

  /** @returns {Promise<number>} results shown so far by the page being loaded; 0 if it does not answer */
  async countShown() {
    const read = this.page?.evaluate(() => {
      const { page: facts } = /** @type {any} */ (globalThis);
      return facts ? facts.count - facts.missing : 0;
    });
    return Promise.race([read ?? 0, new Promise((resolve) => { setTimeout(resolve, 2000, 0).unref(); })]).catch(() => 0);
  }

  /**
   * Fills the cache with the scripts, as on a second visit. This page is complete before the measured one begins: its late report would
   * be taken for the other's.
   * @param {any} page @param {import('./order.js').Load} load
   */
  async #prime(page, { workflow }) {
    await this.#complete(page, { workflow, scenario: 'noop', x: 0 }, `${this.config.url}/${workflow}/noop/0`);
    await page.waitForFunction(() => /** @type {any} */ (globalThis).document.readyState === 'complete');
  }

  /** @param {any} page @param {import('./order.js').Load} load @param {string} id @returns {Promise<Loaded>} */
  async #measure(page, load, id) {
    const { server, host } = this;
    const before = { usage: await server.readUsage(), browser: readBrowser(), device: readDevice(host) };
    const called_us = monotonic_us();
    await this.#complete(page, load, `${this.config.url}/${load.workflow}/${load.scenario}/${load.x}?load=${id}`);
    const completed_us = monotonic_us();
    const after = { device: readDevice(host), browser: readBrowser(), usage: await server.readUsage() };
    const zero = await measureZero(page);
    const told = await page.evaluate(tell, PAINTS_WITHIN_MS);
    if (told.wrong) throw this.#failure(load, `is not as it should be: ${told.wrong}`);
    const marks = await server.readMarks(id);
    const { row, bars } = this.#reckon(load, { zero, called_us, completed_us }, told, marks);
    const accounts = this.config.connections > 1 ? {} : compare(before, after); // those of loads side by side can't be told apart
    return { row: { ...row, ...accounts }, bars, called_us, completed_us, used: readBrowser() };
  }

  /** @param {any} page @param {import('./order.js').Load} load @param {string} url */
  async #complete(page, load, url) {
    const limit_s = limitOf(load, this.config.patience_s);
    const complete = awaitComplete(page);
    const arrived = page.goto(url, { waitUntil: 'domcontentloaded', timeout: 0 }).then(async () => {
      if (!await page.evaluate(() => 'page' in globalThis)) throw new Error(await describe(page));
    });
    /** @type {NodeJS.Timeout | undefined} */
    let timer;
    const late = new Promise((_, reject) => { timer = setTimeout(() => reject(new Error(`it was not complete within ${limit_s} s`)), limit_s * 1000); });
    try {
      await Promise.race([Promise.all([complete, arrived]), late]);
    } catch (error) {
      throw this.#failure(load, `was never complete: ${messageOf(error).split('\n')[0]} (${await describe(page)})`);
    } finally {
      clearTimeout(timer);
      complete.catch(() => {});
      arrived.catch(() => {});
    }
  }

  /** @param {import('./order.js').Load} load @param {string} what */
  #failure({ workflow, scenario, x }, what) {
    const next = `start the server by hand (servers/CONTRACT.md says how) and open /${workflow}/${scenario}/${x} of it`;
    return new Failure(EXIT.internal, [`clients/page-loader: ${workflow} ${scenario} ${x} ${what}; ${next}`]);
  }

  /**
   * Converts all times to times since the server received the request, and keeps the times they are computed from.
   * @param {import('./order.js').Load} load
   * @param {{zero: {zero_us: number, bound_us: number}, called_us: number, completed_us: number}} own times by this process's clock
   * @param {Told} told @param {import('./server.js').Marks} marks
   */
  #reckon(load, { zero, called_us, completed_us }, told, marks) {
    const origin_us = marks.received_us - this.offset.offset_us; // by this host's clock
    const ahead_ms = (zero.zero_us - origin_us) / 1000;
    const here_ms = (/** @type {number | undefined} */ page_ms) => (page_ms === undefined ? undefined : ahead_ms + page_ms);
    const there_ms = (/** @type {number | undefined} */ us) => (us === undefined ? undefined : (us - marks.received_us) / 1000);
    const row = {
      ...load, total_ms: here_ms(told.complete_ms), bound_ms: (zero.bound_us + this.offset.bound_us) / 1000,
      data_ms: here_ms(told.data_ms), source_ms: told.source_ms,
      first_paint_ms: here_ms(told.paint_ms), interactive_ms: here_ms(told.interactive_ms),
      answered_ms: there_ms(marks.answered_us), resolved_ms: there_ms(marks.resolved_us), connected_ms: there_ms(marks.connected_us),
      requests: told.requests.length, received_us: marks.received_us, server_ahead_us: this.offset.offset_us, page_zero_us: zero.zero_us,
      complete_ms: told.complete_ms, called_ms: (called_us - origin_us) / 1000, told_ms: (completed_us - origin_us) / 1000,
    };
    const bars = told.requests.length > MOST_BARS ? [] : told.requests.map(({ name, begin_ms, first_ms, end_ms }) =>
      ({ ...load, request: name, begin_ms: here_ms(begin_ms), first_ms: here_ms(first_ms), end_ms: here_ms(end_ms) }));
    return { row, bars };
  }
}

/**
 * @typedef {{usage: {worker_ms: number, database_ms: number}, browser: import('./accounts.js').Used,
 *   device: {up_b: number, down_b: number} | undefined}} Accounts
 */

/** @param {Accounts} before @param {Accounts} after @returns {Row} the usage between the two */
function compare(before, after) {
  return {
    server_cpu_ms: after.usage.worker_ms - before.usage.worker_ms, database_cpu_ms: after.usage.database_ms - before.usage.database_ms,
    browser_cpu_ms: usedBetween(before.browser, after.browser),
    up_b: before.device && after.device && after.device.up_b - before.device.up_b,
    down_b: before.device && after.device && after.device.down_b - before.device.down_b,
  };
}

