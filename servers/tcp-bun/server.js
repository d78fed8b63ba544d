'use strict';

const { listen } = require('bun');
const { begin, failToListen, printReady, readTls } = require('../contract.cjs');
const { collectMessages } = require('../tcp-messages.cjs');

const { engine, settings } = begin(__dirname);
const isPlain = settings.options.nodelay === 'off';

/** Writes, and queues in memory what the kernel does not accept, like node:net. `own` makes the rest ours: a piece that came is Bun's. */
function write(socket, bytes, own) {
  const { waiting } = socket.data;
  const taken_b = waiting.length > 0 ? 0 : Math.max(0, socket.write(bytes));
  if (taken_b < bytes.length) waiting.push(own(bytes.subarray(taken_b)));
}

/** Makes a function that takes the pieces of a connection. */
function makeReader(socket) {
  const answer = (bytes) => write(socket, bytes, (rest) => Buffer.from(rest));
  return settings.options.reading === 'stream' ? answer : collectMessages(answer);
}

const behaviours = {
  echo: {
    open(socket) {
      socket.data = { waiting: [], read: makeReader(socket) };
      socket.setNoDelay(!isPlain);
    },
    data(socket, piece) { socket.data.read(piece); },
    drain(socket) {
      const { waiting } = socket.data;
      socket.data.waiting = [];
      for (const bytes of waiting) write(socket, bytes, (rest) => rest);
    },
    error(socket) { socket.terminate(); }, // the client has gone
  },
};

try {
  listen({ hostname: settings.host, port: settings.port, exclusive: true, tls: readTls(settings), socket: behaviours[settings.behaviour] });
} catch (error) {
  failToListen(engine.name, settings)(error);
}
printReady(engine, settings.port, [{ pid: process.pid, role: 'worker', index: 1 }]);
