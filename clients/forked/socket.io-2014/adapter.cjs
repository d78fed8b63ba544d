'use strict';

var io = require('socket.io-client');
var addCause = require('../polling-cause.cjs').addCause;
var receiveFiles = require('../delivery.cjs').receiveFiles;

var PING = { param: 'pong' }; // listing B.1 of the thesis

// Transports as the library has them by default. Unlike in the listing it does not reconnect, since a dropped connection must
// be counted as dropped, and forceNew keeps the connections of a process apart, which the listing's call would share.
exports.connect = function connect(url, settings, on) {
  var socket = io(url.replace(/^ws:/, 'http:'), { forceNew: true, reconnection: false });
  function onError(error) { on.error(addCause(socket.io.engine, error)); }
  socket.on('connect', on.open);
  socket.on('connect_error', onError);
  socket.on('error', onError);
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
