'use strict';

// When each connection means to send: the arrival processes of CONTRACT.md, pure functions of the draws. Times in µs.

var createGenerator = require('./random.cjs').createGenerator;

/** @typedef {() => number} Draw uniform in [0, 1) */
/** @typedef {{first: (time_us: number) => number, next: (time_us: number) => number}} Arrivals */

/** @type {Object<string, (spec: any, draw: Draw) => Arrivals>} by kind */
var CREATE = {
  'uniform-interval': createUniformInterval,
  constant: createConstant,
  poisson: createPoisson,
  closed: createClosed
};

/**
 * Makes the arrivals of one connection.
 * @param {{kind: string}} spec the `arrivals` of CONTRACT.md
 * @param {number} seed unsigned 32-bit integer
 * @param {number} connection counted from 0 over all processes
 * @returns {Arrivals} `first` gives the time of the first message
 *   from the time the connection was due, `next` the time of a message from that of the one before
 */
exports.createArrivals = function createArrivals(spec, seed, connection) {
  return CREATE[spec.kind](spec, createGenerator(seed, connection));
};

/**
 * Listing A.1 of the thesis: `setInterval(ping, Math.round(Math.random() * 5000))`. A timer of 0 ms runs every 1 ms.
 * @param {{max_ms: number}} spec
 * @param {Draw} draw
 * @returns {Arrivals}
 */
function createUniformInterval(spec, draw) {
  var interval_us = Math.max(1, Math.round(draw() * spec.max_ms)) * 1000;
  /** @param {number} time_us */
  function next(time_us) { return time_us + interval_us; }
  return { first: next, next: next };
}

/**
 * @param {{period_ms: number}} spec
 * @param {Draw} draw
 * @returns {Arrivals}
 */
function createConstant(spec, draw) {
  var period_us = spec.period_ms * 1000;
  var phase_us = draw() * period_us;
  return {
    first: function (time_us) { return time_us + phase_us; },
    next: function (time_us) { return time_us + period_us; }
  };
}

/**
 * Gaps in whole µs: the last bits of Math.log differ between the engines of 2014 and today.
 * @param {{rate_hz: number}} spec
 * @param {Draw} draw
 * @returns {Arrivals}
 */
function createPoisson(spec, draw) {
  /** @param {number} time_us */
  function next(time_us) { return time_us + Math.round(-Math.log(1 - draw()) / spec.rate_hz * 1e6); }
  return { first: next, next: next };
}

/**
 * Answers set the pace, no clock.
 * @returns {Arrivals}
 */
function createClosed() {
  function never() { return Infinity; }
  return { first: never, next: never };
}
