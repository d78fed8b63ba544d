import { readFileSync } from 'node:fs';
import net from 'node:net';
import tls from 'node:tls';
import { Pieces, drive } from '../javascript/driver.js';

drive(({ host, port, nodelay, ca }, opened) => {
  const pieces = new Pieces();
  const socket = ca ? tls.connect({ host, port, noDelay: nodelay, ca: readFileSync(ca) }, opened) : net.connect({ host, port, noDelay: nodelay }, opened);
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
