import assert from 'node:assert/strict';
import { test } from 'node:test';
import connectionModule from '../../clients/forked/connection.cjs';
import errorCounts from '../../clients/common/error-counts.cjs';
import fifoModule from '../../clients/forked/fifo.cjs';
import payloads from '../../clients/forked/payloads.cjs';
import records from '../../clients/common/records.cjs';

// ES5 constructors
const [Connection, ErrorCounts, Fifo] = [connectionModule, errorCounts, fifoModule].map((module) => /** @type {any} */ (module));

const NAMES = Object.fromEntries(Object.entries(records.KIND).map(([name, kind]) => [kind, name]));

/**
 * A connection on a stub of a library, with a clock that the test sets.
 * @param {object} [settings] of the load
 */
function createConnection(settings = {}) {
  /** @type {any[]} */
  const seen = [];
  const load = {
    adapter: {
      connect(/** @type {string} */ _url, /** @type {object} */ _settings, /** @type {any} */ on) {
        library.on = on;
        return {
          ping: () => library.sent.push('ping'),
          echo: (/** @type {string} */ payload) => library.sent.push(payload),
          close: () => (library.isClosed = true),
        };
      },
    },
    clock: () => library.now,
    records: {
      /** @type {(kind: number, bytes: number, ...times: number[]) => void} */
      add: (kind, _bytes, ...times) => seen.push([NAMES[kind], ...times]),
    },
    errors: new ErrorCounts(),
    payloadOf: null,
    outstanding: 0,
    in_flight: 0,
    end_us: 1000,
    ...settings,
  };
  /** @type {{now: number, sent: string[], isClosed: boolean, on?: any}} */
  const library = { now: 0, sent: [], isClosed: false };
  return { connection: new Connection(load, 0), load, library, seen };
}

/** @param {object} [settings] of the load */
function openConnection(settings) {
  const made = createConnection(settings);
  made.connection.connect();
  made.library.on.open();
  made.seen.length = 0;
  return made;
}

/** @param {any[][]} seen */
function kindsOf(seen) {
  return seen.map(([kind]) => kind);
}

test('messages come out of the queue first in, first out, also after many', () => {
  const fifo = new Fifo();
  let expected = 0;
  for (let i = 0; i < 5000; i++) {
    fifo.push(i, i + 0.5);
    if (i % 3 === 0) continue;
    assert.ok(fifo.take());
    assert.deepEqual([fifo.intended_us, fifo.actual_us], [expected, expected + 0.5]);
    expected++;
  }
  while (fifo.take()) assert.equal(fifo.intended_us, expected++);
  assert.equal(expected, 5000);
});

test('an answer is matched to the oldest message', () => {
  const { connection, library, seen, load } = openConnection();
  for (const [intended, now] of [[10, 11], [20, 22]]) {
    library.now = now;
    connection.send(intended);
  }
  library.now = 30;
  library.on.reply(1);
  library.now = 35;
  library.on.reply(2);
  assert.deepEqual(seen, [['ANSWERED', 10, 11, 30], ['ANSWERED', 20, 22, 35]]);
  assert.equal(load.in_flight, 0);
});

test('an answer to nothing is a stray one', () => {
  const { library, seen } = openConnection();
  library.on.reply(1);
  assert.deepEqual(kindsOf(seen), ['STRAY']);
});

test('a message that is due while the connection is not up is recorded and not sent', () => {
  const { connection, library, seen } = createConnection();
  connection.connect();
  connection.send(5);
  assert.deepEqual(seen, [['UNSENT', 5, 0, 0]]);
  assert.deepEqual(library.sent, []);
});

test('a pong that is not a count is wrong', () => {
  const { connection, library, seen } = openConnection();
  for (const reply of [undefined, '1', 0, 1.5]) {
    connection.send(1);
    library.on.reply(reply);
  }
  assert.deepEqual(kindsOf(seen), ['WRONG', 'WRONG', 'WRONG', 'WRONG']);
});

