'use strict';

const { OPEN, WebSocketServer } = require('ws');
const { serveCluster } = require('../cluster.cjs');
const { UNSENT_MAX_B, answerJsonPing, createPingCounter } = require('../contract.cjs');
const { createPusher } = require('../updates.cjs');

const behaviours = {
  // ws delivers text as a Buffer, too: without `binary` the echo would change its type.
  echo(socket) {
    socket.on('message', (data, isBinary) => send(socket, data, isBinary));
  },
  pingpong: answerWith(createPingCounter()),
  idle() {},
  broadcast(socket, sockets) {
    socket.on('message', (data, isBinary) => {
      for (const each of sockets) if (each.readyState === OPEN) send(each, data, isBinary);
    });
  },
  'json-ping': answerWith(answerJsonPing),
  updates: createPusher(),
};

// Closes the connection of a client that does not read: ws would queue without a limit. A single answer may exceed the limit.
function send(socket, data, isBinary) {
  if (socket.bufferedAmount > UNSENT_MAX_B) socket.terminate();
  else socket.send(data, { binary: isBinary });
}

function answerWith(answer) {
  return (socket) => socket.on('message', (data) => {
    const pong = answer(data);
    if (pong) send(socket, pong, false);
  });
}

serveCluster(__dirname, behaviours, (server, behave, { options }) => {
  const { clients } = new WebSocketServer({ server, perMessageDeflate: options.deflate === 'on' }).on('connection', (socket, request) => {
    if (options.nodelay === 'off') request.socket.setNoDelay(false); // ws has set it
    socket.on('error', () => socket.terminate()); // the client broke the protocol or the connection
    behave(socket, clients);
  });
});
