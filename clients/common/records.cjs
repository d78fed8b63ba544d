'use strict';

// The records that a driver streams to the recorder: one per message, once its outcome is known, and one per change of a
// connection's state. ES5, shared by Node 0.10 and today's Node.
//
// A record is 32 bytes, little endian: kind (u32), bytes of payload received (u32), and three times as doubles, in µs of
// CLOCK_MONOTONIC. From kind HELLO on, `bytes` counts the bytes of JSON that follow the record.

exports.SIZE_B = 32;

exports.KIND = {
  ANSWERED: 1, // intended, actual, received
  WRONG: 2, // intended, actual, received: an answer, but not the right bytes or type
  MISSING: 3, // intended, actual: no answer before the connection closed or the drain ended
  UNSENT: 4, // intended: due while its connection was not up; bytes is 1 when the other side lost that connection
  STRAY: 5, // received: an answer without a request
  EXTRA: 6, // received: bytes in addition to an answer (`file-listed`)
  OPENED: 10, // called, opened
  FAILED_LOCAL: 11, // called, failed
  FAILED_REMOTE: 12,
  DROPPED_LOCAL: 13, // opened, dropped
  DROPPED_REMOTE: 14,
  HELLO: 20, // {node}: the driver runs and has loaded its library
  GOODBYE: 21 // {errors}: the driver has sent every record
};

/**
 * Writes one record.
 * @param {Buffer} buffer
 * @param {number} offset in bytes
 * @param {number} kind one of KIND
 * @param {number} bytes
 * @param {number} a time in µs, like b and c; the kind says of what
 * @param {number} b
 * @param {number} c
 */
exports.write = function write(buffer, offset, kind, bytes, a, b, c) {
  var view = /** @type {any} */ (buffer); // in Node 0.10, a last argument of `true` skips the bounds checks
  view.writeUInt32LE(kind, offset, true);
  view.writeUInt32LE(bytes, offset + 4, true);
  view.writeDoubleLE(a, offset + 8, true);
  view.writeDoubleLE(b, offset + 16, true);
  view.writeDoubleLE(c, offset + 24, true);
};
