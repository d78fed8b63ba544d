'use strict';

// A load process: drives its share of the connections with one library, and streams records of them to the recorder.
// Strict ES5: the same file runs on Node 0.10.28 and on today's Node. All costly work is done in the recorder.
//
// usage: node driver.cjs JSON      (started by drivers.js; `go T` on standard input, records on descriptor 3)

var http = require('http');
var net = require('net');
var Connection = require('./connection.cjs');
var ErrorCounts = require('../common/error-counts.cjs');
var RecordStream = require('./record-stream.cjs');
var Schedule = require('./schedule.cjs');
var createArrivals = require('./arrivals.cjs').createArrivals;
var createPayloads = require('./payloads.cjs').createPayloads;
var warmUp = require('./warmup.cjs');
var KIND = require('../common/records.cjs').KIND;

var INTERNAL_ERROR = 70;
var FLUSH_MS = 200;
var DRAIN_CHECK_MS = 10;
var END = -1; // the id in the schedule for the end of the window

var config = JSON.parse(process.argv[2]);
var schedule = new Schedule();
var connections = []; // of this process
var arrivals = [];
var load; // shared by the connections

/** CLOCK_MONOTONIC in µs. */
function clock() {
  var time = process.hrtime();
  return time[0] * 1e6 + time[1] / 1e3;
}

function createLoad() {
  var receivesFiles = /^file/.test(config.behaviour);
  return {
    adapter: require(config.adapter),
    url: config.url,
    settings: { behaviour: config.behaviour, receivesFiles: receivesFiles },
    clock: clock,
    records: new RecordStream(openPipe()),
    errors: new ErrorCounts(),
    payloadOf: config.behaviour === 'echo' ? createPayloads(config.payload, config.seed) : null,
    file_b: receivesFiles ? config.payload.bytes : 0,
    outstanding: config.behaviour !== 'idle' && config.arrivals.outstanding || 0, // in a closed loop; 0 in an open loop
    in_flight: 0,
    end_us: 0
  };
}

// If the recorder dies, so does the driver: the pipe breaks, and standard input closes.
function openPipe() {
  var pipe = new net.Socket({ fd: 3, readable: false, writable: true });
  pipe.on('error', function () { process.exit(INTERNAL_ERROR); });
  return pipe;
}

// Node 0.10 allows 5 concurrent requests per host by default. The thesis's clients ran with this default.
function setAgent(sockets) {
  if (sockets === 'default') return;
  http.globalAgent.maxSockets = sockets;
}

/** Process k modulo the number of processes drives connection k. */
function start(start_us) {
  if (config.warmup_s > 0 && config.behaviour !== 'idle') warmUp(load, start_us);
  load.end_us = start_us + (config.ramp_s + config.settle_s + config.hold_s) * 1e6;
  for (var k = config.index; k < config.connections; k += config.processes) {
    schedule.push(start_us + (k + (config.connect_phase || 0)) / config.connect_rate_hz * 1e6, connections.length);
    connections.push(new Connection(load, k));
    arrivals.push(config.behaviour === 'idle' ? null : createArrivals(config.arrivals, config.seed, k, start_us));
  }
  schedule.push(load.end_us, END);
  setInterval(function () { load.records.flush(); }, FLUSH_MS);
  arm();
}

/** Sets the process's one timer for the next entry of the schedule. Node's timers have a resolution of 1 ms. */
function arm() {
  var next_us = schedule.next();
  if (next_us < Infinity) setTimeout(runDue, Math.max(1, Math.ceil((next_us - clock()) / 1000)));
}

function runDue() {
  schedule.runDue(clock(), visit);
  arm();
}

/** Connects a connection or sends its message, whichever is due, and returns the time when it is due again. */
function visit(id, due_us) {
  if (id === END) return drain();
  var connection = connections[id];
  var times = arrivals[id];
  var next_us;
  if (connection.isWaiting()) {
    connection.connect();
    next_us = times ? times.first(due_us) : Infinity;
  } else {
    connection.send(due_us);
    next_us = times.next(due_us);
  }
  return next_us < load.end_us ? next_us : Infinity;
}

/** Waits up to drain_s for outstanding answers. Every message of the window has been sent by now. */
function drain() {
  var until_us = clock() + config.drain_s * 1e6;
  var check = setInterval(function () {
    if (load.in_flight > 0 && clock() < until_us) return;
    clearInterval(check);
    finish();
  }, DRAIN_CHECK_MS);
  return Infinity;
}

function finish() {
  connections.forEach(function (connection) { connection.finish(); });
  load.records.addJson(KIND.GOODBYE, { errors: load.errors.counts });
}

/** Starts the load at `go T`, and exits at the end of standard input. */
function obey(input) {
  var text = '';
  input.setEncoding('utf8');
  input.on('data', function (chunk) {
    text += chunk;
    var go = /^go (\d+)\n/.exec(text);
    if (go) start(+go[1]);
    if (go) text = '';
  });
  input.on('end', function () { process.exit(0); });
  input.resume();
}

process.on('uncaughtException', function (error) {
  process.stderr.write((process.env.WSCALE_TRACE ? error.stack : String(error)) + '\n');
  process.exit(INTERNAL_ERROR);
});

load = createLoad();
setAgent(config.library_settings.agent_sockets);
obey(process.stdin);
load.records.addJson(KIND.HELLO, { node: process.version });
