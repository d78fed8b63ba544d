/**
 * Node's ws with compression. With a certificate, over TLS by Node's OpenSSL. ../peers.js describes what a peer does.
 *
 *     node node-ws.js EVERY [CERTIFICATE KEY]
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const require = createRequire(join(import.meta.dirname, '../../../../servers/ws/server.js'));
const { WebSocketServer } = require('ws');

const [every, certificate, key] = process.argv.slice(2);
const http = certificate ? createSecureServer({ cert: readFileSync(certificate), key: readFileSync(key) }) : createServer();
const counts = { received: 0, answered: 0, corrupted: 0, received_b: 0 };

new WebSocketServer({ server: http, perMessageDeflate: { threshold: 0 } }).on('connection', (/** @type {any} */ socket) => {
  socket.on('message', (/** @type {Buffer} */ data, /** @type {boolean} */ isBinary) => {
    counts.received += 1;
    counts.received_b += data.length;
    if (counts.received % Number(every) === 0) {
      data[data.length - 1] ^= 1;
      counts.corrupted += 1;
    }
    socket.send(data, { binary: isBinary });
    counts.answered += 1;
  });
});
http.listen({ host: '127.0.0.1', port: 0, backlog: 511 }, () => {
  const { port } = /** @type {import('node:net').AddressInfo} */ (http.address());
  const processes = [{ pid: process.pid, role: 'worker', index: 1 }];
  console.log(`ready ${JSON.stringify({ engine: 'ws', version: 'peer', port, pid: process.pid, processes })}`);
});
process.once('SIGTERM', () => {
  console.log(JSON.stringify(counts));
  process.exit(0);
});
