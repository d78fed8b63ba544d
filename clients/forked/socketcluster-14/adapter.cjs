'use strict';

// Makes the library use its dependency `ws`, as in its time: Node had no WebSocket of its own then.
delete global.WebSocket;
var client = require('socketcluster-client');
var receiveFiles = require('../delivery.cjs').receiveFiles;

var PING = { param: 'pong' }; // listing A.1 of the thesis

// No reconnection, so that a dropped connection is counted as dropped. The library hides the system's error, so we take it from
// the underlying ws.
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
