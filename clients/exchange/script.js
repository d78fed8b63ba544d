/**
 * The steps of the script on its one connection. Before each step, a *mark* (a datagram with the step's name) takes the same path
 * as the connection's packets. The marks divide the capture into steps.
 */
import { createSocket } from 'node:dgram';
import { randomBytes } from 'node:crypto';
import { connect as connectTcp } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createRequire } from 'node:module';
import { connect as connectTls } from 'node:tls';
import { monotonic_us } from '../common/start.js';

const WebSocket = createRequire(import.meta.url)('ws'); // without types: it is not installed where the suite is linted

/** Pause before each mark: longer than Linux delays an acknowledgement when round trips are short (TCP_DELACK_MIN, 40 ms). */
const QUIET_MS = 60;
/** A random payload repeats after this many bytes, so that captures of megabytes can be compressed. The messages can be, too. */
const BLOCK_B = 16384;
/** Text payloads repeat a record like those of applications; it compresses well. */
const RECORD = '{"symbol":"WSCALE","bid":101.25,"ask":101.5,"volume":4711,"time":"2014-05-05T04:04:22Z"}\n';

/** @typedef {{bytes: number, intended_us: number, received_us: number, wrong: boolean}} Answer */
/** @typedef {{url: string, tls?: string, ca?: Buffer, keep?: (line: Buffer) => void}} Where `keep` gets the keys of the TLS session */

/** @param {string} type @param {number} bytes @returns {string | Buffer} */
export function makePayload(type, bytes) {
  if (type === 'text') return RECORD.repeat(Math.ceil(bytes / RECORD.length)).slice(0, bytes);
  const block = randomBytes(Math.min(bytes, BLOCK_B));
  return Buffer.concat(Array(Math.ceil(bytes / BLOCK_B)).fill(block)).subarray(0, bytes);
}

/** Sends marks, each after a pause. */
export class Marks {
  #socket = createSocket('udp4').on('error', () => {}); // no one listens for a mark

  /** @param {string} url of the server */
  constructor(url) {
    const { hostname, port } = new URL(url);
    this.peer = { hostname, port: Number(port) };
  }

  /** @param {string} name of the step that begins */
  async set(name) {
    await sleep(QUIET_MS);
    await new Promise((resolve) => { this.#socket.send(name, this.peer.port, this.peer.hostname, resolve); });
  }

  /** After the last step. */
  async end() {
    await sleep(QUIET_MS);
    this.#socket.close();
  }
}

/** One connection of the library `ws`. */
export class Exchange {
  /** @param {Where} where @param {Marks} marks */
  constructor(where, marks) {
    this.where = where;
    this.marks = marks;
  }

  /** Step `handshake`: TCP, TLS if configured, and the opening handshake with the library's defaults. */
  async open() {
    await this.marks.set('handshake');
    this.socket = new WebSocket(this.where.url, { createConnection: () => (this.stream = this.#connect()) });
    this.socket.on('message', (/** @type {Buffer} */ data, /** @type {boolean} */ isBinary) => this.waiting.shift()?.(data, isBinary));
    await new Promise((resolve, reject) => { this.socket.on('open', resolve).on('error', reject); });
  }

  #connect() {
    const { hostname: host, port } = this.marks.peer;
    if (!this.where.tls) return connectTcp({ host, port });
    const version = /** @type {import('node:tls').SecureVersion} */ (`TLSv${this.where.tls}`);
    const stream = connectTls({ host, port, ca: this.where.ca, minVersion: version, maxVersion: version });
    if (this.where.keep) stream.on('keylog', this.where.keep);
    return stream;
  }

  /**
   * Sends the messages one at a time, each after the previous answer, or all in one write.
   * @param {string} name of the step
   * @param {(string | Buffer)[]} payloads
   * @param {boolean} [corked] in one write; TCP carries it in one segment if it fits
   * @returns {Promise<Answer[]>}
   */
  async send(name, payloads, corked = false) {
    await this.marks.set(name);
    if (!corked) {
      /** @type {Answer[]} */
      const answers = [];
      for (const payload of payloads) answers.push(await this.#echo(payload));
      return answers;
    }
    this.stream?.cork();
    const waiting = payloads.map((payload) => this.#echo(payload));
    this.stream?.uncork();
    return Promise.all(waiting);
  }

  /** @param {string | Buffer} payload @returns {Promise<Answer>} */
  async #echo(payload) {
    const { socket } = this;
    const intended_us = monotonic_us();
    /** @type {(code: number) => void} */
    let closed;
    const answered = new Promise((resolve, reject) => {
      this.waiting.push((data, isBinary) => resolve({
        bytes: data.length, intended_us, received_us: monotonic_us(), wrong: isBinary === (typeof payload === 'string') || !data.equals(Buffer.from(payload)),
      }));
      socket.once('close', closed = (/** @type {number} */ code) => reject(new Error(`the server closed the connection, with ${code}, instead of an answer to ${payload.length} B`)));
    });
    socket.send(payload);
    return answered.finally(() => socket.removeListener('close', closed));
  }

  /** Callbacks waiting for an answer, oldest first. @type {((data: Buffer, isBinary: boolean) => void)[]} */
  waiting = [];

  /** Step `heartbeat`: a ping frame and its pong (RFC 6455, section 5.5). */
  async beat() {
    await this.marks.set('heartbeat');
    this.socket.ping();
    await new Promise((resolve, reject) => {
      this.socket.once('pong', resolve).once('close', () => reject(new Error('the server closed the connection instead of answering a ping')));
    });
  }

  /** Step `close`: the closing handshakes of WebSocket and TCP. */
  async close() {
    await this.marks.set('close');
    if (this.socket.readyState === WebSocket.CLOSED) throw new Error('the server had closed the connection');
    this.socket.close();
    await new Promise((resolve) => { this.socket.once('close', resolve); });
  }
}
