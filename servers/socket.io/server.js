'use strict';

// Listing B.2 of the thesis, on the Socket.IO of today.
const { Server } = require('socket.io');
const { serve } = require('../contract.cjs');

let count = 0;

const behaviours = {
  echo(socket) {
    socket.on('echo', (data) => socket.emit('echo', data));
  },
  pingpong(socket) {
    socket.on('ping', () => socket.emit('pong', ++count));
  },
  idle() {},
};

serve(__dirname, behaviours, (server, behave) => {
  new Server(server).on('connection', behave);
});
