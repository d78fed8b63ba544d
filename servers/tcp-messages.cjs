'use strict';

// Messages in a stream of bytes, for servers of the dialect tcp with the option reading=whole. Each message begins with its length,
// 4 bytes, big endian (CONTRACT.md, Behaviours).

var LENGTH_B = 4;

/**
 * @param {function(Buffer)} take gets each message with its length prefix, once its last byte has arrived
 * @returns {function(Uint8Array)} takes the stream piece by piece
 */
function collectMessages(take) {
  var pieces = [];
  var held_b = 0;
  var wanted_b = LENGTH_B; // bytes needed before we parse again
  return function collect(piece) {
    pieces.push(piece);
    held_b += piece.length;
    if (held_b < wanted_b) return;
    var rest = takeWhole(Buffer.concat(pieces, held_b), take);
    pieces = [rest];
    held_b = rest.length;
    wanted_b = wholeOf(rest);
  };
}

// Takes every complete message and returns the remaining bytes.
function takeWhole(held, take) {
  while (held.length >= wholeOf(held)) {
    take(held.slice(0, wholeOf(held)));
    held = held.slice(wholeOf(held));
  }
  return held;
}

// The size of the first message with its prefix, or of the prefix if that is incomplete.
function wholeOf(held) {
  return held.length < LENGTH_B ? LENGTH_B : LENGTH_B + held.readUInt32BE(0);
}

exports.collectMessages = collectMessages;
