'use strict';

const SCWorker = require('socketcluster/scworker');

let count = 0;

const behaviours = {
  echo: (socket) => socket.on('echo', (data) => socket.emit('echo', data)),
  pingpong: (socket) => socket.on('ping', () => socket.emit('pong', ++count)),
  idle() {}, broadcast() {}, // clients publish to a channel, and subscribe to it: SocketCluster does all of it
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
