/* global Deno */
import { createRequire } from 'node:module';

const contract = createRequire(import.meta.url)('../contract.cjs');

const { UNSENT_MAX_B, answerJsonPing, begin, createPingCounter, failToListen, printReady } = contract;

const { engine, settings } = begin(import.meta.dirname);
const sockets = new Set();

// By name: called with each message, a string or an ArrayBuffer.
const behaviours = {
  echo: send,
  pingpong: answerWith(createPingCounter()),
  idle() {},
  broadcast(_, data) {
    for (const socket of sockets) if (socket.readyState === WebSocket.OPEN) send(socket, data);
  },
  'json-ping': answerWith(answerJsonPing),
};

// Closes the connection of a client that does not read: Deno would queue without a limit.
function send(socket, data) {
  socket.send(data);
  if (socket.bufferedAmount > UNSENT_MAX_B) socket.close();
}

function answerWith(answer) {
  return (socket, data) => {
    const pong = answer(data);
    if (pong) send(socket, pong);
  };
}

function upgrade(request) {
  if (request.headers.get('upgrade')?.toLowerCase() !== 'websocket') return new Response(null, { status: 404 });
  const { socket, response } = Deno.upgradeWebSocket(request, { idleTimeout: 0 });
  const behave = behaviours[settings.behaviour];
  socket.binaryType = 'arraybuffer';
  socket.onopen = () => sockets.add(socket);
  socket.onmessage = ({ data }) => behave(socket, data);
  socket.onclose = () => sockets.delete(socket);
  return response;
}

try {
  Deno.serve({
    hostname: settings.host,
    port: settings.port,
    onListen: () => printReady(engine, settings.port, [{ pid: Deno.pid, role: 'worker', index: 1 }]),
  }, upgrade);
} catch (error) {
  failToListen(engine.name, settings)(error);
}
