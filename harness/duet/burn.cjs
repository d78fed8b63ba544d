'use strict';

// Loaded before a server (node --require): each piece that is read from a connection costs WSCALE_BURN_US more. At a moderate load a
// piece is a message. It stands below every engine, so that none has to know of it. ES5, as all that runs in servers.
var Socket = require('net').Socket;

var burnNs = Number(process.env.WSCALE_BURN_US) * 1000;
var push = Socket.prototype.push;

function burn() {
  var began = process.hrtime();
  var spent;
  do {
    spent = process.hrtime(began);
  } while (spent[0] * 1e9 + spent[1] < burnNs);
}

Socket.prototype.push = function pushSlowly(chunk, encoding) {
  if (chunk) burn();
  return push.call(this, chunk, encoding);
};
