'use strict';

const { createServer } = require('node:http');
const { answerNotFound, begin, failToListen, printReady } = require('../contract.cjs');
const { createUpdates } = require('../updates.cjs');

/** Longer than any polling period, so that each client keeps its one connection. */
const KEEP_ALIVE_MS = 60_000;
/** Without an update, a held request is answered after this time, empty. */
const HELD_MS = 25_000;
/** Updates must not be cached, and are plain text. */
const HEADERS = { 'Content-Type': 'text/plain', 'Cache-Control': 'no-store' };

const { engine, settings } = begin(__dirname);
const updates = createUpdates();

const transports = {
  polling: (response, since) => answer(response, updates.since(since)),

  'long-polling'(response, since) {
    if (since === undefined || since < updates.latest()) return answer(response, updates.since(since));
    const finish = (found) => {
      clearTimeout(timer);
      unsubscribe();
      answer(response, found);
    };
    const timer = setTimeout(finish, HELD_MS, []);
    const unsubscribe = updates.subscribe((update) => finish([update]));
    response.on('close', () => { clearTimeout(timer); unsubscribe(); }); // also if the client left before its answer
  },

  streaming: (response) => stream(response, 'text/plain', (update) => update),
  sse: (response) => stream(response, 'text/event-stream', (update, number) => `id: ${number}\ndata: ${update}\n\n`),
};

function answer(response, found) {
  const body = found.join('');
  response.writeHead(200, { ...HEADERS, 'Content-Length': body.length }).end(body);
}

function stream(response, type, format) {
  response.writeHead(200, { ...HEADERS, 'Content-Type': type }).flushHeaders();
  response.on('close', updates.subscribe((update, number) => response.write(format(update, number))));
}

createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
  const url = URL.parse(request.url, 'http://localhost');
  if (url?.pathname !== '/updates') return answerNotFound(request, response);
  const since = url.searchParams.get('since');
  transports[settings.options.transport](response, since === null ? undefined : Number(since));
}).on('error', failToListen(engine.name, settings)).listen(settings.port, settings.host, () => {
  printReady(engine, settings.port, [{ pid: process.pid, role: 'worker', index: 1 }]);
});
