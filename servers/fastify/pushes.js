'use strict';

// Pushes results in ways newer than the thesis: a streamed body, Server-Sent Events, and frames of a plain WebSocket.
const { createReadStream } = require('node:fs');
const { WebSocketServer } = require('ws');
const { loadOf, refuse, sessionOf } = require('../page-delivery/routes.cjs');

class Pushes {
  /** @param {import('../page-delivery/routes.cjs').Routes} routes */
  constructor({ delivery, scenarios }) {
    this.delivery = delivery;
    this.scenarios = scenarios;
    this.sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false });
  }

  /** @returns {object|undefined} the visit, if it belongs to this session */
  #findOwn(request) {
    return this.delivery.claim(loadOf(request), sessionOf(request.headers.cookie));
  }

  answerResults(request, response) {
    const visit = this.#findOwn(request);
    if (visit?.asked.scenario === 'files') return this.#pipeFile(response, visit);
    return this.#push(visit, response, 'application/x-ndjson', (line) => `${line}\n`);
  }

  answerEvents(request, response) {
    this.#push(this.#findOwn(request), response, 'text/event-stream', (line) => `data: ${line}\n\n`);
  }

  /** Streams a body, which ends with the last result. */
  #push(visit, response, type, format) {
    if (!visit) return refuse(response, 404, 'there was no such load');
    response.writeHead(200, { 'Cache-Control': 'no-store', 'Content-Type': type });
    let left = visit.keys.length;
    const write = (text) => {
      response.write(format(text));
      if (--left === 0) response.end();
    };
    response.on('close', this.#attend(visit, write, () => response.destroy()));
  }

  #pipeFile(response, visit) {
    response.writeHead(200, { 'Cache-Control': 'no-store', 'Content-Type': 'application/octet-stream' });
    this.#readFile(visit).on('error', () => response.destroy()).pipe(response);
  }

  #readFile(visit) {
    this.delivery.mark(visit, 'connected_us');
    return createReadStream(this.scenarios.filePath(visit.asked.x));
  }

  /** Sends the visit's results as text from now on. @returns {function()} stops this */
  #attend({ load, session }, write, fail) {
    const connection = { load, session, send: (result) => write(JSON.stringify(result)), fail };
    this.delivery.connect(connection);
    return () => this.delivery.disconnect(connection);
  }

  /** Upgrades to a plain WebSocket; Socket.IO handles the other upgrades. */
  upgrade(request, socket, head) {
    if (!request.url.startsWith('/frames?')) return;
    const visit = this.#findOwn(request);
    if (!visit) return socket.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n');
    this.sockets.handleUpgrade(request, socket, head, (opened) => {
      if (visit.asked.scenario === 'files') this.#sendFile(opened, visit);
      else opened.on('close', this.#attend(visit, (text) => opened.send(text), () => opened.terminate()));
    });
  }

  /** Sends each part of the file in a frame as it is read, then an empty frame as the end. */
  #sendFile(socket, visit) {
    this.#readFile(visit)
      .on('data', (part) => socket.send(part))
      .on('error', () => socket.terminate())
      .on('end', () => socket.send(Buffer.alloc(0)));
  }
}

exports.Pushes = Pushes;
