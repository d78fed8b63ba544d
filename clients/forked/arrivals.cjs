'use strict';

// When each connection intends to send: the arrival processes of CONTRACT.md, as pure functions of the draws. Times in µs.

var createGenerator = require('../common/random.cjs').createGenerator;

/** @typedef {() => number} Draw uniform in [0, 1) */
/** @typedef {{first: (time_us: number) => number, next: (time_us: number) => number}} Arrivals */

/** @type {Object<string, (spec: any, draw: Draw, start_us: number) => Arrivals>} by kind */
var CREATE = {
  'uniform-interval': createUniformInterval,
  constant: createConstant,
  poisson: createPoisson,
  closed: createClosed,
  staircase: createStaircase
};

/**
 * Makes the arrivals of one connection.
 * @param {{kind: string, [key: string]: any}} spec the `arrivals` of CONTRACT.md
 * @param {number} seed unsigned 32-bit integer
 * @param {number} connection counted from 0 over all processes
 * @param {number} start_us of the load, CLOCK_MONOTONIC
 * @returns {Arrivals} `first` takes the time when the connection was due and gives that of its first message;
 *   `next` takes the time of one message and gives that of the following one
 */
exports.createArrivals = function createArrivals(spec, seed, connection, start_us) {
  return CREATE[spec.kind](spec, createGenerator(seed, connection), start_us);
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
 * Rounds gaps to whole µs: the last bits of Math.log differ between the JavaScript engines of 2014 and today.
 * @param {{rate_hz_per_connection: number}} spec
 * @param {Draw} draw
 * @returns {Arrivals}
 */
function createPoisson(spec, draw) {
  /** @param {number} time_us */
  function next(time_us) { return time_us + Math.round(-Math.log(1 - draw()) / spec.rate_hz_per_connection * 1e6); }
  return { first: next, next: next };
}

/**
 * A closed loop: each answer triggers the next message, no clock does.
 * @returns {Arrivals}
 */
function createClosed() {
  function never() { return Infinity; }
  return { first: never, next: never };
}

/**
 * Exponential gaps with a mean that changes in steps. With a grid, messages of several connections are due at the same time.
 * @param {{from_s: number, step_s: number, steps: {rate_hz_per_connection: number, grid_ms?: number}[]}} spec
 * @param {Draw} draw
 * @param {number} start_us
 * @returns {Arrivals}
 */
function createStaircase(spec, draw, start_us) {
  var from_us = spec.from_s * 1e6;
  var step_us = spec.step_s * 1e6;
  var at_us = from_us; // end of the last gap, since the start, before it is rounded up to the grid
  /** @param {number} time_us */
  function next(time_us) {
    if (time_us - start_us < from_us) at_us = from_us;
    var left = -Math.log(1 - draw());
    for (;;) {
      var number = Math.floor((at_us - from_us) / step_us);
      var step = spec.steps[number];
      if (!step) return Infinity;
      var ends_us = from_us + (number + 1) * step_us;
      var passes = step.rate_hz_per_connection / 1e6 * (ends_us - at_us);
      if (left < passes) {
        at_us = Math.round(at_us + left / step.rate_hz_per_connection * 1e6);
        return start_us + onGrid(at_us, (step.grid_ms || 0) * 1e3);
      }
      left -= passes;
      at_us = ends_us;
    }
  }
  return { first: next, next: next };
}

/**
 * @param {number} time_us
 * @param {number} grid_us 0: no grid
 * @returns {number}
 */
function onGrid(time_us, grid_us) {
  return grid_us > 0 ? Math.ceil(time_us / grid_us) * grid_us : time_us;
}
