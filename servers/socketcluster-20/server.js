'use strict';

const socketClusterServer = require('socketcluster-server');
const { serve } = require('../contract.cjs');

let count = 0;

const behaviours = {
  async echo(socket) {
    for await (const data of socket.receiver('echo')) socket.transmit('echo', data);
  },
  async pingpong(socket) {
    for await (const _ of socket.receiver('ping')) socket.transmit('pong', ++count);
  },
  idle() {},
};

async function takeConnections(engine, behave) {
  for await (const { socket } of engine.listener('connection')) behave(socket);
}

serve(__dirname, behaviours, (server, behave) => {
  takeConnections(socketClusterServer.attach(server), behave);
});
