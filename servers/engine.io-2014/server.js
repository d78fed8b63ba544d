'use strict';

var Server = require('engine.io').Server;
var contract = require('../contract.cjs');

var answer = contract.createPingCounter();

var behaviours = {
  echo: function (socket) {
    socket.on('message', function (data) { socket.send(data); });
  },
  pingpong: function (socket) {
    socket.on('message', function (data) {
      var pong = answer(data);
      if (pong) socket.send(pong);
    });
  },
  broadcast: function (socket) {
    var sockets = socket.server.clients; // by id
    socket.on('message', function (data) {
      Object.keys(sockets).forEach(function (id) { sockets[id].send(data); });
    });
  },
  idle: function () {}
};

contract.serve(__dirname, behaviours, function (server, behave) {
  var engine = new Server();
  engine.attach(server);
  engine.on('connection', behave);
});
