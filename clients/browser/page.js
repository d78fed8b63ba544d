/** The page of the thesis, appendix C.1, open in the browser, and the worker that serves it. */
import { EXIT, Failure } from '../common/failure.js';

/** Time for the page to connect and to show its first count. */
const SHOWS_WITHIN_MS = 20_000;
/** The worker must answer GET /count within this time. It is long because the worker is under load. */
const ANSWERS_WITHIN_MS = 10_000;

/**
 * @typedef {object} Shown
 * @property {number} count shown in `#count` now; NaN before the first
 * @property {number} answers shown since the page was opened: one for each ping by the page
 * @property {number} falls how often the count was lower than the previous one
 */

/**
 * Runs in the page before the thesis's own scripts, which stay unchanged. It watches `#count`, and keeps the page's timers so
 * that the pings can be stopped. Each record of the observer is one answer: two answers in one packet count as two, although
 * a person would see only the second.
 */
function watchCount() {
  const { document, MutationObserver, setInterval, clearInterval } = /** @type {any} */ (globalThis);
  /** @param {string} text @returns {number} */
  const read = (text) => Number(/\d+$/.exec(text.trim())?.[0] ?? NaN);
  const watch = { count: NaN, answers: 0, falls: 0 };
  /** @param {any} record */
  const note = ({ target, addedNodes }) => {
    const count = read(addedNodes[0]?.textContent ?? '');
    if (target.id !== 'count' || Number.isNaN(count)) return;
    if (count < watch.count) watch.falls++;
    watch.count = count;
    watch.answers++;
  };
  new MutationObserver((/** @type {any[]} */ records) => records.forEach(note)).observe(document, { childList: true, subtree: true });
  const shown = () => ({ ...watch, count: read(document.querySelector('#count')?.textContent ?? '') });
  /** @type {unknown[]} */
  const timers = [];
  const remember = (/** @type {unknown[]} */ ...how) => timers[timers.push(setInterval(...how)) - 1];
  Object.assign(globalThis, { wscaleShown: shown, wscaleStop: () => timers.forEach(clearInterval), setInterval: remember });
}

/** The page, open in the browser. */
export class CountPage {
  /** @param {any} page a playwright Page @param {string} url */
  constructor(page, url) {
    this.page = page;
    this.url = url;
  }

  /**
   * @param {import('./chromium.js').Browser} browser @param {string} url
   * @returns {Promise<CountPage>} once the page shows its first count
   * @throws {Failure} 70 if it shows none in time
   */
  static async open(browser, url) {
    const page = await browser.open(url, watchCount);
    try {
      await page.waitForFunction(() => /** @type {any} */ (globalThis).wscaleShown().count > 0, undefined, { timeout: SHOWS_WITHIN_MS });
    } catch {
      throw new Failure(EXIT.internal, [`clients/browser: ${url} showed no count in #count within ${SHOWS_WITHIN_MS / 1000} s; open it in a browser and read its console`]);
    }
    return new CountPage(page, url);
  }

  /** @returns {Promise<Shown>} */
  read() {
    return this.page.evaluate(() => /** @type {any} */ (globalThis).wscaleShown());
  }

  /** @returns {Promise<number>} the worker's own count, by GET /count @throws {Failure} 70 */
  async readWorker() {
    const response = await fetch(new URL('count', this.url), { signal: AbortSignal.timeout(ANSWERS_WITHIN_MS) });
    const text = (await response.text()).trim();
    if (response.ok && /^\d+$/.test(text)) return Number(text);
    throw new Failure(EXIT.internal, [`clients/browser: ${this.url}count answered ${response.status} "${text.slice(0, 60)}"; it must answer a whole number: servers/CONTRACT.md, pages`]);
  }

  /** Stop the page's own pings. */
  async stopPings() {
    await this.page.evaluate(() => /** @type {any} */ (globalThis).wscaleStop());
  }

  /** @param {string} path of a PNG */
  async photograph(path) {
    await this.page.screenshot({ path });
  }
}
