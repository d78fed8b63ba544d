'use strict';

var WebSocket = require('ws');
var events = require('../text-events.cjs');

function ignore() {} // a message sent on a closing connection stays unanswered, and is counted as missing

exports.connect = function connect(url, settings, on) {
  var isPingPong = settings.behaviour === 'pingpong';
  var socket = new WebSocket(url);
  socket.on('open', on.open);
  socket.on('error', on.error);
  socket.on('close', on.close);
  socket.on('message', function (data, isBinary) {
    if (isPingPong) on.reply(events.readPong(data));
    else on.reply(isBinary ? data : data.toString());
  });
  return {
    ping: function () { socket.send(events.PING, ignore); },
    echo: function (payload) { socket.send(payload, ignore); },
    close: function () { socket.close(); }
  };
};
