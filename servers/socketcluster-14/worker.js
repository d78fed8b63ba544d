'use strict';

const SCWorker = require('socketcluster/scworker');

let count = 0;

const behaviours = {
  echo: (socket) => socket.on('echo', (data) => socket.emit('echo', data)),
  pingpong: (socket) => socket.on('ping', () => socket.emit('pong', ++count)),
  idle() {},
  ...require('../delivery-behaviours.cjs').prepare(__dirname),
};

class Worker extends SCWorker {
  run() {
    // SocketCluster calls a worker ready when it asked to listen; ours is ready when it does.
    this.httpServer.once('listening', () => this.sendToMaster({ pid: process.pid }));
    this.scServer.on('connection', behaviours[process.env.WSCALE_BEHAVIOUR]);
  }
}

new Worker();
