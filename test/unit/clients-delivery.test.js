import assert from 'node:assert/strict';
import { test } from 'node:test';
import delivery from '../../clients/forked/delivery.cjs';
import payloads from '../../clients/forked/payloads.cjs';

/** A stub of the library's listener, whose events the test raises. */
function receive() {
  /** @type {Record<string, (value?: any) => void>} */
  const handlers = {};
  const listener = {
    receiving: { old: {} },
    on: (/** @type {string} */ event, /** @type {() => void} */ handler) => { handlers[event] = handler; },
  };
  /** @type {string[]} */
  const seen = [];
  delivery.receiveFiles({ listen: () => listener }, {}, { reply: (content) => seen.push(`reply ${content}`), extra: (content) => seen.push(`extra ${content}`) });
  return {
    listener,
    seen,
    shakeHands: () => handlers['delivery.connect'](),
    deliver: (/** @type {string} */ name) => {
      const file = { buffer: Buffer.from(name), data: name };
      handlers['receive.success'](file);
      return file;
    },
  };
}

test('without handshakes each file answers a ping', () => {
  const { deliver, seen } = receive();
  ['a', 'b'].forEach(deliver);
  assert.deepEqual(seen, ['reply a', 'reply b']);
});

test('a ping brings a file from each listener, and the first one is its answer', () => {
  const { deliver, shakeHands, seen } = receive();
  shakeHands();
  deliver('1');
  shakeHands();
  ['2', '2'].forEach(deliver);
  shakeHands();
  ['3', '3', '3'].forEach(deliver);
  assert.deepEqual(seen, ['reply 1', 'reply 2', 'extra 2', 'reply 3', 'extra 3', 'extra 3']);
});

test('a ping that overtook the handshake of another brings that one an extra file', () => {
  const { deliver, shakeHands, seen } = receive();
  shakeHands();
  shakeHands();
  ['1', '1', '2', '2'].forEach(deliver);
  assert.deepEqual(seen, ['reply 1', 'extra 1', 'reply 2', 'extra 2']);
});

test('a handshake that begins among the files of another does not change their number', () => {
  const { deliver, shakeHands, seen } = receive();
  shakeHands();
  shakeHands();
  deliver('1');
  shakeHands();
  ['1', '2', '2', '2'].forEach(deliver);
  assert.deepEqual(seen, ['reply 1', 'extra 1', 'reply 2', 'extra 2', 'extra 2']);
});

test('no file is kept', () => {
  const { deliver, listener } = receive();
  const file = deliver('a');
  assert.deepEqual([listener.receiving, file.buffer, file.data], [{}, null, null]);
});

test('a file is right if it has its size and its bytes', () => {
  for (const size_b of [1, 81, 1000, 500_000]) {
    const file = Buffer.from(Uint8Array.from({ length: size_b }, (_, i) => i % 251));
    assert.ok(payloads.isFile(size_b, file));
    assert.ok(!payloads.isFile(size_b + 1, file));
    assert.ok(!payloads.isFile(size_b, file.toString('latin1')));
    file[size_b - 1]++;
    assert.ok(!payloads.isFile(size_b, file));
  }
});
