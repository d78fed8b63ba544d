/** The browser: where it is, how it is started, a fresh context for each load, and how all of it ends. */
import { spawnSync } from 'node:child_process';
import { X509Certificate, createHash } from 'node:crypto';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EXIT_SYSTEM, FLAGS, endDescendants, findProgram } from '../common/browser-program.js';
import { Failure, messageOf } from '../common/failure.js';

/** Of every page, so that paints are alike. */
const VIEWPORT = { width: 800, height: 600 };
/** What a Chromium starts beside each page, on the same CPU: the list under its address bar, and a process for the next page. */
const NOT_OF_THE_PAGE = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'SpareRendererForSitePerProcess'];
const CHROMIUM_FLAGS = [...FLAGS, '--disable-extensions', '--no-proxy-server', `--disable-features=${NOT_OF_THE_PAGE}`];
/** @type {Record<string, {program: string, package: string}>} */
const BROWSERS = {
  chromium: { program: 'chromium', package: 'chromium:chromium' },
  firefox: { program: 'firefox-esr', package: 'firefox-esr:firefox-esr' },
};

/** @param {string} name @returns {string} its path @throws {Failure} 71 */
function find(name) {
  const { program, package: wanted } = BROWSERS[name];
  return findProgram('clients/page-loader', program, wanted);
}

/** @param {string} name @returns {string} such as "Chromium 156.0.8078.79", without starting it; its name where it does not tell */
export function readVersion(name) {
  const { stdout } = spawnSync(find(name), ['--version'], { encoding: 'utf8' });
  return /(?:Chromium|Firefox) [\d.]+/.exec(stdout ?? '')?.[0] ?? name;
}

/** @param {string} ca path of a certificate @returns {string} the digest of its key, by which a Chromium knows it */
const digestKey = (ca) =>
  createHash('sha256').update(new X509Certificate(readFileSync(ca)).publicKey.export({ type: 'spki', format: 'der' })).digest('base64');

/** A browser of our own, with a new and empty profile. */
export class Browser {
  /** @param {{browser: string, ca?: string}} config */
  constructor({ browser: name, ca }) {
    this.name = name;
    this.ca = ca;
    /** Its profile and all else that it writes; in HOME, which the harness makes private and removes. */
    this.folder = mkdtempSync(join(process.env.HOME ?? tmpdir(), 'browser-'));
    /** @type {any} a Browser of puppeteer's, whose types are not installed where the suite is linted */
    this.browser = undefined;
  }

  /** @throws {Failure} 71 when it is not there, or does not start */
  async start() {
    const executablePath = find(this.name);
    process.env.TMPDIR = this.folder; // what puppeteer and the browser take for files that pass
    // @ts-ignore: generator.toml's build installs it
    const { default: puppeteer } = await import('puppeteer-core');
    const trusted = this.ca && this.name === 'chromium' ? [`--ignore-certificate-errors-spki-list=${digestKey(this.ca)}`] : [];
    try {
      this.browser = await puppeteer.launch({
        browser: this.name === 'firefox' ? 'firefox' : 'chrome', executablePath, headless: true, defaultViewport: VIEWPORT,
        args: this.name === 'chromium' ? [...CHROMIUM_FLAGS, ...trusted] : [],
        acceptInsecureCerts: this.name === 'firefox' && Boolean(this.ca),
        userDataDir: join(this.folder, 'profile'), env: { ...process.env, HOME: this.folder }, // with the harness's mark
        handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false, // main.js does
        networkEnabled: false, // a report of each request would be part of what requests cost
        protocolTimeout: 0, // loads have limits of their own
      });
    } catch (error) {
      throw new Failure(EXIT_SYSTEM, [`clients/page-loader: ${executablePath} did not start: ${messageOf(error).split('\n')[0]}; try it by hand: ${executablePath} --headless --no-sandbox about:blank`]);
    }
    /** @type {Promise<never>} rejects when it has ended, however */
    this.gone = new Promise((_, reject) => {
      this.browser.on('disconnected', () => reject(new Failure(EXIT_SYSTEM, [`clients/page-loader: the browser ended during the trial; if it was killed for want of memory, free some`])));
    });
    this.gone.catch(() => {}); // whoever loads a page is told
  }

  /** @returns {Promise<any>} a context of puppeteer's: its own cookies, cache and connections */
  openContext() {
    return this.browser.createBrowserContext();
  }

  /** End it, and all of its processes, and remove its folder. */
  async kill() {
    await endDescendants(this.folder);
  }
}
