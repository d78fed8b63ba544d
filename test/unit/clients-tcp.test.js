/** The forked client's library for the dialect `tcp`: a stream of bytes, cut into answers. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { test } from 'node:test';

const adapter = createRequire(import.meta.url)('../../clients/forked/tcp/adapter.cjs');

/**
 * A connection, and a server that sends what the test tells it to.
 * @typedef {{handle: any, server: import('node:net').Socket, next: () => Promise<any>}} Talk `next` waits for an answer
 */

/** @param {(talk: Talk) => Promise<void>} check */
async function withConnection(check) {
  const listener = createServer().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (listener.address());
  /** @type {any[]} */
  const replies = [];
  /** @type {((reply: any) => void)[]} */
  const waiting = [];
  const closed = Promise.withResolvers();
  const opened = Promise.withResolvers();
  const accepted = once(listener, 'connection');
  const handle = adapter.connect(`tcp://127.0.0.1:${port}`, { behaviour: 'echo' }, {
    open: opened.resolve,
    reply: (/** @type {any} */ reply) => (waiting.shift() ?? ((late) => replies.push(late)))(reply),
    error: assert.fail,
    close: closed.resolve,
  });
  const [server] = await accepted;
  await opened.promise;
  server.setNoDelay(true);
  try {
    await check({ handle, server, next: async () => (replies.length ? replies.shift() : new Promise((resolve) => waiting.push(resolve))) });
  } finally {
    handle.close();
    server.end();
    await closed.promise;
    listener.close();
  }
}

test('an answer that comes in pieces is given when it is whole', () => withConnection(async ({ handle, server, next }) => {
  handle.echo('abcdef');
  const answer = next();
  for (const piece of ['a', 'bcd', 'ef']) {
    server.write(piece);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  assert.equal(await answer, 'abcdef');
}));

test('answers that come together are cut by the lengths of what was sent, each of its own type', () => withConnection(async ({ handle, server, next }) => {
  handle.echo('abc');
  handle.echo(Buffer.from([1, 2]));
  handle.echo('\u00e4');
  server.write(Buffer.concat([Buffer.from('abc'), Buffer.from([1, 2]), Buffer.from('\u00e4')]));
  assert.deepEqual([await next(), await next(), await next()], ['abc', Buffer.from([1, 2]), '\u00e4']);
}));

test('bytes that answer nothing are given as they come, and shift no later answer', () => withConnection(async ({ handle, server, next }) => {
  server.write('stray');
  assert.deepEqual(await next(), Buffer.from('stray'));
  handle.echo('abc');
  server.write('abc');
  assert.equal(await next(), 'abc');
}));
