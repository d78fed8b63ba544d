'use strict';

// The three workflows of the thesis on a current stack, and newer ones.
const path = require('node:path');
const Fastify = require('fastify');
const Handlebars = require('handlebars');
const { MongoClient } = require('mongodb');
const { Server } = require('socket.io');
const { EXIT, begin, fail, failToListen, failWith, printReady, readTls } = require('../contract.cjs');
const { startDatabase, stopDatabases } = require('../page-delivery/database.cjs');
const { Routes, sessionOf } = require('../page-delivery/routes.cjs');
const { Pushes } = require('./pushes.js');

const DATABASE = path.join(__dirname, '../page-delivery/ferretdb/target/server');
const SOCKET_IO = ['/socket.io/socket.io.js'];
const WORKFLOWS = {
  server: [], ajax: [], stream: SOCKET_IO, binary: SOCKET_IO, websocket: SOCKET_IO, fetch: [], sse: [], frames: [], html: [],
};

const { engine, settings } = begin(__dirname, stopDatabases);

function openDatabase(db) {
  const collection = (count) => db.collection(`documents_${count}`);
  return { find: (count) => collection(count).find().toArray(), seed: (count, documents) => collection(count).insertMany(documents) };
}

function createApp() {
  const tls = readTls(settings);
  if (settings.options.http === '2') {
    if (tls) return Fastify({ http2: true, https: { ...tls, allowHTTP1: true } });
    fail(EXIT.settings, engine.name, 'WSCALE_OPTION_HTTP is "2" without TLS', 'set WSCALE_OPTION_TLS as well: browsers speak HTTP/2 over TLS alone');
  }
  return Fastify(tls ? { https: tls } : {});
}

function listen(database, databasePids) {
  const routes = new Routes({
    handlebars: Handlebars, Promise, filesDir: settings.memoryDir, database, databasePids, workflows: WORKFLOWS, piped: ['fetch', 'frames'],
  });
  const pushes = new Pushes(routes);
  const app = createApp();
  app.server.prependListener('request', routes.stamp);
  const get = (where, answer) => app.get(where, (request, reply) => {
    reply.hijack(); // we answer with Node's own response
    answer(request.raw, reply.raw, request.params);
  });
  get('/results', (request, response) => pushes.answerResults(request, response));
  get('/events', (request, response) => pushes.answerEvents(request, response));
  routes.forEach(get);
  new Server(app.server, { httpCompression: false, destroyUpgrade: false }).on('connection', (socket) => {
    const { query: { load }, headers: { cookie } } = socket.handshake;
    const send = (result) => socket.emit('result', result);
    const connection = { session: sessionOf(cookie), load, send, fail: () => socket.disconnect() };
    if (!routes.delivery.connect(connection)) return socket.disconnect();
    socket.on('disconnect', () => routes.delivery.disconnect(connection));
  });
  app.server.on('upgrade', (request, socket, head) => pushes.upgrade(request, socket, head));
  app.listen({ host: settings.host, port: settings.port }).then(() => {
    printReady(engine, settings.port, [{ pid: process.pid, role: 'worker', index: 1 }]);
  }, failToListen(engine.name, settings));
}

if (settings.options.database === 'none') listen();
else {
  startDatabase(engine.name, [DATABASE, settings.runDir], settings.runDir, async (address, pid) => {
    try {
      const client = await MongoClient.connect(address);
      listen(openDatabase(client.db('pages')), [pid]);
    } catch (error) {
      failWith(engine.name, error);
    }
  });
}
