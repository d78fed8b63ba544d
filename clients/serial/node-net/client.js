import net from 'node:net';
import tls from 'node:tls';
import { Pieces, drive } from '../javascript/driver.js';

drive(({ host, port, nodelay, secure }, opened) => {
  const pieces = new Pieces();
  const where = { host, port, noDelay: nodelay };
  const socket = secure ? tls.connect({ ...where, ...secure }, opened) : net.connect(where, opened);
  socket.on('data', (piece) => pieces.add(piece));
  return {
    echo(payload, answered) {
      pieces.expect(payload.length, answered);
      socket.write(payload);
    },
    close(closed) {
      socket.on('close', closed).end();
    },
  };
});
