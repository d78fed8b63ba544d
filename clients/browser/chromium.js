/** The browser: start it, open a page, and end all its processes. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Failure, messageOf } from '../common/failure.js';
import { EXIT_SYSTEM, FLAGS, endBrowser, findProgram, listGroups } from '../common/browser-program.js';

/** One size for all screenshots, so that two trials can be compared. */
const VIEWPORT = { width: 800, height: 450 };

/** Chromium's own fatal message, among the lines that playwright reports. */
const FATAL = /:FATAL:\S+\] ([^\n]+)/;

/** @param {string} message of playwright @param {string} program @returns {string} why, and the next step */
export function explainStart(message, program) {
  const why = (FATAL.exec(message)?.[1] ?? message.split('\n')[0]).replace(/\.$/, '');
  return /path too long/i.test(why) ? `${why}; set a shorter TMPDIR` : `${why}; try it by hand: ${program} --headless --no-sandbox about:blank`;
}

/** A private Chromium with a new, empty profile. */
export class Browser {
  constructor() {
    /** Everything it writes, such as its profile and sockets. It lies in HOME, a private folder that the harness removes. */
    this.folder = mkdtempSync(join(process.env.HOME ?? tmpdir(), 'chromium-'));
    /** @type {any} a playwright BrowserContext; the lint has no types of playwright, because it is not installed there */
    this.context = undefined;
    /** @type {number[]} its process groups */
    this.groups = [];
  }

  /**
   * @param {{headless?: boolean}} [how] without headless it needs a display
   * @throws {Failure} 71 if it is not installed or does not start
   */
  async start({ headless = true } = {}) {
    process.env.TMPDIR = this.folder; // for the temporary files of playwright and Chromium
    const executablePath = findProgram('clients/browser', 'chromium', 'chromium:chromium');
    // @ts-ignore: companion.toml's build installs it
    const { chromium } = await import('playwright-core');
    try {
      this.context = await chromium.launchPersistentContext(join(this.folder, 'profile'), {
        executablePath, args: FLAGS, viewport: VIEWPORT, headless, chromiumSandbox: false,
        env: process.env, // includes the harness's mark: by this it finds and ends leftover processes
        handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false, // main.js handles them
      });
    } catch (error) {
      throw new Failure(EXIT_SYSTEM, [`clients/browser: ${executablePath} did not start: ${explainStart(messageOf(error), executablePath)}`]);
    }
    this.groups = listGroups();
  }

  /** @returns {string} the browser's own version, such as "Chromium 156.0.8078.79" */
  get version() {
    return `Chromium ${this.context.browser().version()}`;
  }

  /**
   * @param {string} url
   * @param {() => void} prelude runs in the page before its own scripts
   * @returns {Promise<any>} a playwright Page
   */
  async open(url, prelude) {
    const [page] = this.context.pages();
    await page.addInitScript(prelude);
    await page.goto(url, { waitUntil: 'load' });
    return page;
  }

  /** Close it normally, then kill whatever is left. */
  async close() {
    await this.context.close();
    await this.kill();
  }

  /** Kill all its processes and remove its folder. */
  async kill() {
    await endBrowser(this.folder, this.groups);
  }
}
