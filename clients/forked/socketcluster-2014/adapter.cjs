'use strict';

var parse = require('url').parse;
var client = require('socketcluster-client');
var addCause = require('../polling-cause.cjs').addCause;
var receiveFiles = require('../delivery.cjs').receiveFiles;

var PING = { param: 'pong' }; // listing A.1 of the thesis

// The options of listing A.1 without autoReconnect, so that a dropped connection is counted as dropped. The library subscribes to
// each event that we listen to, so we listen only to the event of the behaviour.
exports.connect = function connect(url, settings, on) {
  var address = parse(url);
  var socket = client.connect({ protocol: 'http', hostname: address.hostname, port: address.port, autoReconnect: false });
  socket.on('connect', on.open);
  socket.on('error', function (error) { on.error(addCause(socket, error)); });
  socket.on('close', on.close);
  if (settings.behaviour === 'pingpong') socket.on('pong', on.reply);
  if (settings.behaviour === 'echo') socket.on('echo', on.reply);
  if (settings.receivesFiles) receiveFiles(require('delivery'), socket, on);
  return {
    ping: function () { socket.emit('ping', PING); },
    echo: function (payload) { socket.emit('echo', payload); },
    close: function () { socket.disconnect(); }
  };
};
