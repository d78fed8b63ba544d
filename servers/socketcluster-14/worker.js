'use strict';

const SCWorker = require('socketcluster/scworker');

let count = 0;

const behaviours = {
  echo: (socket) => socket.on('echo', (data) => socket.emit('echo', data)),
  pingpong: (socket) => socket.on('ping', () => socket.emit('pong', ++count)),
  idle() {}, broadcast() {}, // SocketCluster does it all: clients publish to a channel and subscribe to it
  ...require('../delivery-behaviours.cjs').prepare(__dirname),
};

class Worker extends SCWorker {
  run() {
    // SocketCluster reports a worker as ready once it has asked to listen; we wait until it listens.
    this.httpServer.once('listening', () => this.sendToMaster({ pid: process.pid }));
    this.scServer.on('connection', behaviours[process.env.WSCALE_BEHAVIOUR]);
  }
}

new Worker();
