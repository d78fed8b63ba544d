/** Debian's Prometheus, for as long as a test takes: it scrapes one target, each second. */
import { execFile, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../../harness/common/places.js';
import { sleep } from '../smoke/lab.js';

/** Asks from wherever Prometheus is: it may be in another network. */
const ASK = 'fetch(process.argv[1]).then((answer) => answer.text()).then((text) => process.stdout.write(text))';
const WITHIN_S = 300;
const EACH_MS = 300;

export class Prometheus {
  /** @param {string} folder for it alone @param {{target: string, port: number, inside?: string[]}} how `inside` goes before an argv */
  constructor(folder, { target, port, inside = [] }) {
    this.inside = inside;
    this.url = `http://127.0.0.1:${port}/api/v1/`;
    const unpacked = spawnSync(join(ROOT, 'test/more/prometheus.sh'), [folder], { encoding: 'utf8' });
    /** Why there is none. */
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

  /** @param {string} path @param {(data: any) => any} find @param {string} what @returns {Promise<any>} what it found, once it did */
  async waitFor(path, find, what) {
    for (const from_ms = performance.now(); performance.now() - from_ms < WITHIN_S * 1000;) {
      const data = await this.ask(path);
      const found = data && find(data);
      if (found) return found;
      await sleep(EACH_MS);
    }
    throw new Error(`${what}: not within ${WITHIN_S} s`);
  }

  /** @param {string} expression @param {string} what @returns {Promise<{metric: any, value: [number, string]}[]>} some */
  query(expression, what) {
    return this.waitFor(`query?query=${encodeURIComponent(expression)}`, ({ result }) => (result.length > 0 ? result : undefined), what);
  }

  async stop() {
    this.child?.kill('SIGKILL');
    await this.ended;
  }
}
