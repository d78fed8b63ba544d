import { connect } from 'bun';
import { Pieces, drive, secureForBun } from '../javascript/driver.js';

drive(({ host, port, nodelay, secure }, opened) => {
  const pieces = new Pieces();
  /** @type {import('bun').Socket} */
  let open;
  /** @type {Uint8Array} bytes the kernel has not accepted yet */
  let left = new Uint8Array();
  let closing = () => { throw new Error('the server closed the connection'); };
  connect({
    hostname: host,
    port,
    tls: secureForBun(secure),
    socket: {
      open(socket) {
        open = socket;
        socket.setNoDelay(nodelay);
        opened();
      },
      data: (_, piece) => pieces.add(piece),
      drain: (socket) => write(socket),
      close: () => closing(),
      connectError: (_, error) => { throw error; },
    },
  });

  /** @param {import('bun').Socket} socket */
  function write(socket) {
    if (left.length > 0) left = left.subarray(socket.write(left));
  }

  return {
    echo(payload, answered) {
      pieces.expect(payload.length, answered);
      left = payload;
      write(open);
    },
    close(closed) {
      closing = closed;
      open.end();
    },
  };
});
