'use strict';

var WebSocketServer = require('ws').Server;
var contract = require('../contract.cjs');

var answer = contract.createPingCounter();

var behaviours = {
  echo: function (socket) {
    socket.on('message', function (data, flags) {
      socket.send(data, { binary: flags.binary === true });
    });
  },
  pingpong: function (socket) {
    socket.on('message', function (data) {
      var pong = answer(data);
      if (pong) socket.send(pong);
    });
  },
  idle: function () {}
};

contract.serve(__dirname, behaviours, function (server, behave) {
  new WebSocketServer({ server: server }).on('connection', function (socket) {
    socket.on('error', function () { socket.terminate(); }); // a client that breaks the protocol, or its connection
    behave(socket);
  });
});
