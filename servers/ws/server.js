'use strict';

const { WebSocketServer } = require('ws');
const { createPingCounter, serve } = require('../contract.cjs');

const answer = createPingCounter();

const behaviours = {
  // ws gives a text message as a Buffer too: without `binary` the echo would change its type.
  echo(socket) {
    socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary }));
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
  new WebSocketServer({ server }).on('connection', (socket) => {
    socket.on('error', () => socket.terminate()); // a client that breaks the protocol, or its connection
    behave(socket);
  });
});
