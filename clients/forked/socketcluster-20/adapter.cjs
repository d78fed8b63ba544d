'use strict';

var client = require('socketcluster-client');

var PING = { param: 'pong' }; // listing A.1 of the thesis

async function forEach(stream, visit) {
  for await (const item of stream) visit(item);
}

// Not reconnecting: a dropped connection must be counted as dropped. The library keeps the system's error to itself, so it is
// taken from the ws underneath.
exports.connect = function connect(url, settings, on) {
  const { hostname, port } = new URL(url);
  const socket = client.create({ hostname, port: Number(port), autoReconnect: false });
  socket.transport.socket.on('error', on.error);
  forEach(socket.listener('connect'), on.open);
  forEach(socket.listener('error'), ({ error }) => on.error(error));
  forEach(socket.listener('connectAbort'), ({ code, reason }) => on.close(`${code} ${reason}`));
  forEach(socket.listener('disconnect'), ({ code, reason }) => on.close(`${code} ${reason}`));
  forEach(socket.receiver('pong'), on.reply);
  forEach(socket.receiver('echo'), on.reply);
  return {
    ping: () => socket.transmit('ping', PING),
    echo: (payload) => socket.transmit('echo', payload),
    close: () => socket.disconnect(),
  };
};
