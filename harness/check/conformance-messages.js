/** Checks a server's messages: sizes, WebSocket extensions, and its output meanwhile. */
import { connect, createServer } from 'node:net';
import { relative } from 'node:path';
import { TrialError } from '../common/failure.js';
import { ROOT } from '../common/places.js';
import { SUITE } from '../common/protocol.js';
import { sleep } from '../common/timers.js';
import { placeOf, stopServer, urlOf, waitForLine } from '../run/lifecycle.js';
import { readLibrary } from '../spec/engines.js';
import { ADDRESS, ANY_ADDRESS, PATIENCE_S, Unsupported, expect } from './conformance-fixture.js';
import { shakeHands } from './handshake.js';

/** @typedef {import('./conformance-fixture.js').Fixture} Fixture */
/** @typedef {import('../spec/engines.js').Engine} Engine */
/** @typedef {{type: string, bytes: number}} Message */

/** The edges of a frame's three length encodings (RFC 6455, section 5.2), an empty message, and a megabyte. */
export const SIZES_B = [0, 1, 125, 126, 65_535, 65_536, 1_000_000];
/** The offer of clients that compress (RFC 7692, section 7.1.2.2). */
const OFFER = 'permessage-deflate; client_max_window_bits';
/** Limit for all sizes together; each has a limit of its own. */
const EXCHANGE_WITHIN_S = 60;

/** @param {Engine} engine @returns {string} name of a library in clients/forked */
function libraryOf({ behaviours, client }) {
  if (!behaviours.includes('echo')) throw new Unsupported('no behaviour echo');
  if (!client) throw new Unsupported('no client library speaks its dialect');
  return client;
}

/** @param {Engine} engine @returns {Message[]} messages up to the engine's declared limit, if any */
function listMessages({ binary, client, dialect, min_message_b, max_message_b: limit_b = Infinity }) {
  const types = binary && readLibrary(String(client)).binary ? ['text', 'binary'] : ['text'];
  const least_b = min_message_b ?? (dialect === 'tcp' ? 1 : 0); // a stream has no empty message
  const sizes_b = SIZES_B.filter((bytes) => bytes >= least_b && bytes <= limit_b);
  if (limit_b < Number(SIZES_B.at(-1))) sizes_b.push(limit_b);
  return types.flatMap((type) => sizes_b.map((bytes) => ({ type, bytes })));
}

/** @param {Engine} engine @param {import('../run/session.js').Session} session @param {number} port @param {Message[]} messages */
function startExchange(engine, session, port, messages) {
  const library = readLibrary(libraryOf(engine));
  const config = { adapter: `${SUITE}/${relative(ROOT, library.folder)}/adapter.cjs`, url: urlOf(engine.dialect, ADDRESS, port), messages };
  const argv = ['node', `${SUITE}/${relative(ROOT, import.meta.dirname)}/echo-sizes.cjs`, JSON.stringify(config)];
  return session.start({ ...placeOf(library), argv, side: 'client', stdin: 'pipe', log: 'exchange' });
}

/** @param {import('../run/session.js').RemoteProcess} client to end afterwards @throws {TrialError} with the first fault */
async function expectDone(client) {
  const fault = JSON.parse(await waitForLine(client, 'done', 'the client was', 'done', EXCHANGE_WITHIN_S));
  if (fault) throw new TrialError(fault);
  await client.closeInput();
  await client.exited;
}

/** @param {Fixture} fixture @returns {Promise<string>} its declared limits, in words */
export async function expectEachSize(fixture) {
  libraryOf(fixture.engine);
  const { server, port, session } = await fixture.startReady({ behaviour: 'echo' });
  await expectDone(await startExchange(fixture.engine, session, port, listMessages(fixture.engine)));
  await stopServer(server);
  const { min_message_b: least_b, max_message_b: most_b } = fixture.engine;
  const declared = [...(least_b === undefined ? [] : [`from ${least_b} B`]), ...(most_b === undefined ? [] : [`up to ${most_b} B`])];
  return declared.length > 0 ? `${declared.join(' ')}, as engine.toml declares` : '';
}

