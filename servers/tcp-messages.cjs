'use strict';

// Messages in a stream of bytes, for servers of the dialect tcp whose option `reading` is "whole": each begins with its length, 4 bytes,
// the highest first (CONTRACT.md, Behaviours).

var LENGTH_B = 4;

/**
 * @param {function(Buffer)} take gets each message with its length, when the last byte of it is there
 * @returns {function(Uint8Array)} takes the stream piece by piece
 */
function collectMessages(take) {
  var pieces = [];
  var held_b = 0;
  var wanted_b = LENGTH_B; // how many there must be for the next look
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

// What is left of the bytes when every whole message has been taken.
function takeWhole(held, take) {
  while (held.length >= wholeOf(held)) {
    take(held.slice(0, wholeOf(held)));
    held = held.slice(wholeOf(held));
  }
  return held;
}

// The length of the message that they begin with, as far as they say.
function wholeOf(held) {
  return held.length < LENGTH_B ? LENGTH_B : LENGTH_B + held.readUInt32BE(0);
}

exports.collectMessages = collectMessages;
