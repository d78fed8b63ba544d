/** The source's mechanism: a result goes to the page that waits for it, and to no other. */
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';

/** What runs on Node 0.10 has no types. @type {(name: string) => any} */
const bring = (name) => createRequire(import.meta.url)(`../../servers/page-delivery/${name}.cjs`);
const { Delivery } = bring('delivery');
const { Scenarios } = bring('scenarios');
const RECEIVED = { mono_us: 1, wall_ms: 1 };

/** @param {any} visit @param {[string, any][]} got */
const connectionOf = ({ load, session }, got) =>
  ({ load, session, send: (/** @type {string} */ key, /** @type {any} */ value) => got.push([key, value]), fail() {} });

test('two pages at once get each its own, of two sessions and of one', async () => {
  for (const sessions of [['one', 'two'], ['one', 'one']]) {
    const all = new Delivery();
    const visits = sessions.map((session, index) => all.open(`l${index}`, session, RECEIVED));
    visits.forEach((visit, index) => all.sendWhenConnected(visit, 'r0', Promise.resolve(`of ${index}`)));
    /** @type {[string, any][][]} */
    const got = [[], []];
    assert.equal(all.connect(connectionOf(visits[1], got[1])), true); // the second connects first
    assert.equal(all.connect(connectionOf(visits[0], got[0])), true);
    await turn();
    assert.deepEqual(got, [[['r0', 'of 0']], [['r0', 'of 1']]]);
    assert.equal(all.connections.listenerCount('connection'), 0, 'a listener that has served is gone');
  }
});

test("a connection that names another's page gets nothing, nor does one of no page", async () => {
  const all = new Delivery();
  const visit = all.open('l0', 'one', RECEIVED);
  all.sendWhenConnected(visit, 'r0', Promise.resolve('secret'));
  /** @type {[string, any][]} */
  const got = [];
  assert.equal(all.connect(connectionOf({ load: 'l0', session: 'two' }, got)), false);
  assert.equal(all.connect(connectionOf({ load: 'l9', session: 'one' }, got)), false);
  assert.equal(all.connect(connectionOf({ load: '__proto__', session: 'one' }, got)), false);
  await turn();
  assert.deepEqual(got, []);
});

test('a session leads to its connections as long as they last, and a page that never came is forgotten', () => {
  const all = new Delivery();
  const visit = all.open(undefined, undefined, RECEIVED);
  all.sendWhenConnected(visit, 'r0', Promise.resolve());
  const connection = connectionOf(visit, []);
  all.connect(connection);
  assert.deepEqual(all.connectionsOf(visit.session), [connection]);
  all.disconnect(connection);
  assert.deepEqual(all.connectionsOf(visit.session), []);
  const other = all.open('l1', 'two', RECEIVED);
  all.sendWhenConnected(other, 'r0', Promise.resolve());
  all.forget(other);
  assert.equal(all.connections.listenerCount('connection'), 0);
  assert.equal(all.find('l1'), undefined);
});

test('requests of a series follow each other, and parallel ones begin at once', async () => {
  const begun = /** @type {string[]} */ ([]);
  const all = new Scenarios({ runDir: '/', Promise });
  all.wait = (/** @type {number} */ ms) => {
    begun.push(String(ms));
    return new Promise(() => {});
  };
  assert.equal(all.askAll('parallel', 4).length, 4);
  assert.deepEqual(begun, ['2000', '2000', '2000', '2000']);
  begun.length = 0;
  assert.equal(all.askAll('series', 4).length, 4);
  assert.deepEqual(begun, ['0']);
  assert.deepEqual([all.knows('noop', 0), all.knows('noop', 1), all.knows('files', 8), all.knows('documents', 8), all.knows('toString', 8)], [true, false, true, false, false]);
});
