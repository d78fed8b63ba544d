/** One client's HTTP requests: on one persistent connection, with the bytes of their headers. */
import { Agent, request } from 'node:http';
import { SOURCE_B, flatten, hasFill, readHeaders } from './headers.js';

/** @typedef {{body: string, request_b: number, response_b: number}} Answered body, and bytes of each header */

/**
 * One persistent connection per client. TCP's keep-alive probes start after 45 s, as in Chromium. Node's default is 1 s, and the
 * probes would count as bytes of the transport.
 */
export const KEPT = { keepAlive: true, keepAliveMsecs: 45_000, maxSockets: 1 };

/** The connection was lost, or an answer violates the contract. */
export class Lost extends Error {}

/** Sends requests to one server, one at a time. */
export class Requests {
  #agent = new Agent(KEPT);
  /** Bytes on the socket from earlier requests. @type {WeakMap<import('node:net').Socket, {written: number, read: number}>} */
  #known = new WeakMap();
  /** Sizes of the previous request, to compute the fill of the next one. */
  #before = { request_b: 0, response_b: 0, path_b: 0, fill_b: 0 };

  /** @param {string} url @param {string} headers the name of a file */
  constructor(url, headers) {
    const { hostname, port } = new URL(url);
    this.address = { host: hostname, port };
    this.headers = readHeaders(headers, url);
  }

  /** @param {string} path @returns {number} bytes to add to reach the source's size */
  #fillFor(path) {
    const { request_b, response_b, path_b, fill_b } = this.#before;
    if (request_b === 0 || !hasFill(this.headers)) return 0;
    return Math.max(0, SOURCE_B - response_b - (request_b - fill_b - path_b + path.length));
  }

  /** @param {string} path @returns {import('node:http').ClientRequest} not yet ended */
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
        const { socket } = response; // read now: the response loses it once complete
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
