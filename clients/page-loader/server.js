/** Queries the server (servers/CONTRACT.md, `page-delivery`): its clock, its timestamps of a load, its CPU time. */
import { readFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { Agent as SecureAgent, get as getSecure } from 'node:https';
import { EXIT, Failure, messageOf } from '../common/failure.js';
import { monotonic_us } from '../common/start.js';

/** Exchanges to read the server's clock; the fastest one counts. */
const EXCHANGES = 20;
/** Long, because the first `prepare` creates the documents. */
const ANSWERS_WITHIN_MS = 50_000;

/** @typedef {{received_us: number, answered_us?: number, resolved_us?: number, connected_us?: number}} Marks µs of the server's clock */
/** @typedef {{offset_us: number, bound_us: number}} Offset of the server's clock, ahead of this one, and the bound of its error */

export class Server {
  /** @param {{url: string, ca?: string}} config */
  constructor({ url, ca }) {
    this.url = url;
    this.isSecure = url.startsWith('https:');
    const one = { keepAlive: true, maxSockets: 1 }; // so that no exchange waits for a new connection
    this.agent = this.isSecure ? new SecureAgent({ ...one, ca: ca && readFileSync(ca) }) : new Agent(one);
  }

  /** @param {string} path @returns {Promise<any>} of JSON @throws {Failure} 70 */
  async ask(path) {
    const { status, text } = await this.#get(path).catch((error) => ({ status: messageOf(error), text: '' }));
    if (status === 200) return JSON.parse(text);
    throw new Failure(EXIT.internal, [`clients/page-loader: GET ${this.url}${path} was answered ${status} "${text.trim().slice(0, 80)}"; see servers/CONTRACT.md, page-delivery`]);
  }

  /** @param {string} path @returns {Promise<{status: number | undefined, text: string}>} */
  #get(path) {
    return new Promise((resolve, reject) => {
      const asked = (this.isSecure ? getSecure : get)(`${this.url}${path}`, { agent: this.agent, timeout: ANSWERS_WITHIN_MS }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part) => { text += part; }).on('end', () => resolve({ status: response.statusCode, text }));
      });
      asked.on('timeout', () => asked.destroy(new Error(`nothing within ${ANSWERS_WITHIN_MS / 1000} s`))).on('error', reject);
    });
  }

  /** @param {import('./order.js').Load[]} loads */
  async prepare(loads) {
    const wanted = new Set(loads.map(({ scenario, x }) => `/prepare/${scenario}/${x}`));
    for (const path of wanted) await this.ask(path);
  }

  /** Needs an otherwise idle server. @returns {Promise<Offset>} */
  async measureOffset() {
    /** @type {Offset} */
    let best = { offset_us: NaN, bound_us: Infinity };
    for (let exchange = 0; exchange < EXCHANGES; exchange++) {
      const from_us = monotonic_us();
      const { now_us } = await this.ask('/clock');
      const to_us = monotonic_us();
      const bound_us = (to_us - from_us) / 2;
      if (bound_us < best.bound_us) best = { offset_us: now_us - (from_us + to_us) / 2, bound_us };
    }
    return best;
  }

  /** @param {string} load @returns {Promise<Marks>} */
  readMarks(load) {
    return this.ask(`/marks?load=${load}`);
  }

  /** @returns {Promise<{worker_ms: number, database_ms: number}>} CPU time so far */
  readUsage() {
    return this.ask('/usage');
  }

  close() {
    this.agent.destroy();
  }
}
