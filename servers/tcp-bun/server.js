'use strict';

const { listen } = require('bun');
const { begin, failToListen, printReady, readTls } = require('../contract.cjs');

const { engine, settings } = begin(__dirname);
const isPlain = settings.options.nodelay === 'off';

/** What the kernel did not take yet: what a slow client does not read waits in memory, as with node:net. */
function write(socket, bytes) {
  const taken_b = socket.data.length > 0 ? 0 : Math.max(0, socket.write(bytes));
  if (taken_b < bytes.length) socket.data.push(Buffer.from(bytes.subarray(taken_b)));
}

const behaviours = {
  echo: {
    open(socket) {
      socket.data = [];
      socket.setNoDelay(!isPlain);
    },
    data: write,
    drain(socket) {
      const waiting = socket.data;
      socket.data = [];
      for (const bytes of waiting) write(socket, bytes);
    },
    error(socket) { socket.terminate(); }, // the client is gone
  },
};

try {
  listen({ hostname: settings.host, port: settings.port, exclusive: true, tls: readTls(settings), socket: behaviours[settings.behaviour] });
} catch (error) {
  failToListen(engine.name, settings)(error);
}
printReady(engine, settings.port, [{ pid: process.pid, role: 'worker', index: 1 }]);
