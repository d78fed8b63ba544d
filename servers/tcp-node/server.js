'use strict';

const net = require('node:net');
const tls = require('node:tls');
const { begin, failToListen, printReady, readTls } = require('../contract.cjs');
const { collectMessages } = require('../tcp-messages.cjs');

const behaviours = {
  echo(socket, reading) {
    if (reading === 'stream') socket.pipe(socket);
    else socket.on('data', collectMessages((message) => socket.write(message)));
  },
};

const { engine, settings } = begin(__dirname);

const options = { noDelay: settings.options.nodelay === 'on' };
const secrets = readTls(settings);
(secrets ? tls : net).createServer({ ...options, ...secrets }, (socket) => {
  socket.on('error', () => socket.destroy()); // the client has gone
  behaviours[settings.behaviour](socket, settings.options.reading);
}).on('error', failToListen(engine.name, settings)).listen(settings.port, settings.host, () => {
  printReady(engine, settings.port, [{ pid: process.pid, role: 'worker', index: 1 }]);
});
