import { WebSocket } from 'ws';
import { drive } from '../javascript/driver.js';

drive(({ url, nodelay, secure }, opened) => {
  /** @type {(answer: Uint8Array[]) => void} */
  let deliver;
  const socket = new WebSocket(url, { perMessageDeflate: false, ...secure });
  if (!nodelay) socket.on('upgrade', (response) => socket.on('open', () => response.socket.setNoDelay(false)));
  socket.on('open', opened);
  let closing = () => { throw new Error('the server closed the connection'); };
  socket.on('message', (/** @type {Buffer} */ data) => deliver([data])).on('close', () => closing());
  return {
    echo(payload, answered) {
      deliver = answered;
      socket.send(payload);
    },
    close(closed) {
      closing = closed;
      socket.close();
    },
  };
});
