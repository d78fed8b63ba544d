'use strict';

// mulberry32 by Tommy Ettinger (public domain): 32 bits of state, the same draws on every JavaScript engine.

/**
 * The low 32 bits of a product: Math.imul, which Node 0.10 lacks.
 * @param {number} a
 * @param {number} b
 */
function multiply(a, b) {
  return ((a & 0xffff) * b + ((((a >>> 16) * b) & 0xffff) << 16)) | 0;
}

/**
 * Spreads the bits of an integer (the finaliser of MurmurHash3), so that neighbouring streams start far apart.
 * @param {number} value
 */
function spread(value) {
  value = multiply(value ^ (value >>> 16), 0x85ebca6b);
  value = multiply(value ^ (value >>> 13), 0xc2b2ae35);
  return value ^ (value >>> 16);
}

/**
 * Makes a generator for one stream of a seed. Connection k uses stream k, so it draws the same numbers in any process.
 * @param {number} seed unsigned 32-bit integer
 * @param {number} stream unsigned 32-bit integer
 * @returns {() => number} uniform in [0, 1)
 */
exports.createGenerator = function createGenerator(seed, stream) {
  var state = spread(spread(seed | 0) ^ (stream + 0x9e3779b9));
  return function draw() {
    state = (state + 0x6d2b79f5) | 0;
    var mixed = multiply(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + multiply(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
};
