'use strict';

// The records that a driver streams to the recorder: one for each message when its story has ended, and one for each turn
// in the life of a connection. ES5, shared by Node 0.10 and today's Node.
//
// A record is 32 bytes, little endian: kind (u32), bytes of payload received (u32), and three times as doubles, in µs of
// CLOCK_MONOTONIC. Kinds from HELLO on are followed by that many bytes of JSON.

exports.SIZE_B = 32;

exports.KIND = {
  ANSWERED: 1, // intended, actual, received
  WRONG: 2, // intended, actual, received: an answer, but not the right bytes or type
  MISSING: 3, // intended, actual: no answer when its connection went or the drain ended
  UNSENT: 4, // intended: due while its connection was not up; bytes is 1 when the other side lost that connection
  STRAY: 5, // received: an answer to nothing that was asked
  EXTRA: 6, // received: beside an answer (`file-listed`)
  OPENED: 10, // called, opened
  FAILED_LOCAL: 11, // called, failed
  FAILED_REMOTE: 12,
  DROPPED_LOCAL: 13, // opened, dropped
  DROPPED_REMOTE: 14,
  HELLO: 20, // {node}: the driver is up, its library loaded
  GOODBYE: 21 // {errors}: every record has been sent
};

/**
 * Writes one record.
 * @param {Buffer} buffer
 * @param {number} offset in bytes
 * @param {number} kind one of KIND
 * @param {number} bytes
 * @param {number} a time in µs, as are b and c; what they mean depends on the kind
 * @param {number} b
 * @param {number} c
 */
exports.write = function write(buffer, offset, kind, bytes, a, b, c) {
  var view = /** @type {any} */ (buffer); // Node 0.10 takes `true` for: skip the checks
  view.writeUInt32LE(kind, offset, true);
  view.writeUInt32LE(bytes, offset + 4, true);
  view.writeDoubleLE(a, offset + 8, true);
  view.writeDoubleLE(b, offset + 16, true);
  view.writeDoubleLE(c, offset + 24, true);
};
