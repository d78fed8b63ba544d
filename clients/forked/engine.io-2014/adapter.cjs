'use strict';

var connectSocket = require('engine.io-client');
var addCause = require('../polling-cause.cjs').addCause;
var events = require('../text-events.cjs');

// The library's default transports: it starts with polling and upgrades. It never reconnects.
exports.connect = function connect(url, settings, on) {
  var isPingPong = settings.behaviour === 'pingpong';
  var socket = connectSocket(url);
  socket.on('open', on.open);
  socket.on('error', function (error) { on.error(addCause(socket, error)); });
  socket.on('close', on.close);
  socket.on('message', function (data) {
    on.reply(isPingPong ? events.readPong(data) : data);
  });
  return {
    ping: function () { socket.send(events.PING); },
    echo: function (payload) { socket.send(payload); },
    close: function () { socket.close(); }
  };
};
