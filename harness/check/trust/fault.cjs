'use strict';

// Loaded before a server (node --require), like ../../run/duet/burn.cjs. Plants a fault below the engine, which does not know of it.
//
//   WSCALE_FAULT=drop:100   every 100th incoming message never reaches the engine
//   WSCALE_FAULT=stall:200  at the start of each second the process stops for 200 ms
//   WSCALE_FAULT_LOG=PATH   on exit it appends a line: pid, messages received, messages dropped, stalls
//
// A message is a whole masked frame of text or binary data below 126 B (RFC 6455, section 5.2). Chunks with anything else pass unchanged.
// ES5, like all code that runs in servers.
var fs = require('fs');
var Socket = require('net').Socket;

var fault = process.env.WSCALE_FAULT.split(':');
var amount = Number(fault[1]);
var came = 0;
var dropped = 0;
var stalls = 0;

function endOfMessage(chunk, at) {
  var isMasked = at + 1 < chunk.length && chunk[at + 1] >= 0x80 && chunk[at + 1] < 0x80 + 126;
  var isMessage = isMasked && (chunk[at] === 0x81 || chunk[at] === 0x82);
  return isMessage ? at + 6 + (chunk[at + 1] & 0x7f) : Infinity;
}

function listMessages(chunk) {
  var messages = [];
  var at = 0;
  var end;
  while (at < chunk.length) {
    end = endOfMessage(chunk, at);
    if (end > chunk.length) return null;
    messages.push(chunk.slice(at, end));
    at = end;
  }
  return messages;
}

function isKept() {
  came++;
  if (fault[0] !== 'drop' || came % amount !== 0) return true;
  dropped++;
  return false;
}

var push = Socket.prototype.push;
Socket.prototype.push = function pushWithFault(chunk, encoding) {
  var messages = chunk && listMessages(chunk);
  var kept = messages && messages.filter(isKept);
  if (!kept || kept.length === messages.length) return push.call(this, chunk, encoding);
  return kept.length === 0 || push.call(this, Buffer.concat(kept), encoding);
};

function stop() {
  var cell = new global.Int32Array(new global.SharedArrayBuffer(4));
  global.Atomics.wait(cell, 0, 0, amount);
  stalls++;
  waitForSecond();
}

function waitForSecond() {
  setTimeout(stop, 1000 - process.hrtime()[1] / 1e6).unref();
}

if (fault[0] === 'stall') waitForSecond();

process.on('exit', function tell() {
  fs.appendFileSync(process.env.WSCALE_FAULT_LOG, [process.pid, came, dropped, stalls].join('\t') + '\n');
});
