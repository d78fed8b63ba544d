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
  broadcast: function (socket, sockets) {
    socket.on('message', function (data, flags) {
      sockets.forEach(function (each) { each.send(data, { binary: flags.binary === true }, ignore); });
    });
  },
  idle: function () {}
};

function ignore() {} // the client has gone

contract.serve(__dirname, behaviours, function (server, behave) {
  var engine = new WebSocketServer({ server: server });
  engine.on('connection', function (socket) {
    socket.on('error', function () { socket.terminate(); }); // the client broke the protocol or the connection
    behave(socket, engine.clients);
  });
});
