'use strict';

const { Server } = require('engine.io');
const { createPingCounter, serve } = require('../contract.cjs');
const { createPusher } = require('../updates.cjs');

const TRANSPORTS = { polling: ['polling'], websocket: ['websocket'], upgrade: ['polling', 'websocket'] };
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
  broadcast(socket) {
    socket.on('message', (data) => {
      for (const each of Object.values(socket.server.clients)) each.send(data);
    });
  },
  updates: createPusher(),
};

serve(__dirname, behaviours, (server, behave) => {
  const engine = new Server({ transports: TRANSPORTS[process.env.WSCALE_OPTION_TRANSPORTS] });
  engine.attach(server);
  engine.on('connection', behave);
});
