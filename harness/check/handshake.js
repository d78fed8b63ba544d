/** A bare WebSocket handshake, for checks without a client library. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { TrialError } from '../common/failure.js';
import { within } from '../common/timers.js';

/**
 * @param {string} address @param {number} port @param {number} within_ms
 * @returns {Promise<import('node:net').Socket>} paused, so nothing is read until it is resumed; errors close it silently
 * @throws {TrialError} if the answer is not 101, or does not come in time
 */
export async function shakeHands(address, port, within_ms) {
  const socket = connect({ host: address, port });
  socket.on('error', () => {}); // errors also close it
  socket.write(`GET / HTTP/1.1\r\nHost: ${address}:${port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n`
    + 'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n');
  const head = await within(once(socket, 'data').catch(() => undefined), within_ms);
  if (String(head?.[0]).startsWith('HTTP/1.1 101')) return socket.pause();
  socket.destroy();
  throw new TrialError('it does not answer a handshake with 101');
}
