/** What servers/contract.cjs answers for every engine whose dialect has no events. */
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';

const { answerJsonPing, createPingCounter } = createRequire(import.meta.url)('../../servers/contract.cjs');

test('a JSON ping is answered with the time of the server, in whole seconds', () => {
  const earliest = Math.floor(Date.now() / 1000);
  const { data, timestamp } = JSON.parse(answerJsonPing('{"data":"ping","timestamp":1478246460}'));
  assert.equal(data, 'pong');
  assert.ok(Number.isInteger(timestamp) && timestamp >= earliest && timestamp <= Date.now() / 1000, `${timestamp}`);
});

test('pings are counted from one, whether text or bytes', () => {
  const answer = createPingCounter();
  const ping = '{"event":"ping","data":{"param":"pong"}}';
  assert.deepEqual([ping, Buffer.from(ping)].map(answer), ['{"event":"pong","data":1}', '{"event":"pong","data":2}']);
});

test('what is no ping has no answer', () => {
  for (const text of ['', 'ping', 'null', '[]', '"ping"', '{"data":"pong"}', '{"event":"pong"}']) {
    assert.equal(answerJsonPing(text), undefined, text);
    assert.equal(createPingCounter()(text), undefined, text);
  }
});
