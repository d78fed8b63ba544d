'use strict';

const { server: WebSocketServer } = require('websocket');
const { MESSAGE_MAX_B, UNSENT_MAX_B, answerJsonPing, createPingCounter, serve } = require('../contract.cjs');

const behaviours = {
  echo(connection) {
    connection.on('message', ({ type, utf8Data, binaryData }) => send(connection, type === 'utf8' ? utf8Data : binaryData));
  },
  pingpong: answerWith(createPingCounter()),
  idle() {},
  broadcast(connection, connections) {
    connection.on('message', ({ type, utf8Data, binaryData }) => {
      for (const each of connections) send(each, type === 'utf8' ? utf8Data : binaryData);
    });
  },
  'json-ping': answerWith(answerJsonPing),
};

function answerWith(answer) {
  return (connection) => connection.on('message', ({ utf8Data }) => {
    const pong = utf8Data && answer(utf8Data);
    if (pong) send(connection, pong);
  });
}

// Closes the connection of a client that does not read: the engine would queue without a limit. A single answer may exceed the limit.
function send(connection, data) {
  if (connection.socket.writableLength > UNSENT_MAX_B) connection.socket.destroy();
  else connection.send(data);
}

serve(__dirname, behaviours, (httpServer, behave) => {
  const options = { httpServer, maxReceivedFrameSize: MESSAGE_MAX_B, maxReceivedMessageSize: MESSAGE_MAX_B, keepalive: false };
  const engine = new WebSocketServer(options).on('request', (request) => {
    const connection = request.accept(null, request.origin).on('error', () => {}); // the client broke it; the engine closes it
    behave(connection, engine.connections);
  });
});
