/** Shared by the JavaScript libraries (README.md, The library's program): reads commands, prints times. Runs on Node and on Bun. */
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

/**
 * @typedef {'TLSv1.2' | 'TLSv1.3'} Version
 * @typedef {{ca: Buffer, minVersion: Version, maxVersion: Version}} Secure the trusted certificate, and the only allowed version
 * @typedef {{host: string, port: number, url: string, nodelay: boolean, secure: Secure | undefined}} Target `secure` only with TLS
 * @typedef {{echo: (payload: Buffer, answered: (answer: Uint8Array[]) => void) => void, close: (closed: () => void) => void}} Connection
 *   `answered` gets the pieces as received, once the last byte has arrived
 * @typedef {(target: Target, opened: () => void) => Connection} Connect
 */

/** @param {Connect} connect calls `opened` once the connection is usable; throws errors, which end the program */
export async function drive(connect) {
  const target = readTarget();
  /** @type {Connection} */
  let connection;
  /** @type {Map<number, Buffer>} */
  const payloads = new Map();
  /** @type {Record<string, (size_b: number, count: number) => Promise<string>>} */
  const commands = {
    async connect() {
      return `connected ${await time((done) => { connection = connect(target, () => done(undefined)); })}`;
    },
    async echo(size_b, count) {
      const payload = payloads.get(size_b) ?? makePayload(size_b);
      payloads.set(size_b, payload); // cached: making one takes longer than an echo
      const times_ns = [];
      for (let k = 0; k < count; k++) {
        times_ns.push(await time((done) => connection.echo(payload, done), (answer) => checkAnswer(answer, payload)));
      }
      return `echoed ${times_ns.join(' ')}`;
    },
    async close() {
      await new Promise((/** @type {(value: void) => void} */ resolve) => connection.close(resolve));
      return 'closed';
    },
  };
  process.stdout.write('ready\n');
  for await (const line of createInterface({ input: process.stdin })) {
    const [command, size_b, count] = line.split(' ');
    process.stdout.write(`${await commands[command](Number(size_b), Number(count))}\n`);
  }
  process.exit(0);
}

/**
 * @template T
 * @param {(done: (result: T) => void) => void} act
 * @param {(result: T) => void} [check] checks the result after the clock has stopped
 * @returns {Promise<bigint>} ns from the call of `act` to that of `done`
 */
function time(act, check) {
  return new Promise((resolve, reject) => {
    const begin_ns = process.hrtime.bigint();
    act((result) => {
      const took_ns = process.hrtime.bigint() - begin_ns;
      try {
        check?.(result);
        resolve(took_ns);
      } catch (error) {
        reject(error);
      }
    });
  });
}

/** @returns {Target} */
function readTarget() {
  const url = process.env.WSCALE_URL ?? '';
  const [, host, port] = /:\/\/(.+):(\d+)$/.exec(url) ?? [];
  return { url, host, port: Number(port), nodelay: process.env.WSCALE_NODELAY !== 'off', secure: readSecure() };
}

/** @returns {Secure | undefined} */
function readSecure() {
  const { WSCALE_CA: path, WSCALE_TLS: version } = process.env;
  if (!path) return undefined;
  const only = /** @type {Version} */ (`TLSv${version}`);
  return { ca: readFileSync(path), minVersion: only, maxVersion: only };
}

/** RFC 8446, section 4.1.2, and RFC 5246, section 7.4.1.2 */
const VERSION_NUMBERS = { 'TLSv1.2': 0x0303, 'TLSv1.3': 0x0304 };

/** Bun takes versions only as numbers. @param {Secure | undefined} secure */
export const secureForBun = (secure) => secure && {
  ca: secure.ca, minVersion: VERSION_NUMBERS[secure.minVersion], maxVersion: VERSION_NUMBERS[secure.maxVersion],
};

/**
 * @param {number} size_b
 * @returns {Buffer} the same bytes in every language: byte i is i modulo 251. With `whole` reading, the length comes first
 */
function makePayload(size_b) {
  const payload = Buffer.from(Uint8Array.from({ length: size_b }, (_, index) => index % 251));
  if (process.env.WSCALE_READING !== 'whole') return payload;
  const length = Buffer.alloc(4);
  length.writeUInt32BE(size_b);
  return Buffer.concat([length, payload]);
}

/** @param {Uint8Array[]} answer @param {Buffer} payload */
function checkAnswer(answer, payload) {
  if (!Buffer.concat(answer).equals(payload)) throw new Error(`an echo of ${payload.length} B came back as other bytes`);
}

/** An answer on a stream: as many bytes as were sent, in pieces of any size. */
export class Pieces {
  /** @type {Uint8Array[]} */
  #pieces = [];
  #missing_b = 0;
  /** @type {(answer: Uint8Array[]) => void} */
  #answered = () => {};

  /** @param {number} size_b @param {(answer: Uint8Array[]) => void} answered */
  expect(size_b, answered) {
    this.#pieces = [];
    this.#missing_b = size_b;
    this.#answered = answered;
  }

  /** @param {Uint8Array} piece */
  add(piece) {
    this.#pieces.push(piece);
    this.#missing_b -= piece.length;
    if (this.#missing_b <= 0) this.#answered(this.#pieces); // the check of the bytes notices surplus bytes
  }
}
