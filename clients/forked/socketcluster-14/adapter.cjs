'use strict';

// In the library's day Node had no WebSocket of its own, and it took the `ws` it depends on.
delete global.WebSocket;
var client = require('socketcluster-client');
var receiveFiles = require('../delivery.cjs').receiveFiles;

var PING = { param: 'pong' }; // listing A.1 of the thesis

// Not reconnecting: a dropped connection must be counted as dropped. The library keeps the system's error to itself, so it is
// taken from the ws underneath.
exports.connect = function connect(url, settings, on) {
  var address = new URL(url);
  var socket = client.create({ hostname: address.hostname, port: address.port, multiplex: false, autoReconnect: false });
  socket.transport.socket.prependListener('error', on.error); // before the library closes the connection
  socket.on('connect', on.open);
  socket.on('error', on.error);
  socket.on('connectAbort', on.close);
  socket.on('disconnect', on.close);
  socket.on('pong', on.reply);
  socket.on('echo', on.reply);
  if (settings.receivesFiles) receiveFiles(require('delivery'), socket, on);
  return {
    ping: function () { socket.emit('ping', PING); },
    echo: function (payload) { socket.emit('echo', payload); },
    close: function () { socket.destroy(); }
  };
};
