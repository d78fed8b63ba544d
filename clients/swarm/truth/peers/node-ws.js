/**
 * Node's ws with compression. With a certificate, over TLS by Node's OpenSSL. ../peers.js describes what a peer does. It can do what
 * truth-server does, too, by the same options: so these faults are checked over TLS with compression.
 *
 *     node node-ws.js CORRUPT [CERTIFICATE KEY] [--drop N] [--close N] [--duplicate N] [--reorder N]
 *       [--stall US --every US --stall-from US]
 *
 * CORRUPT is truth-server's --corrupt; 0 for never.
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const require = createRequire(join(import.meta.dirname, '../../../../servers/ws/server.js'));
const { WebSocketServer, OPEN } = require('ws');

const text = { type: /** @type {const} */ ('string') };
const { positionals: [corrupt, certificate, key], values: asked } = parseArgs({
  allowPositionals: true,
  options: { drop: text, close: text, duplicate: text, reorder: text, stall: text, every: text, 'stall-from': text },
});
const http = certificate ? createSecureServer({ cert: readFileSync(certificate), key: readFileSync(key) }) : createServer();
const counts = { received: 0, answered: 0, dropped: 0, duplicated: 0, reordered: 0, corrupted: 0, closed: 0, received_b: 0 };
/** As in truth-server. */
const CLOSED_AFTER = 3;
let [opened, answers] = [0, 0];

/** @param {string | undefined} every @param {number} number from 1 */
const strikes = (every, number) => Number(every) > 0 && number % Number(every) === 0;

const gate = new Int32Array(new SharedArrayBuffer(4));

/** Blocks the event loop until the end of the stall, if there is one. */
function sitOutStall() {
  if (asked.stall === undefined) return;
  const [stallUs, everyUs, fromUs] = [asked.stall, asked.every, asked['stall-from']].map((us) => parseInt(us ?? '0', 10));
  const sinceUs = Number(process.hrtime.bigint() / 1000n) - fromUs;
  if (sinceUs >= 0 && sinceUs % everyUs < stallUs) Atomics.wait(gate, 0, 0, (stallUs - (sinceUs % everyUs)) / 1000);
}

/** @typedef {{data: Buffer, binary: boolean}} Answer */

/** One connection. */
class Peer {
  /** @param {any} socket of ws */
  constructor(socket) {
    this.socket = socket;
    this.number = opened += 1;
    this.received = 0;
    /** @type {Answer | undefined} an answer that is sent after the next one */
    this.held = undefined;
    socket.on('message', (/** @type {Buffer} */ data, /** @type {boolean} */ binary) => this.take({ data, binary }));
  }

  /** @param {Answer} message */
  take(message) {
    sitOutStall();
    counts.received += 1;
    counts.received_b += message.data.length;
    this.received += 1;
    if (strikes(asked.drop, counts.received)) counts.dropped += 1;
    else this.answer(message);
    if (this.received === CLOSED_AFTER && strikes(asked.close, this.number)) {
      this.socket.close(1001);
      counts.closed += 1;
    }
  }

  /** @param {Answer} message */
  answer(message) {
    answers += 1;
    if (strikes(asked.reorder, answers) && !this.held) {
      this.held = message;
      return;
    }
    const isCorrupted = strikes(corrupt, answers);
    if (isCorrupted) message.data[message.data.length - 1] ^= 1;
    if (!this.send(message)) return;
    counts.answered += 1;
    counts.corrupted += Number(isCorrupted);
    if (!isCorrupted && strikes(asked.duplicate, answers)) counts.duplicated += Number(this.send(message));
    if (!this.held) return;
    const sent = Number(this.send(this.held));
    this.held = undefined;
    counts.reordered += sent;
    counts.answered += sent;
  }

  /** @param {Answer} message @returns {boolean} whether it went out; not while the connection closes */
  send({ data, binary }) {
    if (this.socket.readyState !== OPEN) return false;
    this.socket.send(data, { binary });
    return true;
  }
}

new WebSocketServer({ server: http, perMessageDeflate: { threshold: 0 } }).on('connection', (/** @type {any} */ socket) => new Peer(socket));
http.listen({ host: '127.0.0.1', port: 0, backlog: 511 }, () => {
  const { port } = /** @type {import('node:net').AddressInfo} */ (http.address());
  const processes = [{ pid: process.pid, role: 'worker', index: 1 }];
  console.log(`ready ${JSON.stringify({ engine: 'ws', version: 'peer', port, pid: process.pid, processes })}`);
});
process.once('SIGTERM', () => {
  console.log(JSON.stringify(counts));
  process.exit(0);
});
