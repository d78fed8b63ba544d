'use strict';

const { Server } = require('engine.io');
const { createPingCounter, serve } = require('../contract.cjs');

const answer = createPingCounter();

const behaviours = {
  echo(socket) {
    socket.on('message', (data) => socket.send(data));
  },
  pingpong(socket) {
    socket.on('message', (data) => {
      const pong = answer(data);
      if (pong) socket.send(pong);
    });
  },
  idle() {},
};

serve(__dirname, behaviours, (server, behave) => {
  const engine = new Server();
  engine.attach(server);
  engine.on('connection', behave);
});
