/** The primary of socket.io keeps the connection of a request with a body, also if it comes in several segments. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ADDRESS } from '../../harness/check/conformance-fixture.js';
import { partsToCheck } from '../../harness/check/conformance.js';
import { Agent } from '../../harness/run/agent.js';
import { installPresent } from '../../harness/run/install.js';
import { startServer, stopServer, waitUntilReady } from '../../harness/run/lifecycle.js';
import { readEngine } from '../../harness/spec/engines.js';

const ENGINE = 'socket.io';
const PATH = '/socket.io/?EIO=4&transport=polling';
const absent = await installPresent(partsToCheck(readEngine(ENGINE)), console.log);
const skip = [...absent.values()][0];

/**
 * @param {number} port @param {string} head of a request @param {string[]} parts of its body, each a segment
 * @returns {Promise<string>} the answer
 */
async function request(port, head, parts = []) {
  const socket = connect(port, ADDRESS).setNoDelay();
  let answer = '';
  socket.on('data', (chunk) => { answer += chunk; });
  socket.setTimeout(20_000, () => socket.destroy(new Error(`${head}: no answer`)));
  const length = parts.length ? `Content-Length: ${parts.join('').length}\r\nContent-Type: text/plain\r\n` : '';
  socket.write(`${head} HTTP/1.1\r\nHost: ${ADDRESS}\r\nConnection: close\r\n${length}\r\n`);
  for (const part of parts) {
    await sleep(200); // a segment of its own
    socket.write(part);
  }
  await once(socket, 'close');
  return answer;
}

test('a POST whose body follows in two segments is answered, with two workers of socket.io', { skip }, async () => {
  const agent = await Agent.start();
  try {
    const session = await agent.open('run');
    const port = await agent.findFreePort(ADDRESS);
    const server = await startServer(session, { engine: ENGINE, address: ADDRESS, port, behaviour: 'echo', processes: { worker: 2 }, options: {} });
    await waitUntilReady(server, 'the server');
    const [, sid] = /"sid":"([^"]+)"/.exec(await request(port, `GET ${PATH}`)) ?? [];
    assert.match(await request(port, `POST ${PATH}&sid=${sid}`, ['4', '0']), /^HTTP\/1.1 200 OK\r\n/);
    await stopServer(server);
  } finally {
    await agent.close();
  }
});
