'use strict';

// Listing B.2 of the thesis, on current Socket.IO.
const cluster = require('node:cluster');
const adapter = require('@socket.io/cluster-adapter');
const sticky = require('@socket.io/sticky');
const { Server } = require('socket.io');
const { serveCluster } = require('../cluster.cjs');
const delivering = require('../delivery-behaviours.cjs');
const { createPages } = require('../pages.cjs');

let count = 0;

function pingpong(socket) {
  socket.on('ping', () => socket.emit('pong', ++count));
}

const behaviours = {
  echo(socket) {
    socket.on('echo', (data) => socket.emit('echo', data));
  },
  broadcast(socket) {
    socket.on('broadcast', (data) => socket.nsp.emit('broadcast', data));
  },
  pingpong,
  pages: pingpong,
  ...delivering.behaviours,
  idle() {},
};

function attach(server, behave) {
  delivering.prepare(__dirname);
  const io = new Server(server);
  if (cluster.isWorker) {
    io.adapter(adapter.createAdapter());
    sticky.setupWorker(io);
    tellSessionsFirst(io.engine);
  }
  io.on('connection', behave);
}

// @socket.io/sticky 2.0.1 tells the primary of a session only after the client knows of it. On a loaded host the client may come back
// before that, to the other worker, which refuses it. So the primary is told before the answer as well.
function tellSessionsFirst(engine) {
  const { generateId } = engine;
  engine.generateId = (request) => {
    const id = generateId.call(engine, request);
    process.send({ type: 'sticky:connection', data: id });
    return id;
  };
}

// With several workers, as in the guides of the two packages: the primary reads the first bytes of each connection and hands it to
// the worker with its session. @socket.io/sticky 2.0.1 reads on until the worker has acknowledged, and drops what it reads: of 2,880
// connections on a loaded host 18 lost their packet `40` and never connected. So reading stops with the first bytes, except of a
// request with a body: the primary keeps that connection, and forwards what follows.
function handOver(server) {
  sticky.setupPrimary(server);
  server.on('connection', (socket) => socket.prependOnceListener('data', (chunk) => {
    if (!/^(content-length|transfer-encoding):/im.test(chunk.toString('latin1'))) socket._handle?.readStop();
  }));
  adapter.setupPrimary();
}

serveCluster(__dirname, behaviours, attach, createPages(__dirname, () => count), handOver);
