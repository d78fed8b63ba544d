/**
 * Compares two hosts' clocks over the network of the load: one agent answers each byte with a line holding its time, the other asks. It
 * uses TCP on a server's port, because a firewall between the hosts lets that through.
 */
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { TrialError } from '../common/failure.js';
import { within } from '../common/timers.js';
import { monotonicUs } from './clock.js';

const WITHIN_MS = 30_000;
const ASKERS_MAX = 100; // hosts that may ask at once

/**
 * @param {string} address @param {number} port
 * @returns {Promise<import('node:net').Server>} answers with this host's clock, until it is closed
 */
export async function serveClock(address, port) {
  const server = createServer((socket) => {
    socket.setNoDelay();
    socket.setTimeout(WITHIN_MS, () => socket.destroy());
    socket.on('error', () => {}); // the asker may be gone
    socket.on('data', (asked) => socket.write(`${monotonicUs()}\n`.repeat(asked.length)));
  });
  server.maxConnections = ASKERS_MAX;
  server.listen(port, address);
  await once(server, 'listening');
  return server;
}

/**
 * @param {{own: string, address: string, port: number, exchanges: number}} given `own`: the address to ask from
 * @returns {Promise<{at_us: number, offset_us: number, rtt_us: number}>} this host's clock less the other's, from the shortest exchange
 * @throws {TrialError}
 */
export async function compareClock({ own, address, port, exchanges }) {
  const socket = connect({ host: address, port, localAddress: own, noDelay: true });
  try {
    const best = await within(exchange(socket, exchanges), WITHIN_MS);
    if (best) return best;
    throw new Error(`no answer within ${WITHIN_MS / 1000} s`);
  } catch (error) {
    throw new TrialError(`its clock could not be compared with that of the server's host at ${address}:${port}: ${/** @type {Error} */ (error).message}; `
      + `can ${own} connect to ${address} on any port?`);
  } finally {
    socket.destroy();
  }
}

/** @param {import('node:net').Socket} socket @param {number} exchanges */
async function exchange(socket, exchanges) {
  const failed = once(socket, 'close').then(() => { throw new Error('the connection was closed'); });
  await Promise.race([once(socket, 'connect'), failed]);
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]();
  let best = { at_us: NaN, offset_us: NaN, rtt_us: Infinity };
  for (let each = 0; each < exchanges; each++) {
    const asked_us = monotonicUs();
    socket.write('?');
    const { value } = await Promise.race([lines.next(), failed]);
    const rtt_us = monotonicUs() - asked_us;
    const at_us = asked_us + rtt_us / 2;
    if (rtt_us < best.rtt_us) best = { at_us, offset_us: at_us - Number(value), rtt_us };
  }
  return best;
}
