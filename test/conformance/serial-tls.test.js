/** With TLS, libraries of clients/serial make a full handshake per connection, and verify the server's certificate. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer as createHttps } from 'node:https';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createServer as createTls } from 'node:tls';
import { Library } from '../../clients/serial/library.js';
import { makeCertificate } from '../../harness/agent/certificate.js';
import { installParts } from '../../harness/run/install.js';
import { readLibrary } from '../../harness/spec/engines.js';

const { WebSocketServer } = createRequire(join(readLibrary('node-ws', 'serial').folder, 'client.js'))('ws');
const ADDRESS = '127.0.0.1';
const NAMES = ['jetty-9.1', 'jetty-12', 'java-net', 'node-ws', 'node-net', 'bun-ws', 'bun-net'];

const folder = mkdtempSync(join(tmpdir(), 'serial-tls-test-'));
after(() => rmSync(folder, { recursive: true }));

/** @param {string} name @returns {{ca: string, key: Buffer, cert: Buffer}} */
function issue(name) {
  mkdirSync(join(folder, name));
  const { path: ca } = makeCertificate(join(folder, name), ADDRESS);
  return { ca, key: readFileSync(join(folder, name, 'tls', 'key.pem')), cert: readFileSync(ca) };
}

const [server, stranger] = ['server', 'stranger'].map(issue);

/**
 * A server on Node's own TLS, which reports more about a handshake than an engine does.
 * @param {string} dialect
 * @returns {Promise<{url: string, seen: {protocol: string | null, isResumed: boolean}[], close: () => void}>}
 */
async function listen(dialect) {
  /** @type {{protocol: string | null, isResumed: boolean}[]} */
  const seen = [];
  const listener = dialect === 'tcp' ? createTls(server, (socket) => socket.on('error', () => {}).pipe(socket)) : createHttps(server);
  listener.on('secureConnection', (socket) => seen.push({ protocol: socket.getProtocol(), isResumed: socket.isSessionReused() }));
  if (dialect !== 'tcp') {
    new WebSocketServer({ server: listener }).on('connection', (/** @type {any} */ socket) => socket.on('message', (/** @type {Buffer} */ data) => socket.send(data)));
  }
  await once(listener.listen(0, ADDRESS), 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (listener.address());
  return { url: `${dialect === 'tcp' ? 'tls' : 'wss'}://${ADDRESS}:${port}`, seen, close: () => listener.close() };
}

for (const name of NAMES) {
  test(`${name} connects by the version of TLS that is wanted, each time anew, and to no server that it is not to trust`, async (context) => {
    const part = readLibrary(name, 'serial');
    await installParts([part], console.log);
    const { url, seen, close } = await listen(part.dialect);
    context.after(close);
    /** @param {string} tls @param {string} ca */
    const start = async (tls, ca) => {
      const library = new Library(/** @type {any} */ ({ library: name, url, tls, ca }));
      context.after(() => library.kill());
      await library.ask();
      return library;
    };
    for (const tls of ['1.2', '1.3']) {
      const library = await start(tls, server.ca);
      for (const command of ['connect', 'echo 1000 2', 'close', 'connect', 'echo 1000 1', 'close']) await library.ask(command);
      await library.stop();
      assert.deepEqual(seen.splice(0), Array(2).fill({ protocol: `TLSv${tls}`, isResumed: false }));
    }
    const trusting = await start('1.3', stranger.ca);
    await assert.rejects(async () => {
      await trusting.ask('connect');
      await trusting.ask('echo 1000 1');
    }, /ended with code [1-9]/);
  });
}
