/** Servers of the dialect tcp that read whole messages before they answer, and clients that send the length first. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, test } from 'node:test';
import { Library } from '../../clients/serial/library.js';
import { installParts } from '../../harness/run/install.js';
import { readEngine, readLibrary } from '../../harness/spec/engines.js';
import { Agent } from '../../harness/run/agent.js';
import { startServer, waitUntilReady } from '../../harness/run/lifecycle.js';

const ADDRESS = '127.0.0.1';
const LIBRARIES = { 'tcp-java': 'java-net', 'tcp-node': 'node-net', 'tcp-rust': 'rust-tcp', 'tcp-bun': 'bun-net' };
const agent = await Agent.start();
after(() => agent.close());

/** @param {string} engine @param {string} reading @returns {Promise<number>} its port */
async function serve(engine, reading) {
  const port = await agent.findFreePort(ADDRESS);
  const config = { engine, address: ADDRESS, port, behaviour: 'echo', processes: { worker: 1 }, options: { nodelay: 'on', tls: 'none', reading }, payload_b: 1 };
  await waitUntilReady(await startServer(await agent.open(`${engine}-${port}`), config), 'the server');
  return port;
}

/** @param {number} size_b @returns {Buffer} the length in 4 bytes, then the message */
function makeMessage(size_b) {
  const message = Buffer.alloc(4 + size_b, size_b % 251);
  message.writeUInt32BE(size_b);
  return message;
}

/** @param {number} port */
async function open(port) {
  const socket = connect({ port, host: ADDRESS, noDelay: true });
  await once(socket, 'connect');
  /** @type {Buffer[]} */
  const came = [];
  socket.on('data', (piece) => came.push(piece));
  const read = async (/** @type {number} */ size_b) => {
    while (came.reduce((sum, { length }) => sum + length, 0) < size_b) await once(socket, 'data');
    return Buffer.concat(came.splice(0));
  };
  return { socket, came, read };
}

const pause = () => new Promise((resolve) => setTimeout(resolve, 50));

for (const [engine, library] of Object.entries(LIBRARIES)) {
  test(`${engine} answers bytes as they come, and a message when its last byte is there, however it is cut`, async () => {
    await installParts([readEngine(engine), readLibrary(library, 'serial')], console.log);
    const stream = await open(await serve(engine, 'stream'));
    stream.socket.write(makeMessage(100).subarray(0, 50));
    assert.deepEqual(await stream.read(50), makeMessage(100).subarray(0, 50));
    stream.socket.destroy();

    const { socket, came, read } = await open(await serve(engine, 'whole'));
    for (const message of [makeMessage(100), makeMessage(300_000)]) {
      for (const [from, to] of [[0, 2], [2, 5], [5, -1]]) {
        socket.write(message.subarray(from, to));
        await pause();
        assert.deepEqual(came, []);
      }
      socket.write(message.subarray(-1));
      assert.deepEqual(await read(message.length), message);
    }
    const three = Buffer.concat([makeMessage(1), makeMessage(0), makeMessage(70_000)]);
    socket.write(three);
    assert.deepEqual(await read(three.length), three);
    socket.destroy();
  });

  for (const reading of ['stream', 'whole']) {
    test(`${library} exchanges messages of every size with ${engine} that reads: ${reading}`, async (context) => {
      await installParts([readEngine(engine), readLibrary(library, 'serial')], console.log);
      const program = new Library(/** @type {any} */ ({ library, url: `tcp://${ADDRESS}:${await serve(engine, reading)}`, reading }));
      context.after(() => program.kill());
      await program.ask();
      await program.ask('connect');
      for (const [size_b, count] of [[1, 2], [1000, 2], [1_000_000, 2]]) assert.equal((await program.ask(`echo ${size_b} ${count}`)).length, count);
      await program.ask('close');
      await program.stop();
    });
  }
}
