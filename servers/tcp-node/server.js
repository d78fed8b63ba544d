'use strict';

const { createServer } = require('node:net');
const { begin, failToListen, printReady } = require('../contract.cjs');

const behaviours = {
  echo(socket) { socket.pipe(socket); },
};

const { engine, settings } = begin(__dirname);

createServer({ noDelay: settings.options.nodelay === 'on' }, (socket) => {
  socket.on('error', () => socket.destroy()); // the client is gone
  behaviours[settings.behaviour](socket);
}).on('error', failToListen(engine.name, settings)).listen(settings.port, settings.host, () => {
  printReady(engine, settings.port, [{ pid: process.pid, role: 'worker', index: 1 }]);
});
