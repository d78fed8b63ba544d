/** Debian's Prometheus, run for one test. It scrapes one target every second. */
import { execFile, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../../harness/common/places.js';
import { sleep } from '../smoke/lab.js';

/** Run where Prometheus runs, which may be another network namespace. */
const ASK = 'fetch(process.argv[1]).then((answer) => answer.text()).then((text) => process.stdout.write(text))';
const WITHIN_S = 300;
const EACH_MS = 300;

export class Prometheus {
  /**
   * @param {string} folder for it alone
   * @param {{target: string, port: number, inside?: string[]}} how `inside`: put before an argv, for a namespace
   */
  constructor(folder, { target, port, inside = [] }) {
    this.inside = inside;
    this.url = `http://127.0.0.1:${port}/api/v1/`;
    const unpacked = spawnSync(join(ROOT, 'test/more/prometheus.sh'), [folder], { encoding: 'utf8' });
    /** Why it can't run; undefined if it does. */
    this.why = unpacked.status === 0 ? undefined : `no Prometheus of Debian's: ${unpacked.stderr.trim()}`;
    if (this.why) return;
    const config = join(folder, 'prometheus.yml');
    writeFileSync(config, `scrape_configs: [{job_name: wscale, scrape_interval: 1s, static_configs: [{targets: ["${target}"]}]}]\n`);
    mkdirSync(join(folder, 'data'));
    const [program, ...argv] = [
      ...inside, unpacked.stdout.trim(), `--config.file=${config}`, `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ];
    this.child = spawn(program, argv, { stdio: 'ignore' });
    this.ended = new Promise((resolve) => this.child?.on('exit', resolve));
  }

  /** @param {string} path @returns {Promise<any>} undefined as long as it does not answer */
  async ask(path) {
    const [program, ...argv] = [...this.inside, process.execPath, '-e', ASK, `${this.url}${path}`];
    const reported = await promisify(execFile)(program, argv, { encoding: 'utf8' }).catch(() => undefined);
    const { status, data } = JSON.parse(reported?.stdout.startsWith('{') ? reported.stdout : '{}');
    return status === 'success' ? data : undefined;
  }

  /**
   * @param {string} path @param {(data: any) => any} find @param {string} what
   * @returns {Promise<any>} what `find` found
   */
  async waitFor(path, find, what) {
    for (const from_ms = performance.now(); performance.now() - from_ms < WITHIN_S * 1000;) {
      const data = await this.ask(path);
      const found = data && find(data);
      if (found) return found;
      await sleep(EACH_MS);
    }
    throw new Error(`${what}: not within ${WITHIN_S} s`);
  }

  /**
   * @param {string} expression @param {string} what
   * @returns {Promise<{metric: any, value: [number, string]}[]>} one or more
   */
  query(expression, what) {
    return this.waitFor(`query?query=${encodeURIComponent(expression)}`, ({ result }) => (result.length > 0 ? result : undefined), what);
  }

  async stop() {
    this.child?.kill('SIGKILL');
    await this.ended;
  }
}
