/** The browser: where it is, how it is started, which processes are its own, and how all of it ends. */
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure, messageOf } from '../forked/failure.js';

/** The operating system refused (servers/CONTRACT.md, Exit codes). */
const EXIT_SYSTEM = 71;
/** Time for what was killed to be gone. */
const GONE_WITHIN_MS = 3000;
/** What the screenshots show; one size, so that those of two trials can be laid side by side. */
const VIEWPORT = { width: 800, height: 450 };
/** It draws in software, has no sandbox to set up as root, and speaks to no one but the page's own server. */
const FLAGS = [
  '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update',
  '--disable-sync',
];

/** @returns {string} the path of Debian's `chromium` @throws {Failure} 71 */
function findChromium() {
  const path = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'chromium')).find((file) => existsSync(file));
  if (path) return path;
  throw new Failure(EXIT_SYSTEM, [`clients/browser: there is no chromium in PATH (${process.env.PATH}); install it: runtimes/apt-install.sh chromium:chromium`]);
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
    const executablePath = findChromium();
    // @ts-ignore: companion.toml's build installs it
    const { chromium } = await import('playwright-core');
    try {
      this.context = await chromium.launchPersistentContext(join(this.folder, 'profile'), {
        executablePath, args: FLAGS, viewport: VIEWPORT, headless, chromiumSandbox: false,
        env: process.env, // with the harness's mark, by which nothing of it is left behind
        handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false, // main.js does
      });
    } catch (error) {
      throw new Failure(EXIT_SYSTEM, [`clients/browser: ${executablePath} did not start: ${messageOf(error).split('\n')[0]}; try it by hand: ${executablePath} --headless --no-sandbox about:blank`]);
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
    const pids = listDescendants(process.pid);
    pids.forEach(killProcess);
    for (let waited_ms = 0; waited_ms < GONE_WITHIN_MS && pids.some(isAlive); waited_ms += 10) await sleep(10);
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  }
}

/** @param {number} pid */
function killProcess(pid) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // it was gone already
  }
}

/** @param {number} pid @returns {string[]} its state and its parent, from proc(5); [] when it is gone */
function readStat(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' '); // the name may hold spaces
  } catch {
    return [];
  }
}

/** @param {number} pid @returns {boolean} a zombie is not: it waits for its parent to take notice */
function isAlive(pid) {
  return !['Z', 'X', undefined].includes(readStat(pid)[0]);
}

/** @param {number} pid @returns {number[]} its children and all theirs, sorted */
export function listDescendants(pid) {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map(Number);
  const parents = pids.map((each) => [each, Number(readStat(each)[1])]);
  /** @param {number} of @returns {number[]} */
  const below = (of) => parents.filter(([, parent]) => parent === of).flatMap(([child]) => [child, ...below(child)]);
  return below(pid).sort((a, b) => a - b);
}
