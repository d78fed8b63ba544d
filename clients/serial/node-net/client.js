import net from 'node:net';
import tls from 'node:tls';
import { Pieces, drive } from '../javascript/driver.js';

drive(({ host, port, nodelay, secure }, opened) => {
  const pieces = new Pieces();
  const where = { host, port, noDelay: nodelay };
  const socket = secure ? tls.connect({ ...where, ...secure }, opened) : net.connect(where, opened);
  let closing = () => { throw new Error('the server closed the connection'); };
  socket.on('data', (piece) => pieces.add(piece)).on('close', () => closing());
  return {
    echo(payload, answered) {
      pieces.expect(payload.length, answered);
      socket.write(payload);
    },
    close(closed) {
      closing = closed;
      socket.end();
    },
  };
});
