'use strict';

const path = require('node:path');
const socketClusterServer = require('socketcluster-server');
const { serveCluster } = require('../cluster.cjs');
const { createPages } = require('../pages.cjs');

const client = 'socketcluster-client.min.js';
const scripts = { [`/${client}`]: path.join(__dirname, 'node_modules/socketcluster-client', client) };
let count = 0;

async function pingpong(socket) {
  for await (const _ of socket.receiver('ping')) socket.transmit('pong', ++count);
}

const behaviours = {
  async echo(socket) {
    for await (const data of socket.receiver('echo')) socket.transmit('echo', data);
  },
  pingpong,
  pages: pingpong,
  idle() {},
  broadcast() {}, // SocketCluster does it all: clients publish to a channel and subscribe to it
};

async function takeConnections(engine, behave) {
  for await (const { socket } of engine.listener('connection')) behave(socket);
}

function attach(server, behave) {
  takeConnections(socketClusterServer.attach(server), behave);
}

serveCluster(__dirname, behaviours, attach, createPages(__dirname, () => count, scripts));
