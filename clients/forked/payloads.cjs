'use strict';

// Makes the payloads to send, and checks the answers.

/** @typedef {{type: string, bytes: number}} Payload */

var createGenerator = require('../common/random.cjs').createGenerator;

// Characters that JSON does not escape, so that a text of n bytes has n bytes in every dialect.
var LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

// Payloads differ between connections, so that an answer on the wrong connection is noticed. There are only a few, so that
// thousands of connections with large payloads fit in memory.
var POOL_SIZE = 16;
var FIRST_STREAM = 0x80000000; // connections use the lower stream numbers

var FILE_PERIOD = 251; // byte i of a file is i modulo 251: servers/CONTRACT.md
var FILE_SAMPLES = 64;

var COMPARES = 'compare' in Buffer.prototype; // Node 0.10 has no native comparison

/** @type {(size_b: number) => Buffer} */
var allocate = Buffer.alloc || function (size_b) { return new Buffer(size_b); };

/**
 * Makes the payloads of a workload.
 * @param {Payload} spec the `payload` of CONTRACT.md
 * @param {number} seed unsigned 32-bit integer
 * @returns {(connection: number) => string | Buffer} the payload of a connection; connections are counted over all processes
 */
exports.createPayloads = function createPayloads(spec, seed) {
  /** @type {(string | Buffer)[]} */
  var pool = [];
  for (var i = 0; i < POOL_SIZE; i++) pool.push(createPayload(spec, createGenerator(seed, FIRST_STREAM + i)));
  return function payloadOf(connection) { return pool[connection % POOL_SIZE]; };
};

/**
 * @param {Payload} spec
 * @param {() => number} draw uniform in [0, 1)
 */
function createPayload(spec, draw) {
  var buffer = allocate(spec.bytes);
  for (var i = 0; i < spec.bytes; i++) {
    buffer[i] = spec.type === 'text' ? LETTERS.charCodeAt(Math.floor(draw() * LETTERS.length)) : Math.floor(draw() * 256);
  }
  return spec.type === 'text' ? buffer.toString('utf8') : buffer;
}

/**
 * @param {string|Buffer} sent
 * @param {*} received a binary message may be any kind of binary object
 * @returns {boolean} whether it has the same bytes and the same type
 */
exports.isEcho = function isEcho(sent, received) {
  if (typeof sent === 'string' || typeof received === 'string') return sent === received;
  var bytes = toBytes(received);
  if (!bytes || bytes.length !== sent.length) return false;
  return COMPARES && Buffer.isBuffer(bytes) ? sent.compare(bytes) === 0 : areEqual(sent, bytes);
};

/**
 * @param {*} value
 * @returns {Uint8Array | null} null if it is not binary
 */
function toBytes(value) {
  if (Buffer.isBuffer(value) || value instanceof Uint8Array) return value;
  return value instanceof ArrayBuffer ? new Uint8Array(value) : null;
}

/**
 * @param {Uint8Array} a
 * @param {Uint8Array} b
 */
function areEqual(a, b) {
  for (var i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/**
 * @param {number} size_b
 * @param {*} received
 * @returns {boolean} whether it is the file of servers/CONTRACT.md. A file may be large: we check its size, a sample of evenly
 *   spaced bytes, and the last byte
 */
exports.isFile = function isFile(size_b, received) {
  if (!Buffer.isBuffer(received) || received.length !== size_b) return false;
  var step = Math.ceil(size_b / FILE_SAMPLES);
  for (var i = 0; i < size_b; i += step) if (received[i] !== i % FILE_PERIOD) return false;
  return received[size_b - 1] === (size_b - 1) % FILE_PERIOD;
};

/**
 * @param {number} last count in the previous answer on the same connection, 0 for the first
 * @param {*} received
 * @returns {boolean} whether the worker's count of pings has risen, as in listing A.2 of the thesis
 */
exports.isCountAbove = function isCountAbove(last, received) {
  return typeof received === 'number' && received > last && received % 1 === 0;
};

/**
 * @param {*} received
 * @returns {number} bytes of application payload: the digits of a number; 0 for a type that no dialect should deliver
 */
exports.sizeOf = function sizeOf(received) {
  if (typeof received === 'number') return String(received).length;
  if (typeof received === 'string') return Buffer.byteLength(received);
  var bytes = toBytes(received);
  return bytes ? bytes.length : 0;
};
