'use strict';

var WebSocket = require('ws');
var events = require('../text-events.cjs');

function ignore() {} // without a callback, ws throws if the connection is closing; the message is counted as missing

exports.connect = function connect(url, settings, on) {
  var isPingPong = settings.behaviour === 'pingpong';
  var socket = new WebSocket(url);
  socket.on('open', on.open);
  socket.on('error', on.error);
  socket.on('close', on.close);
  socket.on('message', function (data) {
    on.reply(isPingPong ? events.readPong(data) : data); // text is a string, binary a Buffer
  });
  return {
    ping: function () { socket.send(events.PING, ignore); },
    echo: function (payload) { socket.send(payload, ignore); },
    close: function () { socket.close(); }
  };
};
