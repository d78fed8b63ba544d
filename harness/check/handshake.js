/** A bare handshake of WebSocket, for what needs no client library. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { TrialError } from '../common/failure.js';
import { within } from '../common/timers.js';

/**
 * @param {string} address @param {number} port @param {number} within_ms
 * @returns {Promise<import('node:net').Socket>} of which nothing is read until it is resumed; its errors end it without a word
 * @throws {TrialError} where it is answered by something else, or by nothing in that time
 */
export async function shakeHands(address, port, within_ms) {
  const socket = connect({ host: address, port });
  socket.on('error', () => {}); // it is closed too
  socket.write(`GET / HTTP/1.1\r\nHost: ${address}:${port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n`
    + 'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n');
  const head = await within(once(socket, 'data').catch(() => undefined), within_ms);
  if (String(head?.[0]).startsWith('HTTP/1.1 101')) return socket.pause();
  socket.destroy();
  throw new TrialError('it does not answer a handshake with 101');
}
