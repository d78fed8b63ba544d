'use strict';

// Listing B.2 of the thesis.
var createIo = require('socket.io');
var contract = require('../contract.cjs');

var count = 0;

var behaviours = {
  echo: function (socket) {
    socket.on('echo', function (data) { socket.emit('echo', data); });
  },
  pingpong: function (socket) {
    socket.on('ping', function () { socket.emit('pong', ++count); });
  },
  idle: function () {}
};

contract.serve(__dirname, behaviours, function (server, behave) {
  createIo(server).on('connection', behave);
});
