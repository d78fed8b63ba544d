/** Checks a server at its limits (servers/CONTRACT.md, Configuration): a message too long, and a client that reads nothing. */
import { once } from 'node:events';
import { within } from '../common/timers.js';
import { stopServer } from '../run/lifecycle.js';
import { ADDRESS, Unsupported, expect } from './conformance-fixture.js';
import { shakeHands } from './handshake.js';

/** @typedef {import('./conformance-fixture.js').Fixture} Fixture */

/** Time for a server to end a connection, or to go on reading. */
const WITHIN_MS = 30_000;
/** A server that accepts no data for this long has stopped reading. */
const STALLED_MS = 3000;
/** Written at once: zeros, unchanged by a mask of zeros. */
const PIECE = Buffer.alloc(1 << 20);
/** A longer answer than this is more than a close frame. */
const CLOSE_MAX_B = 127;
/** Allowance beyond a server's limit for kernel buffers both ways; 72 MiB if tcp_rmem is 32 MiB and tcp_wmem 4. */
const KERNEL_B = 128 << 20;

/** @typedef {{socket: import('node:net').Socket, closed: Promise<boolean>}} Client It reads nothing until its socket is resumed */

/** Starts reading. @param {Client} client @returns {Promise<boolean>} true once the connection ends, false once it is answered */
function watch({ socket, closed }) {
  let answered_b = 0;
  /** @type {Promise<boolean>} */
  const answered = new Promise((resolve) => {
    socket.on('data', ({ length }) => { if ((answered_b += length) > CLOSE_MAX_B) resolve(false); }).resume();
  });
  return Promise.race([closed, answered]);
}

/** @param {Client} client @param {Buffer} bytes @param {number} patienceMs @returns {Promise<boolean>} whether the write succeeded */
async function write({ socket, closed }, bytes, patienceMs) {
  if (socket.write(bytes)) return !socket.destroyed;
  const drained = once(socket, 'drain').then(() => true, () => false);
  return await within(Promise.race([drained, closed.then(() => false)]), patienceMs) ?? false;
}

/** @param {number} length_b of a binary message in one frame @returns {Buffer} its header (RFC 6455, section 5.2) */
function headOf(length_b) {
  const head = Buffer.alloc(14);
  head.writeUInt16BE(0x82ff);
  head.writeBigUInt64BE(BigInt(length_b), 2);
  return head;
}

/** @param {Fixture} fixture @param {(client: Client, limits: {message_b: number, unsent_b: number}) => Promise<void>} exchange */
async function withClient(fixture, exchange) {
  const { limits, behaviours, dialect } = fixture.engine;
  if (!limits) throw new Unsupported('engine.toml states no limits');
  if (dialect !== 'websocket' || !behaviours.includes('echo')) throw new Unsupported('no echo over bare WebSocket');
  const { server, port } = await fixture.startReady({ behaviour: 'echo' });
  const socket = await shakeHands(ADDRESS, port, WITHIN_MS);
  try {
    await exchange({ socket, closed: new Promise((resolve) => { socket.once('close', () => resolve(true)); }) }, limits);
  } finally {
    socket.destroy();
  }
  await stopServer(server);
}

/** @param {Fixture} fixture gets a message one byte over its limit, which it may refuse by the header alone */
export function expectMessageLimit(fixture) {
  return withClient(fixture, async (client, { message_b }) => {
    const length_b = message_b + 1;
    const ended = watch(client);
    let isThere = await write(client, headOf(length_b), WITHIN_MS);
    for (let left_b = length_b; isThere && left_b > 0; left_b -= PIECE.length) {
      isThere = await write(client, PIECE.subarray(0, left_b), WITHIN_MS);
    }
    expect(await within(ended, WITHIN_MS) === true, `a message of ${length_b} B did not end the connection`);
  });
}

/** @param {Fixture} fixture its echoes are never read: it must end the connection, or stop reading */
export function expectUnsentLimit(fixture) {
  return withClient(fixture, async (client, { unsent_b }) => {
    const most_b = unsent_b + KERNEL_B;
    const message = Buffer.concat([headOf(1 << 16), PIECE.subarray(0, 1 << 16)]);
    let written_b = 0;
    while (written_b < most_b && await write(client, message, unsent_b ? WITHIN_MS : STALLED_MS)) written_b += message.length;
    expect(written_b < most_b, `it took ${written_b} B of a client that reads nothing, and went on`);
    const isOver = client.socket.destroyed || await within(client.closed, 1000) === true;
    if (unsent_b) expect(isOver, `it stopped to read, but did not end the connection, though it states unsent_b = ${unsent_b}`);
    else expect(!isOver, 'it ended the connection, though it states unsent_b = 0: that it reads on when its answer is sent');
  });
}
