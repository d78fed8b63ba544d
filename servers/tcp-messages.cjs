'use strict';

// Messages in a stream of bytes, for servers of the dialect tcp whose option `reading` is "whole": each begins with its length, 4 bytes, the
// highest first (CONTRACT.md, Behaviours).

const LENGTH_B = 4;

/**
 * @param {(message: Buffer) => void} take gets each message with its length, when the last byte of it is there
 * @returns {(piece: Uint8Array) => void} takes the stream piece by piece
 */
function collectMessages(take) {
  let pieces = [];
  let held_b = 0;
  let wanted_b = 0; // 0: the length is not known
  return (piece) => {
    pieces.push(piece);
    held_b += piece.length;
    while (held_b >= (wanted_b || LENGTH_B)) {
      const held = pieces.length > 1 ? Buffer.concat(pieces) : Buffer.from(pieces[0].buffer, pieces[0].byteOffset, pieces[0].length);
      const whole_b = LENGTH_B + held.readUInt32BE(0);
      const isWhole = held_b >= whole_b;
      if (isWhole) take(held.subarray(0, whole_b));
      const rest = isWhole ? held.subarray(whole_b) : held;
      pieces = rest.length ? [rest] : [];
      held_b = rest.length;
      wanted_b = isWhole ? 0 : whole_b;
    }
  };
}

exports.collectMessages = collectMessages;
