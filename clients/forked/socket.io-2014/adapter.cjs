'use strict';

var io = require('socket.io-client');
var addCause = require('../polling-cause.cjs').addCause;
var receiveFiles = require('../delivery.cjs').receiveFiles;

var PING = { param: 'pong' }; // listing B.1 of the thesis

// The library's default transports. Two options differ from the listing. Without reconnection, a dropped connection is counted
// as dropped. forceNew opens one connection per call; the listing's call would share one within a process.
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
