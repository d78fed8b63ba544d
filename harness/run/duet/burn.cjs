'use strict';

// Loaded before a server (node --require): each message read from a connection costs WSCALE_BURN_US more. It patches net.Socket, so no
// engine has to know of it. The most frequent chunk length is taken as one message; a server that lags behind reads several messages as
// one chunk. ES5, like all code that runs in servers.
var Socket = require('net').Socket;

var burnNs = Number(process.env.WSCALE_BURN_US) * 1000;
var push = Socket.prototype.push;
var seen = {}; // number of chunks by length
var usual = 0;

function burn(messages) {
  var began = process.hrtime();
  var spent;
  do {
    spent = process.hrtime(began);
  } while (spent[0] * 1e9 + spent[1] < messages * burnNs);
}

function countMessages(length) {
  seen[length] = (seen[length] || 0) + 1;
  if (seen[length] > (seen[usual] || 0)) usual = length;
  return Math.max(1, Math.round(length / usual));
}

Socket.prototype.push = function pushSlowly(chunk, encoding) {
  if (chunk) burn(countMessages(chunk.length));
  return push.call(this, chunk, encoding);
};
