/** The browser: find it, start it, open a fresh context for each load, and end all its processes. */
import { spawnSync } from 'node:child_process';
import { X509Certificate, createHash } from 'node:crypto';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EXIT_SYSTEM, FLAGS, endBrowser, findProgram, listGroups } from '../common/browser-program.js';
import { Failure, messageOf } from '../common/failure.js';

/** One size for all pages, so that paints are comparable. */
const VIEWPORT = { width: 800, height: 600 };
/** Disabled: Chromium would start these for each page, on the same CPU: the address bar's popups, and a spare renderer process. */
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

/** @param {string} name @returns {string} such as "Chromium 156.0.8078.79", from --version; its name if that prints no version */
export function readVersion(name) {
  const { stdout } = spawnSync(find(name), ['--version'], { encoding: 'utf8' });
  return /(?:Chromium|Firefox) [\d.]+/.exec(stdout ?? '')?.[0] ?? name;
}

/** @param {string} ca path of a certificate @returns {string} the digest of its key, for Chromium's flag */
const digestKey = (ca) =>
  createHash('sha256').update(new X509Certificate(readFileSync(ca)).publicKey.export({ type: 'spki', format: 'der' })).digest('base64');

/** A private browser with a new, empty profile. */
export class Browser {
  /** @param {{browser: string, ca?: string}} config */
  constructor({ browser: name, ca }) {
    this.name = name;
    this.ca = ca;
    /** Everything it writes, such as its profile. It lies in HOME, a private folder that the harness removes. */
    this.folder = mkdtempSync(join(process.env.HOME ?? tmpdir(), 'browser-'));
    /** @type {any} a puppeteer Browser; the lint has no types of puppeteer, because it is not installed there */
    this.browser = undefined;
    /** @type {number[]} its process groups */
    this.groups = [];
  }

  /** @throws {Failure} 71 if it is not installed or does not start */
  async start() {
    const executablePath = find(this.name);
    process.env.TMPDIR = this.folder; // for the temporary files of puppeteer and the browser
    // @ts-ignore: generator.toml's build installs it
    const { default: puppeteer } = await import('puppeteer-core');
    const trusted = this.ca && this.name === 'chromium' ? [`--ignore-certificate-errors-spki-list=${digestKey(this.ca)}`] : [];
    try {
      this.browser = await puppeteer.launch({
        browser: this.name === 'firefox' ? 'firefox' : 'chrome', executablePath, headless: true, defaultViewport: VIEWPORT,
        args: this.name === 'chromium' ? [...CHROMIUM_FLAGS, ...trusted] : [],
        acceptInsecureCerts: this.name === 'firefox' && Boolean(this.ca),
        userDataDir: join(this.folder, 'profile'), env: { ...process.env, HOME: this.folder }, // includes the harness's mark
        handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false, // main.js handles them
        networkEnabled: false, // reporting each request would add to the measured cost
        protocolTimeout: 0, // each load has its own limit
      });
    } catch (error) {
      throw new Failure(EXIT_SYSTEM, [`clients/page-loader: ${executablePath} did not start: ${messageOf(error).split('\n')[0]}; try it by hand: ${executablePath} --headless --no-sandbox about:blank`]);
    }
    this.groups = listGroups();
    /** @type {Promise<never>} rejects when the browser exits, for any reason */
    this.gone = new Promise((_, reject) => {
      this.browser.on('disconnected', () => reject(new Failure(EXIT_SYSTEM, [`clients/page-loader: the browser ended during the trial; if it was killed for want of memory, free some`])));
    });
    this.gone.catch(() => {}); // handled where a page is loaded
  }

  /** @returns {Promise<any>} a puppeteer context, with its own cookies, cache and connections */
  openContext() {
    return this.browser.createBrowserContext();
  }

  /** Kill all its processes and remove its folder. */
  async kill() {
    await endBrowser(this.folder, this.groups);
  }
}
