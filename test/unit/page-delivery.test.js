/** The source's mechanism: a result reaches the page that waits for it, and no other page. */
import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { runInNewContext } from 'node:vm';
import { parse } from 'smol-toml';
import { limitOf } from '../../clients/page-loader/order.js';
import { EXPERIMENTS, SERVERS } from '../../harness/common/places.js';

/** Code for Node 0.10 has no types. @type {(name: string) => any} */
const bring = (name) => createRequire(import.meta.url)(`../../servers/page-delivery/${name}.cjs`);
const { Delivery, KEPT_MS } = bring('delivery');
const { Routes } = bring('routes');
const { Scenarios } = bring('scenarios');
const RECEIVED = { mono_us: 1, wall_ms: 1 };

/** @param {any} visit @param {any[]} got each result as load, key, value */
const connectionOf = ({ load, session }, got) => ({
  load, session, send: (/** @type {any} */ result) => got.push(Object.values(result)), fail() {},
});

test('two pages at once each get their own results, whether they are of one session or of two', async () => {
  for (const sessions of [['one', 'two'], ['one', 'one']]) {
    const all = new Delivery();
    const visits = sessions.map((session, index) => all.open(`l${index}`, session, RECEIVED));
    visits.forEach((visit, index) => all.sendWhenConnected(visit, 'r0', Promise.resolve(`of ${index}`)));
    /** @type {any[][]} */
    const got = [[], []];
    assert.equal(all.connect(connectionOf(visits[1], got[1])), true); // the second connects first
    assert.equal(all.connect(connectionOf(visits[0], got[0])), true);
    await turn();
    assert.deepEqual(got, [[['l0', 'r0', 'of 0']], [['l1', 'r0', 'of 1']]]);
    assert.equal(all.connections.listenerCount('connection'), 0, 'a listener that has served is gone');
    assert.deepEqual(visits.map(({ listeners }) => listeners), [[], []], 'and does not keep its result');
  }
});

test('two pages that one browser opened before it had a cookie each get their own results, with the cookie that it kept', async () => {
  const all = new Delivery();
  const visits = [0, 1].map(() => all.open(undefined, undefined, RECEIVED));
  assert.notEqual(visits[0].session, visits[1].session);
  visits.forEach((visit, index) => all.sendWhenConnected(visit, 'r0', Promise.resolve(index)));
  const kept = visits[1].session;
  const loads = visits.map(({ load }) => load);
  /** @type {any[][]} */
  const got = [[], [], []];
  assert.deepEqual(loads.map((load, index) => all.connect(connectionOf({ load, session: kept }, got[index]))), [true, true]);
  assert.equal(all.connect(connectionOf({ load: loads[0], session: 'another' }, got[2])), false, 'whose page is taken it is');
  await turn();
  assert.deepEqual(got, [[[loads[0], 'r0', 0]], [[loads[1], 'r0', 1]], []]);
});

test('a page goes only to a connection with a session; if it had a cookie or a named load, only to its own session', () => {
  const all = new Delivery();
  const [nameless, ofSession, ofLoad] = [all.open(undefined, undefined, RECEIVED), all.open(undefined, 'one', RECEIVED), all.open('l1', undefined, RECEIVED)];
  assert.equal(all.claim(nameless.load, undefined), undefined);
  assert.equal(all.claim(ofSession.load, 'two'), undefined);
  assert.equal(all.claim(ofLoad.load, 'two'), undefined);
  assert.equal(all.claim(ofLoad.load, ofLoad.session), ofLoad);
  assert.equal(all.claim(nameless.load, 'two'), nameless);
});

test('a visit is kept for longer than any load of the experiment may take', () => {
  const { workloads } = /** @type {any} */ (parse(readFileSync(join(EXPERIMENTS, '17-page-delivery', 'experiment.toml'), 'utf8')));
  const loads = Object.values(workloads).flatMap((workload) => workload.loads);
  const limits_s = loads.flatMap(({ scenario, x }) => x.map((/** @type {number} */ each) => limitOf({ scenario, x: each, workflow: 'ajax' })));
  assert.ok(Math.max(...limits_s) > 342, 'of 1,024 requests of 2 s, six at a time');
  assert.ok(KEPT_MS > 1000 * Math.max(...limits_s), `${KEPT_MS} ms, and ${Math.max(...limits_s)} s`);
});

