'use strict';

// Listing B.2 of the thesis.
var createIo = require('socket.io');
var contract = require('../contract.cjs');
var delivering = require('../delivery-behaviours.cjs');
var createPages = require('../pages.cjs').createPages;

var count = 0;

function pingpong(socket) {
  socket.on('ping', function () { socket.emit('pong', ++count); });
}

var behaviours = {
  echo: function (socket) {
    socket.on('echo', function (data) { socket.emit('echo', data); });
  },
  broadcast: function (socket) {
    socket.on('broadcast', function (data) { socket.nsp.emit('broadcast', data); });
  },
  pingpong: pingpong,
  pages: pingpong,
  file: delivering.behaviours.file,
  'file-listed': delivering.behaviours['file-listed'],
  idle: function () {}
};

function attach(server, behave) {
  delivering.prepare(__dirname);
  createIo(server).on('connection', behave);
}

contract.serve(__dirname, behaviours, attach, createPages(__dirname, function () { return count; }));
