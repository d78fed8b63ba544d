'use strict';

const { serve } = require('bun');
const {
  MESSAGE_MAX_B, UNSENT_MAX_B, answerJsonPing, begin, createPingCounter, failToListen, printReady, readTls,
} = require('../contract.cjs');

const EVERYONE = 'everyone';
const { engine, settings } = begin(__dirname);
const compresses = settings.options.deflate === 'on'; // passed with each message

// Text messages arrive as strings, binary ones as Buffers. Bun sends a string as text and a Buffer as binary.
const behaviours = {
  echo: {
    message(socket, data) { send(socket, data, compresses); },
  },
  pingpong: answerWith(createPingCounter()),
  idle: {
    message() {},
  },
  broadcast: {
    open(socket) { socket.subscribe(EVERYONE); },
    message(socket, data) { server.publish(EVERYONE, data, compresses); }, // socket.publish() would skip the sender
  },
  'json-ping': answerWith(answerJsonPing),
};

function answerWith(answer) {
  return {
    message(socket, data) {
      const pong = answer(data);
      if (pong) send(socket, pong, false);
    },
  };
}

// Above its limit, Bun drops an answer and returns 0, as for an empty answer. It does not always close the connection, so we do.
function send(socket, data, compress) {
  if (socket.send(data, compress) === 0 && data.length > 0) socket.terminate();
}

const server = listen({
  hostname: settings.host,
  port: settings.port,
  reusePort: false, // fail if the port is in use, instead of sharing it
  tls: readTls(settings),
  fetch(request, http) {
    if (!http.upgrade(request)) return new Response(null, { status: 404 });
  },
  websocket: {
    ...behaviours[settings.behaviour],
    perMessageDeflate: compresses,
    maxPayloadLength: MESSAGE_MAX_B,
    backpressureLimit: UNSENT_MAX_B,
    closeOnBackpressureLimit: true,
    idleTimeout: 0,
  },
});
printReady(engine, settings.port, [{ pid: process.pid, role: 'worker', index: 1 }]);

function listen(options) {
  try {
    return serve(options);
  } catch (error) {
    return failToListen(engine.name, settings)(error);
  }
}
