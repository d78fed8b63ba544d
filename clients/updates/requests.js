/** One client's HTTP: one connection that is kept, and the bytes of headers on it. */
import { Agent, request } from 'node:http';
import { SOURCE_B, flatten, hasFill, readHeaders } from './headers.js';

/** @typedef {{body: string, request_b: number, response_b: number}} Answered bytes of both headers */

/**
 * Connections are kept, one a client. TCP looks after an idle one as late as Chromium's does: by default Node would have it probe each
 * second, and the probes would count as bytes of a transport.
 */
export const KEPT = { keepAlive: true, keepAliveMsecs: 45_000, maxSockets: 1 };

/** The connection is lost, or not as the contract has it. */
export class Lost extends Error {}

/** Asks one server, one request at a time. */
export class Requests {
  #agent = new Agent(KEPT);
  /** Bytes of the socket that earlier requests account for. @type {WeakMap<import('node:net').Socket, {written: number, read: number}>} */
  #known = new WeakMap();
  /** Of the request before: what the next one's size is reckoned from. */
  #before = { request_b: 0, response_b: 0, path_b: 0, fill_b: 0 };

  /** @param {string} url @param {string} headers the name of a file */
  constructor(url, headers) {
    const { hostname, port } = new URL(url);
    this.address = { host: hostname, port };
    this.headers = readHeaders(headers, url);
  }

  /** @param {string} path @returns {number} bytes that the headers lack of the source's */
  #fillFor(path) {
    const { request_b, response_b, path_b, fill_b } = this.#before;
    if (request_b === 0 || !hasFill(this.headers)) return 0;
    return Math.max(0, SOURCE_B - response_b - (request_b - fill_b - path_b + path.length));
  }

  /** @param {string} path @returns {import('node:http').ClientRequest} begun */
  begin(path) {
    return request({ ...this.address, path, agent: this.#agent, headers: flatten(this.headers, this.#fillFor(path)) });
  }

  /** @param {string} path @returns {Promise<Answered>} rejects with Lost */
  ask(path) {
    const fill_b = this.#fillFor(path);
    return new Promise((resolve, reject) => {
      const lose = (/** @type {Error} */ cause) => reject(new Lost(cause.message, { cause }));
      const asked = this.begin(path);
      asked.on('error', lose).on('response', (response) => {
        const { socket } = response; // gone from the response when it is whole
        let body = '';
        response.setEncoding('latin1').on('error', lose).on('data', (text) => { body += text; }).on('end', () => {
          if (response.statusCode !== 200) return lose(new Error(`GET ${path} was answered ${response.statusCode}`));
          const { written, read } = this.#account(socket);
          this.#before = { request_b: written, response_b: read - body.length, path_b: path.length, fill_b };
          resolve({ body, request_b: written, response_b: read - body.length });
        });
      }).end();
    });
  }

  /** @param {import('node:net').Socket} socket @returns {{written: number, read: number}} bytes since the last request on it */
  #account(socket) {
    const known = this.#known.get(socket) ?? { written: 0, read: 0 };
    const now = { written: socket.bytesWritten, read: socket.bytesRead };
    this.#known.set(socket, now);
    return { written: now.written - known.written, read: now.read - known.read };
  }

  close() {
    this.#agent.destroy();
  }
}