test('an echo must be the same bytes of the same type', () => {
  const { isEcho } = payloads;
  const binary = Buffer.from('abc');
  assert.ok(isEcho('abc', 'abc'));
  assert.ok(!isEcho('abc', 'abd'));
  assert.ok(!isEcho('abc', binary), 'text came back as binary');
  assert.ok(!isEcho(binary, 'abc'), 'binary came back as text');
  for (const received of [Buffer.from('abc'), new Uint8Array(binary), new Uint8Array(binary).buffer]) assert.ok(isEcho(binary, received));
  for (const received of [Buffer.from('abd'), Buffer.from('ab'), { 0: 97 }, null, undefined, 5]) assert.ok(!isEcho(binary, received));
});

test('payloads have the bytes and the type asked for, and the seed decides them', () => {
  const text = payloads.createPayloads({ type: 'text', bytes: 1000 }, 1);
  const binary = payloads.createPayloads({ type: 'binary', bytes: 1000 }, 1);
  assert.equal(Buffer.byteLength(text(3)), 1000);
  assert.equal(JSON.stringify(text(3)).length, 1002);
  assert.equal(binary(3).length, 1000);
  assert.notEqual(text(3), text(4));
  assert.equal(text(3), payloads.createPayloads({ type: 'text', bytes: 1000 }, 1)(3));
  assert.notEqual(text(3), payloads.createPayloads({ type: 'text', bytes: 1000 }, 2)(3));
});

test('the closed loop keeps its messages out until the end', () => {
  const { library, connection, seen } = createConnection({ outstanding: 2 });
  connection.connect();
  library.on.open();
  assert.equal(library.sent.length, 2);
  library.now = 500;
  library.on.reply(1);
  assert.equal(library.sent.length, 3);
  library.now = 1000;
  library.on.reply(2);
  library.on.reply(3);
  assert.equal(library.sent.length, 3);
  assert.deepEqual(seen.slice(1), [['ANSWERED', 0, 0, 500], ['ANSWERED', 0, 0, 1000], ['ANSWERED', 500, 500, 1000]]);
});

test('a refused connection fails once, remotely, and one without descriptors locally', () => {
  for (const [code, kind] of [['ECONNREFUSED', 'FAILED_REMOTE'], ['EMFILE', 'FAILED_LOCAL'], ['EADDRNOTAVAIL', 'FAILED_LOCAL']]) {
    const { connection, library, seen, load } = createConnection();
    connection.connect();
    library.on.error(Object.assign(new Error(`connect ${code}`), { code }));
    library.on.close();
    assert.deepEqual(kindsOf(seen), [kind]);
    assert.deepEqual({ ...load.errors.counts }, { [`connect ${code}`]: 1 });
  }
});

test('the cause is found in the error that a library wraps round it', () => {
  const cause = Object.assign(new Error('connect EMFILE 127.0.0.1:1'), { code: 'EMFILE' });
  const wrapped = Object.assign(new Error('xhr poll error'), { description: 0, context: { statusText: cause } });
  const { connection, library, seen } = createConnection();
  connection.connect();
  library.on.error(wrapped);
  assert.equal(seen[0][0], 'FAILED_LOCAL');
});

test('a dropped connection loses its answers, and its end is counted once', () => {
  const { connection, library, seen, load } = openConnection();
  connection.send(1);
  library.now = 7;
  library.on.close('transport close');
  library.on.close('transport close');
  assert.deepEqual(seen, [['DROPPED_REMOTE', 0, 7, 0], ['MISSING', 1, 0, 0]]);
  assert.equal(load.in_flight, 0);
  assert.deepEqual({ ...load.errors.counts }, { 'closed: transport close': 1 });
});

test('a connection that opens after it was given up is closed', () => {
  const { connection, library, seen } = createConnection();
  connection.connect();
  library.on.error(new Error('timeout'));
  library.on.open();
  assert.ok(library.isClosed);
  assert.deepEqual(kindsOf(seen), ['FAILED_REMOTE']);
});

test('at the end an open connection is closed uncounted, and one still connecting has failed', () => {
  const open = openConnection();
  open.connection.finish();
  open.library.on.close();
  assert.ok(open.library.isClosed);
  assert.deepEqual(open.seen, []);
  const late = createConnection();
  late.connection.connect();
  late.connection.finish();
  assert.deepEqual(kindsOf(late.seen), ['FAILED_REMOTE']);
});

test('an answer that comes after the end is no stray: its message is missing already', () => {
  const { connection, library, seen } = openConnection();
  connection.send(10);
  connection.finish();
  seen.length = 0;
  library.on.reply('pong');
  assert.deepEqual(seen, []);
});