test('a connection gets nothing if it names the page of another session, or an unknown page', async () => {
  const all = new Delivery();
  const visit = all.open('l0', 'one', RECEIVED);
  all.sendWhenConnected(visit, 'r0', Promise.resolve('secret'));
  /** @type {any[]} */
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
  const all = new Scenarios({ filesDir: '/', Promise });
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

/** @returns {any} request handlers, with an empty markup */
const makeRoutes = () =>
  new Routes({ handlebars: { registerHelper() {}, compile: () => () => '<p></p></body>' }, Promise, filesDir: '/', workflows: { html: [] } });

test('results go into the markup as they come, in whatever order, and one that fails keeps none of the others back', async () => {
  const routes = makeRoutes();
  const visit = Object.assign(routes.delivery.open('l0', 'one', RECEIVED), { asked: { workflow: 'html', scenario: 'parallel', x: 3 }, keys: ['r0', 'r1', 'r2'] });
  /** @type {string[]} */
  const written = [];
  const note = (/** @type {string} */ text) => written.push(/data-for="(r\d)"/.exec(text)?.[1] ?? text);
  /** @type {{resolve: (value: number) => void, reject: (error: Error) => void}[]} */
  const results = [];
  const promises = visit.keys.map(() => new Promise((resolve, reject) => { results.push({ resolve, reject }); }));
  routes.streamMarkup({ headers: {} }, { writeHead() {}, write: note, end: (/** @type {string} */ text) => note(`end ${text}`) }, visit, promises);
  results[2].resolve(2000);
  await turn();
  assert.deepEqual(written, ['<p></p>', 'r2']);
  results[0].reject(new Error('it is lost'));
  await turn();
  results[1].resolve(2000);
  await turn();
  assert.deepEqual(written, ['<p></p>', 'r2', 'r1', 'end </body>']);
});

test('a failing request gets the reason; if the response has begun, it breaks off', async () => {
  const routes = makeRoutes();
  routes.scenarios.ask = () => Promise.reject(new Error('the disk is full'));
  for (const headersSent of [false, true]) {
    /** @type {any[]} */
    const said = [];
    const response = { headersSent, writeHead: (/** @type {number} */ status) => said.push(status), end: (/** @type {string} */ text) => said.push(text), destroy: () => said.push('broken off') };
    await routes.data({}, response, { scenario: 'timeouts', x: 5 });
    assert.deepEqual(said, headersSent ? ['broken off'] : [500, 'the disk is full\n']);
  }
});

const SCRIPT = readFileSync(join(SERVERS, 'page-delivery', 'page.js'), 'utf8');

/** The script of a page that waits for one pushed result. @returns {{socket: EventEmitter, said: string[]}} */
function openPage() {
  const socket = new EventEmitter();
  /** @type {string[]} */
  const said = [];
  const say = (/** @type {string} */ text) => said.push(text);
  const place = { textContent: '' };
  runInNewContext(SCRIPT, {
    page: { load: 'l0', workflow: 'stream', scenario: 'timeouts', x: 5, count: 1, start_ms: 0 }, io: () => socket, location: { origin: '' },
    document: { title: '', getElementById: () => place, querySelector: () => place }, performance: { mark() {} },
    requestAnimationFrame: (/** @type {() => void} */ paint) => paint(), console: { info: say, error: say },
  });
  return { socket, said };
}

test('a page fails when a result of another comes to it, and when its connection ends before all are there', () => {
  const own = openPage();
  own.socket.emit('result', { load: 'l0', key: 'r0', value: 5 });
  own.socket.emit('disconnect');
  assert.deepEqual(own.said, ['page complete']);
  const another = openPage();
  another.socket.emit('result', { load: 'l1', key: 'r0', value: 5 });
  assert.deepEqual(another.said, ['page failed: a result of l1 came to l0']);
  const ended = openPage();
  ended.socket.emit('disconnect');
  assert.deepEqual(ended.said, ['page failed: its socket was closed']);
});