/**
 * A proxy between client and server. It offers compression to the server whatever the client offers, and notes what the server accepts.
 * @param {number} port of the server
 * @returns {Promise<{port: number, agreed: string[], close: () => void}>} `agreed`: extensions in each 101 response
 */
async function startOffering(port) {
  /** @type {string[]} */
  const agreed = [];
  const sockets = new Set();
  const proxy = createServer((client) => {
    const server = connect(port, ADDRESS);
    for (const socket of [client, server]) sockets.add(socket.on('error', () => socket.destroy()).setNoDelay());
    client.on('data', (bytes) => server.write(offer(bytes.toString('latin1')), 'latin1')).on('close', () => server.destroy());
    let text = ''; // a header may arrive in pieces, or after another response
    server.on('data', (bytes) => {
      text += bytes.toString('latin1');
      const head = /HTTP\/1\.1 101 [^]*?\r\n\r\n/.exec(text)?.[0];
      if (head) {
        agreed.push(/^sec-websocket-extensions: *(.*?)\r$/im.exec(head)?.[1] ?? '');
        text = '';
      }
      client.write(bytes);
    }).on('close', () => client.destroy());
  });
  await new Promise((resolve) => { proxy.listen(0, ANY_ADDRESS, () => resolve(undefined)); });
  const close = () => { proxy.close(); sockets.forEach((socket) => socket.destroy()); };
  return { port: /** @type {import('node:net').AddressInfo} */ (proxy.address()).port, agreed, close };
}

/** @param {string} text sent by a client @returns {string} an upgrade request with the offer added, anything else unchanged */
function offer(text) {
  if (!/^GET [^]*\r\nupgrade: websocket\r\n/i.test(text)) return text;
  return text.replace(/\r\nsec-websocket-extensions: .*?(?=\r\n)/i, '').replace('\r\n', `\r\nSec-WebSocket-Extensions: ${OFFER}\r\n`);
}

/** @param {Fixture} fixture @returns {Promise<string>} its declared extensions, in words */
export async function expectDeclaredExtensions(fixture) {
  const { dialect, behaviours, extensions = [] } = fixture.engine;
  if (!urlOf(dialect, ADDRESS, 0).startsWith('ws')) throw new Unsupported('its dialect is no WebSocket');
  const isBare = dialect === 'websocket'; // needs no client library
  if (!isBare) libraryOf(fixture.engine);
  const behaviour = behaviours.includes('echo') ? 'echo' : behaviours[0];
  const { server, port, session } = await fixture.startReady({ behaviour });
  const proxy = await startOffering(port);
  try {
    if (isBare) (await shakeHands(ADDRESS, proxy.port, PATIENCE_S * 1000).catch(() => undefined))?.destroy();
    else await startExchange(fixture.engine, session, proxy.port, []);
    for (let waitedMs = 0; proxy.agreed.length === 0 && waitedMs < PATIENCE_S * 1000; waitedMs += 10) await sleep(10);
    const [agreed] = proxy.agreed;
    expect(agreed !== undefined, `no handshake of WebSocket within ${PATIENCE_S} s`);
    const names = agreed.split(',').map((part) => part.split(';')[0].trim()).filter(Boolean);
    expect(names.every((name) => extensions.includes(name)), `it agrees to "${agreed}", which its engine.toml does not declare under extensions`);
  } finally {
    proxy.close();
  }
  await stopServer(server);
  return extensions.length > 0 ? `${extensions.join(', ')}, as engine.toml declares` : '';
}

/** @param {Fixture} fixture during start, an exchange if it echoes, and stop */
export async function expectCleanOutput(fixture) {
  const { behaviours, client } = fixture.engine;
  const canExchange = behaviours.includes('echo') && client;
  const { server, port, session } = await fixture.startReady(canExchange ? { behaviour: 'echo' } : {});
  if (canExchange) await expectDone(await startExchange(fixture.engine, session, port, [{ type: 'text', bytes: 1 }]));
  await stopServer(server);
  const lines = (await session.read('server.out')).split('\n');
  expect(lines.pop() === '', 'its last line on standard output has no end');
  const other = lines.find((line) => !/^ready \{.*\}$/.test(line));
  expect(other === undefined, `it prints "${other?.slice(0, 80)}" on standard output, which is for ready lines; print it on standard error`);
}
