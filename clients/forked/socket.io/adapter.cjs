'use strict';

var io = require('socket.io-client').io;
var receiveFiles = require('../delivery.cjs').receiveFiles;

var PING = { param: 'pong' }; // listing B.1 of the thesis

// The library's default transports. No reconnection, so that a dropped connection is counted as dropped.
exports.connect = function connect(url, settings, on) {
  var socket = io(url, { forceNew: true, reconnection: false });
  socket.on('connect', on.open);
  socket.on('connect_error', on.error);
  socket.io.on('error', on.error); // errors of an open connection
  socket.on('disconnect', on.close);
  socket.on('pong', on.reply);
  socket.on('echo', on.reply);
  if (settings.receivesFiles) receiveFiles(require('delivery'), socket, on);
  return {
    ping: function () { socket.emit('ping', PING); },
    echo: function (payload) { socket.emit('echo', payload); },
    close: function () { socket.disconnect(); }
  };
};
