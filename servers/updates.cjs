'use strict';

// The behaviour `updates` (CONTRACT.md): a stream of events made by the server, the same over every transport.
// ES5, like contract.cjs: an engine of 2014 may send it too.

var contract = require('./contract.cjs');
var createGenerator = require('../clients/common/random.cjs').createGenerator;

// An update consists of its number, from 1, and its time, both in base 36 with leading zeros.
var NUMBER_LETTERS = 8;
var TIME_LETTERS = 12;

// Updates kept for polling clients: more than there are between two polls of any period.
var KEPT = 10000;

/** CLOCK_MONOTONIC in whole µs. All processes of a host share this clock. */
function now_us() {
  var time = process.hrtime();
  return time[0] * 1e6 + Math.floor(time[1] / 1e3);
}

function readNumber(name, min, max) {
  var value = process.env[name];
  if (/^\d+$/.test(value) && +value >= min && +value <= max) return +value;
  return contract.fail(contract.EXIT.settings, 'updates', name + ' is "' + (value || '') + '"',
    'set it to a whole number from ' + min + ' to ' + max);
}

function padded(number, letters) {
  var text = number.toString(36);
  while (text.length < letters) text = '0' + text;
  return text;
}

/**
 * Makes the stream. It starts with the first client, so that all trials of a seed have the same updates at the same time of their
 * load, however long the server took to start. Gaps are exponential with the mean period, drawn from the seed. The schedule does not
 * slip: overdue updates are made at once.
 * @returns {object} `since(n)`: the updates after number n, or without n only the latest; `latest()`: its number;
 *   `subscribe(listener)` calls the listener with each new update and its number, and returns a function to unsubscribe
 */
exports.createUpdates = function createUpdates() {
  var period_ms = readNumber('WSCALE_UPDATE_PERIOD_MS', 0, 86400000);
  var draw = createGenerator(readNumber('WSCALE_SEED', 0, 4294967295), 0);
  var kept = [];
  var count = 0;
  var listeners = {}; // by the number of its subscription
  var subscribed = 0;
  var due_us;

  function make() {
    kept.push(padded(++count, NUMBER_LETTERS) + padded(now_us(), TIME_LETTERS));
    if (kept.length > 2 * KEPT) kept = kept.slice(-KEPT);
    Object.keys(listeners).forEach(function (id) { if (listeners[id]) listeners[id](kept[kept.length - 1], count); });
  }

  function schedule() {
    due_us += -Math.log(1 - draw()) * period_ms * 1e3;
    setTimeout(run, Math.max(0, (due_us - now_us()) / 1e3));
  }

  function run() {
    make();
    schedule();
  }

  function begin() {
    if (due_us !== undefined || period_ms === 0) return;
    due_us = now_us();
    schedule();
  }

  return {
    since: function (number) {
      begin();
      if (number === undefined) return kept.slice(-1);
      return number < count ? kept.slice(Math.max(0, kept.length - (count - number))) : [];
    },
    latest: function () { return count; },
    subscribe: function (listener) {
      begin();
      var id = ++subscribed;
      listeners[id] = listener;
      return function end() { delete listeners[id]; };
    }
  };
};

/**
 * Makes the behaviour for engines whose connections have `send` and a `close` event: sends each update to every connection.
 * @returns {function(object)} called with each open connection
 */
exports.createPusher = function createPusher() {
  if (process.env.WSCALE_BEHAVIOUR !== 'updates') return function () {}; // never called
  var updates = exports.createUpdates();
  return function push(socket) {
    socket.on('close', updates.subscribe(function (update) { socket.send(update); }));
  };
};
