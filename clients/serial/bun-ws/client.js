import { drive, secureForBun } from '../javascript/driver.js';

drive(({ url, secure }, opened) => {
  /** @type {(answer: Uint8Array[]) => void} */
  let deliver;
  const socket = new WebSocket(url, { tls: secureForBun(secure) });
  socket.binaryType = 'nodebuffer'; // specific to Bun: delivers the bytes without a copy
  socket.onopen = opened;
  socket.onmessage = ({ data }) => deliver([data]);
  socket.onclose = () => { throw new Error('the server closed the connection'); };
  socket.onerror = () => { throw new Error(`${url}: the connection failed`); };
  return {
    echo(payload, answered) {
      deliver = answered;
      socket.send(payload);
    },
    close(closed) {
      socket.onclose = closed;
      socket.close();
    },
  };
});
