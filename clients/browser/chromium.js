/** The browser: how it is started, what it opens, and how all of it ends. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Failure, messageOf } from '../common/failure.js';
import { EXIT_SYSTEM, FLAGS, endDescendants, findProgram } from '../common/browser-program.js';

/** What the screenshots show; one size, so that those of two trials can be laid side by side. */
const VIEWPORT = { width: 800, height: 450 };

/** What Chromium says itself when it gives up, among the lines that playwright reports. */
const FATAL = /:FATAL:\S+\] ([^\n]+)/;

/** @param {string} message of playwright @param {string} program @returns {string} why, and the next step */
export function explainStart(message, program) {
  const why = (FATAL.exec(message)?.[1] ?? message.split('\n')[0]).replace(/\.$/, '');
  return /path too long/i.test(why) ? `${why}; set a shorter TMPDIR` : `${why}; try it by hand: ${program} --headless --no-sandbox about:blank`;
}

/** A Chromium of our own, with a new and empty profile. */
export class Browser {
  constructor() {
    /** Its profile, its sockets and all else that it writes; in HOME, which the harness makes private and removes. */
    this.folder = mkdtempSync(join(process.env.HOME ?? tmpdir(), 'chromium-'));
    /** @type {any} a BrowserContext of playwright's, whose types are not installed where the suite is linted */
    this.context = undefined;
  }

  /**
   * @param {{headless?: boolean}} [how] with a window it needs a display
   * @throws {Failure} 71 when it is not there, or does not start
   */
  async start({ headless = true } = {}) {
    process.env.TMPDIR = this.folder; // what playwright and Chromium take for files that pass
    const executablePath = findProgram('clients/browser', 'chromium', 'chromium:chromium');
    // @ts-ignore: companion.toml's build installs it
    const { chromium } = await import('playwright-core');
    try {
      this.context = await chromium.launchPersistentContext(join(this.folder, 'profile'), {
        executablePath, args: FLAGS, viewport: VIEWPORT, headless, chromiumSandbox: false,
        env: process.env, // with the harness's mark, by which nothing of it is left behind
        handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false, // main.js does
      });
    } catch (error) {
      throw new Failure(EXIT_SYSTEM, [`clients/browser: ${executablePath} did not start: ${explainStart(messageOf(error), executablePath)}`]);
    }
  }

  /** @returns {string} such as "Chromium 156.0.8078.79", as it says itself */
  get version() {
    return `Chromium ${this.context.browser().version()}`;
  }

  /**
   * @param {string} url
   * @param {() => void} prelude runs in the page before its own scripts
   * @returns {Promise<any>} a Page of playwright's
   */
  async open(url, prelude) {
    const [page] = this.context.pages();
    await page.addInitScript(prelude);
    await page.goto(url, { waitUntil: 'load' });
    return page;
  }

  /** Close it as a person would, and then see that it is. */
  async close() {
    await this.context.close();
    await this.kill();
  }

  /** End what is left of it, and remove its folder. */
  async kill() {
    await endDescendants(this.folder);
  }
}
